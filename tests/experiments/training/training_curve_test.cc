#include "experiments/training/training_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

TrainingCurve Example() {
  TrainingCurve curve;
  curve.Add({.num_updates = 1, .values = {{"loss", 0.1}}});
  curve.Add({.num_updates = 2, .values = {{"loss", -1e-300}, {"reward", -2.0}}});
  curve.Add({.num_updates = 3, .values = {{"reward", -1.5}}});
  return curve;
}

TEST(TrainingCurveFileTest, WhatIsWrittenIsReadUpToAnUpdate) {
  const opyard::testing::TemporaryFolder folder;
  Example().Write(folder.path() / "curve.csv");
  const TrainingCurve found = TrainingCurve::Read(folder.path() / "curve.csv", 2);

  ASSERT_EQ(found.points().size(), 2U);
  EXPECT_EQ(found.points()[0].values, Example().points()[0].values);
  EXPECT_EQ(found.points()[1].num_updates, 2);
  EXPECT_EQ(found.points()[1].values, Example().points()[1].values);
}

TEST(TrainingCurveFileTest, WithoutAFileItIsEmpty) {
  EXPECT_TRUE(TrainingCurve::Read("no/such/curve.csv", 5).points().empty());
}

TEST(TrainingCurveFileTest, AnotherTableIsRefused) {
  const opyard::testing::TemporaryFolder folder;
  for (const char* text : {"a,b\n1,2\n", "update,loss\n1,x\n"}) {
    const auto path = folder.Write("curve.csv", text);
    EXPECT_THROW(static_cast<void>(TrainingCurve::Read(path, 5)), InputError);
  }
}

}  // namespace
}  // namespace opyard::experiments
