#include "env/features/edge_features.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/features/hand_case.h"

namespace opyard::env {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

// The column `name` for variable → a, variable → b, a → c, c → view, c → host_op, view → host_op
// (hand_case.h).
std::vector<float> EdgeColumn(std::string_view name) {
  return ColumnOf(HandStepObservation().edge_x, kEdgeFeatureNames, name);
}

TEST(EdgeFeaturesTest, RowsStandAsEdgesDo) {
  EXPECT_THAT(HandStepObservation().edge_index,
              ElementsAre(0, 0, 1, 3, 3, 4, /* to */ 1, 2, 3, 4, 5, 5));
}

TEST(EdgeFeaturesTest, BytesAreLogarithmsOverTheirMaximum) {
  const auto share = [](double bytes) {
    return FloatEq(static_cast<float>(std::log1p(bytes) / std::log1p(15'000.0)));
  };
  EXPECT_THAT(EdgeColumn("bytes"),
              ElementsAre(0.0F, share(6000), share(3000), share(8000), 1.0F, share(8000)));
}

TEST(EdgeFeaturesTest, TransfersAreComparedWithTheMeanOp) {
  // to 9 us: 1 (the latency: control alone), 7, 4, 9, 16, 9; squash(1/9) = 1/4, squash(4/9) = 2/5,
  // squash(16/9) = (4/3) / (7/3) = 4/7
  const double root = std::sqrt(7.0 / 9.0);
  EXPECT_THAT(EdgeColumn("transfer_to_op_time"),
              ElementsAre(FloatEq(1.0F / 4),
                          FloatEq(static_cast<float>(root / (1.0 + root))),
                          FloatEq(2.0F / 5),
                          FloatEq(1.0F / 2),
                          FloatEq(4.0F / 7),
                          FloatEq(1.0F / 2)));
}

TEST(EdgeFeaturesTest, AnEdgeMayBeDataAndControl) {
  EXPECT_THAT(EdgeColumn("is_data"), ElementsAre(0.0F, 1.0F, 1.0F, 1.0F, 1.0F, 1.0F));
  EXPECT_THAT(EdgeColumn("is_control"), ElementsAre(1.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F));
}

TEST(EdgeFeaturesTest, SeveralTensorsOfAnEdgeGoOneByOneAndEachOnce) {
  // two tensors, one read twice: 1000 + 4000 bytes, a latency of 1 us each, 2 + 5 = 7 us beside a
  // mean of (2 + 5) / 2 us: squash(2)
  const auto graph =
      opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2, {}, {1000, 4000}),
                                  opyard::testing::TimedOp("b", 5, {{0, 0}, {0, 1}, {0, 0}})});
  const Observation observation =
      Observe(*MakeProblem(graph, opyard::testing::MeshMachine(2, /*latency_us=*/1)));

  const auto root = static_cast<float>(std::sqrt(2.0));
  EXPECT_THAT(ColumnOf(observation.edge_x, kEdgeFeatureNames, "transfer_to_op_time"),
              ElementsAre(FloatEq(root / (1.0F + root))));
}

}  // namespace
}  // namespace opyard::env
