#include "experiments/config/tuning_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"

namespace opyard::experiments {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::Read;
using testing::Workplace;

TEST(TuningConfigTest, ASpaceSaysWhatIsTunedAndHow) {
  const Workplace place;
  const TuningConfig tuning =
      Read(place,
           {"tuning={trials: 9, shrink: 2, first_problems: 4, space: {a: {low: 1, high: 8, scale: "
            "log}, b: {low: -0.5, high: 0.5}}}"})
          .tuning;
  EXPECT_EQ(tuning.trials, 9);
  EXPECT_EQ(tuning.shrink, 2);
  EXPECT_EQ(tuning.first_problems, 4);
  EXPECT_EQ(TuningSpaceJson(tuning),
            R"({"a":{"low":1.0,"high":8.0,"scale":"log"},)"
            R"("b":{"low":-0.5,"high":0.5,"scale":"linear"}})");
  EXPECT_TRUE(Read(place).tuning.space.empty());
}

TEST(TuningConfigTest, WhatIsWrongIsReportedWithItsRange) {
  const Workplace place;
  const auto error_of = [&](const std::string& param) {
    return ErrorOf(place, {"tuning={space: {a: " + param + "}}"});
  };
  EXPECT_THAT(error_of("{low: 2, high: 1}"), HasSubstr("from 2"));
  EXPECT_THAT(error_of("{low: 0, high: 1, scale: log}"), HasSubstr("from 1e-12"));
  EXPECT_THAT(error_of("{low: 0}"), HasSubstr("high"));
  EXPECT_THAT(error_of("{low: 0, high: 1, scale: cubic}"), HasSubstr("cubic"));
  EXPECT_THAT(error_of("3"), HasSubstr("a parameter of space"));
  EXPECT_THAT(ErrorOf(place, {"tuning={trials: 1}"}), HasSubstr("whole number from 2"));
}

}  // namespace
}  // namespace opyard::experiments
