#include "agents/learned/hdp/grouped_graph.h"

#include <gtest/gtest.h>

#include "agents/learned/hdp/view.h"
#include "env/observation.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::hdp {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

constexpr std::int64_t kGroups = 3;
constexpr std::int64_t kTypes = 2 * kGroups;                     // first column of the types
constexpr std::int64_t kShapes = kTypes + env::kTypeVocabulary;  // of the shapes

// a, b and c feed d, which feeds e; d's output is 3 × 5, that of e 7, and the others have no
// dimensions.
std::shared_ptr<const env::Problem> FanIn() {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {1, 2}),
                                  UnevenOp("b", {1, 2}),
                                  UnevenOp("c", {1, 2}),
                                  UnevenOp("d", {1, 2}, {{0, 0}, {1, 0}, {2, 0}}),
                                  UnevenOp("e", {1, 2}, {{3, 0}})};
  ops[3].outputs[0].shape = {3, 5};
  ops[4].outputs[0].shape = {7};
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
}

// b and d in group 0, a, c and e in group 1, none in group 2. The greatest figure of group 0 is the
// second dimension, 5 of d: its row is divided by 5 + 1. That of group 1 is the first dimension, 7
// of e: by 7 + 1.
torch::Tensor Rows() {
  const auto problem = FanIn();
  const torch::Tensor groups = torch::tensor({{1, 0, 1, 0, 1}}, torch::kLong);
  const GroupedGraph graph = MakeGroupedGraph(
      MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/true), groups, kGroups);
  return graph.x[0] * torch::tensor({6.0, 8.0, 1.0}).unsqueeze(1);
}

std::vector<std::int64_t> Whole(const torch::Tensor& row) {
  const torch::Tensor whole = row.to(torch::kFloat).round().to(torch::kLong).contiguous();
  return {whole.data_ptr<std::int64_t>(), whole.data_ptr<std::int64_t>() + whole.numel()};
}

using Figures = std::vector<std::int64_t>;

// Among the edges a-d, b-d, c-d and d-e, two lead from group 1 to 0, one inside group 0, and one
// from group 0 to 1. The published code loses most of what an op reads from, and so the columns.
TEST(HdpGroupedGraphTest, AGroupKnowsAllEdgesToEachGroupAndThenFromEach) {
  const torch::Tensor rows = Rows();
  EXPECT_EQ(Whole(rows[0].slice(0, 0, kTypes)), (Figures{1, 1, 0, 1, 2, 0}));
  EXPECT_EQ(Whole(rows[1].slice(0, 0, kTypes)), (Figures{2, 0, 0, 1, 0, 0}));
  EXPECT_EQ(Whole(rows[2].slice(0, 0, kTypes)), (Figures{0, 0, 0, 0, 0, 0}));
}

// The published code adds the sums of shapes to the counts of the first 25 types.
TEST(HdpGroupedGraphTest, ShapesHaveColumnsOfTheirOwnBehindTheTypes) {
  const torch::Tensor rows = Rows();
  EXPECT_EQ(GroupWidth(kGroups), kShapes + 25);
  EXPECT_EQ(Whole(rows[0].slice(0, kShapes, kShapes + 3)), (Figures{3, 5, 0}));
  EXPECT_EQ(Whole(rows[1].slice(0, kShapes, kShapes + 3)), (Figures{7, 0, 0}));
  torch::Tensor expected = torch::zeros({env::kTypeVocabulary}, torch::kLong);
  expected[0] = 2;  // the only type of the graph
  EXPECT_EQ(Whole(rows[0].slice(0, kTypes, kShapes)), Whole(expected));
}

TEST(HdpGroupedGraphTest, SamplesDoNotMix) {
  const auto problem = FanIn();
  const OpFeatures features = MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/false);
  const torch::Tensor both = torch::tensor({{1, 0, 1, 0, 1}, {2, 2, 0, 1, 1}}, torch::kLong);
  const GroupedGraph graph = MakeGroupedGraph(features, both, kGroups);
  for (std::int64_t sample = 0; sample < 2; ++sample) {
    const GroupedGraph alone =
        MakeGroupedGraph(features, both.slice(0, sample, sample + 1), kGroups);
    EXPECT_TRUE(torch::equal(graph.x[sample], alone.x[0]));
    EXPECT_TRUE(torch::equal(graph.is_used[sample], alone.is_used[0]));
  }
}

// "host" may run on the CPU, d2, alone; d0 and d1 are its accelerators.
std::shared_ptr<const env::Problem> WithHostOp() {
  sim::OpSpec host_only = UnevenOp("host", {1, 2, 3}, {{0, 0}});
  host_only.device_kinds = sim::DeviceKindSet::None();
  host_only.device_kinds.Insert(sim::DeviceKind::kCpu);
  sim::OpSpec gpu_only = UnevenOp("gpu", {1, 2, 3}, {{0, 0}});
  gpu_only.device_kinds = sim::DeviceKindSet::None();
  gpu_only.device_kinds.Insert(sim::DeviceKind::kGpu);
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7, 9}), host_only, gpu_only}),
                     testing::MeshWithCpu(2));
}

TEST(HdpGroupedGraphTest, AGroupMayGoWhereSomeOfItsUnitsMayAndAnEmptyOneHasNoChoice) {
  const auto problem = WithHostOp();
  const OpFeatures features = MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/false);
  const torch::Tensor groups = torch::tensor({{0, 1, 2}, {0, 1, 1}}, torch::kLong);
  const torch::Tensor mask = MakeGroupedGraph(features, groups, kGroups).device_mask;
  EXPECT_EQ(Whole(mask[0].flatten()), (Figures{1, 1, 1, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(Whole(mask[1].flatten()), (Figures{1, 1, 1, 1, 1, 1, 1, 0, 0}));
}

TEST(HdpGroupedGraphTest, AUnitThatMayNotFollowItsGroupTakesTheNextDeviceThatItMay) {
  const auto problem = WithHostOp();
  const OpFeatures features = MakeOpFeatures(*problem, UnitsOf(*problem), /*faithful=*/false);
  const torch::Tensor groups = torch::zeros({3, 3}, torch::kLong);
  const torch::Tensor devices = torch::tensor({{0}, {1}, {2}}, torch::kLong);
  // After d2 comes d0.
  EXPECT_EQ(Whole(DevicesOfUnits(features, groups, devices).flatten()),
            (Figures{0, 2, 0, 1, 2, 1, 2, 2, 0}));
}

}  // namespace
}  // namespace opyard::agents::hdp
