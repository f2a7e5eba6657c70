#include "agents/learned/go/decision_rows.h"

#include <cmath>

#include <gtest/gtest.h>

#include "agents/learned/common/feature_tensors.h"
#include "env/observation.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// a → b → c and a → c, where a and the others are rows 0 and 1.
class DecisionRowsTest : public ::testing::Test {
 protected:
  static GroupSequence Rows(const std::vector<std::int32_t>& row_of_op) {
    const std::int64_t num_rows = row_of_op.back() + 1;
    return {.num_groups = num_rows,
            .num_devices = 2,
            .group_of_op = row_of_op,
            .group_of_problem_group = row_of_op,
            .device_mask = std::vector<std::uint8_t>(static_cast<std::size_t>(num_rows) * 2, 1)};
  }

  env::Observation seen_ = env::Observe(
      *MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 3}, {}, {1000}),
                                               UnevenOp("b", {3, 3}, {{0, 0}}, {4000}),
                                               UnevenOp("c", {3, 3}, {{1, 0}, {0, 0}}, {9000})}),
                   opyard::testing::MeshMachine(2)));
  OpGraph graph_ = MakeOpGraph(seen_);
};

// Three ops of equal times: one of three, two of three, and ½ would be one of two rows.
TEST_F(DecisionRowsTest, SharesAreRelativeToThoseOfTheMeanRow) {
  const DecisionRows rows = MakeDecisionRows(graph_, Rows({0, 1, 1}));
  ASSERT_EQ(rows.x.sizes(), (std::vector<std::int64_t>{2, kRowWidth}));
  const auto relative = [](double share) { return share / (share + 0.5); };
  EXPECT_NEAR(rows.x[0][0].item<double>(), relative(1.0 / 3.0), 1e-5);  // time
  EXPECT_NEAR(rows.x[1][0].item<double>(), relative(2.0 / 3.0), 1e-5);
  EXPECT_NEAR(rows.x[1][4].item<double>(), relative(2.0 / 3.0), 1e-5);  // ops
}

// One edge from row 0 to row 1 in place of a → b and a → c; b → c is inside. Its time is the sum of
// theirs, each q / (1 − q) squared of what is seen of it, in times of a row of 3 / 2 ops.
TEST_F(DecisionRowsTest, EdgesBetweenTwoRowsAreOne) {
  const DecisionRows rows = MakeDecisionRows(graph_, Rows({0, 1, 1}));
  const OpNeighbours& producers = rows.links.producers;
  ASSERT_EQ(producers.edges.source.size(0), 1);
  EXPECT_EQ(producers.edges.source.item<std::int64_t>(), 0);
  EXPECT_EQ(producers.edges.target.item<std::int64_t>(), 1);
  const std::int64_t time = ColumnOf(env::kEdgeFeatureNames, "transfer_to_op_time");
  double sum = 0.0;
  double most_bytes = 0.0;
  for (std::int64_t edge = 0; edge < seen_.num_edges; ++edge) {
    if (seen_.edge_index[static_cast<std::size_t>(edge)] == 0) {
      const auto at = [&](std::int64_t column) {
        return static_cast<double>(
            seen_.edge_x[static_cast<std::size_t>(edge) * env::kNumEdgeFeatures +
                         static_cast<std::size_t>(column)]);
      };
      sum += std::pow(at(time) / (1 - at(time)), 2);
      most_bytes = std::max(most_bytes, at(0));
    }
  }
  ASSERT_GT(sum, 0.0);
  const double root = std::sqrt(sum * 2.0 / 3.0);
  EXPECT_NEAR(producers.x[0][time].item<double>(), root / (1 + root), 1e-5);
  EXPECT_NEAR(producers.x[0][0].item<double>(), most_bytes, 1e-6);
  EXPECT_EQ(rows.links.consumers.edges.source.item<std::int64_t>(), 1);
}

TEST_F(DecisionRowsTest, OneRowHasNoEdges) {
  const DecisionRows rows = MakeDecisionRows(graph_, Rows({0, 0, 0}));
  EXPECT_EQ(rows.links.producers.edges.source.size(0), 0);
  EXPECT_EQ(rows.links.producers.edges.num_rows, 1);
}

// With a row per op the rows' edges are the ops'.
TEST_F(DecisionRowsTest, ARowPerOpHasTheEdgesOfItsOp) {
  const DecisionRows rows = MakeDecisionRows(graph_, Rows({0, 1, 2}));
  const OpNeighbours& expected = graph_.links.producers;
  EXPECT_TRUE(torch::equal(rows.links.producers.edges.source, expected.edges.source));
  EXPECT_TRUE(torch::equal(rows.links.producers.edges.target, expected.edges.target));
  EXPECT_TRUE(torch::allclose(rows.links.producers.x, expected.x, 1e-4, 1e-5));
}

}  // namespace
}  // namespace opyard::agents::go
