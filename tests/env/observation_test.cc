#include "env/observation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::TimedOp;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Three ops listed against their order, so that op index and topological index differ. Edges:
//   read (op 1, 1 us) → multiply (op 2, 3 us) → add (op 0, 7 us), and read → add; a control edge
//   read → multiply besides the data edge.
std::shared_ptr<const sim::OpGraph> HandGraph() {
  sim::OpSpec add = TimedOp("add", 7, {{2, 0}, {1, 0}}, {0});
  add.type = "Add";
  add.fusion_class = sim::FusionClass::kElementwise;
  add.phase = sim::Phase::kUpdate;
  add.colocation = "g";
  sim::OpSpec read = TimedOp("read", 1, {}, {99});
  read.type = "Placeholder";
  read.fusion_class = sim::FusionClass::kOpaque;
  read.outputs[0].shape = {9, 99};
  sim::OpSpec multiply = TimedOp("multiply", 3, {{1, 0}}, {4, 5});
  multiply.fusion_class = sim::FusionClass::kHeavy;
  multiply.phase = sim::Phase::kBackward;
  multiply.colocation = "g";
  multiply.control_inputs = {1};
  multiply.flops = Flops{999};
  multiply.param_bytes = Bytes{9};
  multiply.workspace_bytes = Bytes{99};
  multiply.outputs[0].shape = {99};
  return MakeGraph({add, read, multiply});
}

Observation HandObservation() {
  return Observe(*MakeProblem(HandGraph(), MeshMachine(2)));
}

// Column `name` of x for add, read, multiply.
std::vector<float> ColumnOf(std::string_view name) {
  const Observation observation = HandObservation();
  const auto found = std::ranges::find(kFeatureNames, name);
  EXPECT_NE(found, kFeatureNames.end()) << name;
  std::vector<float> column;
  for (std::size_t op = 0; op < 3; ++op) {
    column.push_back(
        observation.x[op * kNumFeatures + static_cast<std::size_t>(found - kFeatureNames.begin())]);
  }
  return column;
}

TEST(ObservationTest, SizesAreLogarithmsOverTheirMaximum) {
  // log1p of 0, 99 and 4 + 5 bytes: 0, ln 100, ln 10 = half of it
  EXPECT_THAT(ColumnOf("output_bytes"), ElementsAre(0.0F, 1.0F, 0.5F));
  EXPECT_THAT(ColumnOf("param_bytes"), ElementsAre(0.0F, 0.0F, 1.0F));
  EXPECT_THAT(ColumnOf("workspace_bytes"), ElementsAre(0.0F, 0.0F, 1.0F));
  EXPECT_THAT(ColumnOf("flops"), ElementsAre(0.0F, 0.0F, 1.0F));
}

TEST(ObservationTest, ComputeTimeIsTheLogarithmOfMicroseconds) {
  // log1p of 7, 1 and 3 us: ln 8, ln 2, ln 4 = 3, 1 and 2 times ln 2
  const std::vector<float> column = ColumnOf("compute_time");

  EXPECT_FLOAT_EQ(column[0], 1.0F);
  EXPECT_FLOAT_EQ(column[1], 1.0F / 3.0F);
  EXPECT_FLOAT_EQ(column[2], 2.0F / 3.0F);
}

TEST(ObservationTest, ShapesAreThoseOfTheFirstOutput) {
  // add has none, read [9, 99], multiply [99]: ln 10 and ln 100
  EXPECT_THAT(ColumnOf("shape0"), ElementsAre(0.0F, 0.5F, 1.0F));
  EXPECT_THAT(ColumnOf("shape1"), ElementsAre(0.0F, 1.0F, 0.0F));
  EXPECT_THAT(ColumnOf("shape2"), Each(0.0F));
}

TEST(ObservationTest, DegreesCountEachPairOnce) {
  // in: add 2, read 0, multiply 1 (data and control from read are one edge); out: 0, 2, 1
  EXPECT_THAT(ColumnOf("in_degree"), ElementsAre(1.0F, 0.0F, 0.5F));
  EXPECT_THAT(ColumnOf("out_degree"), ElementsAre(0.0F, 1.0F, 0.5F));
}

TEST(ObservationTest, TheRankIsTheTopologicalIndexOverItsMaximum) {
  EXPECT_THAT(ColumnOf("rank"), ElementsAre(1.0F, 0.0F, 0.5F));
}

TEST(ObservationTest, PathsIncludeTheOpAndAreSharesOfTheCriticalPath) {
  // critical path 1 + 3 + 7 = 11 us; from the sources 11, 1, 4; to the sinks 7, 11, 10
  EXPECT_THAT(ColumnOf("from_sources"), ElementsAre(1.0F, 1.0F / 11.0F, 4.0F / 11.0F));
  EXPECT_THAT(ColumnOf("to_sinks"), ElementsAre(7.0F / 11.0F, 1.0F, 10.0F / 11.0F));
}

TEST(ObservationTest, ClassesPhasesAndCoLocationAreFlags) {
  EXPECT_THAT(ColumnOf("elementwise"), ElementsAre(1.0F, 0.0F, 0.0F));
  EXPECT_THAT(ColumnOf("heavy"), ElementsAre(0.0F, 0.0F, 1.0F));
  EXPECT_THAT(ColumnOf("opaque"), ElementsAre(0.0F, 1.0F, 0.0F));
  EXPECT_THAT(ColumnOf("is_colocated"), ElementsAre(1.0F, 0.0F, 1.0F));
  EXPECT_THAT(ColumnOf("is_backward"), ElementsAre(0.0F, 0.0F, 1.0F));
  EXPECT_THAT(ColumnOf("is_update"), ElementsAre(1.0F, 0.0F, 0.0F));
}

TEST(ObservationTest, EdgesFollowTheTopologicalOrder) {
  const Observation observation = HandObservation();

  // read → multiply, read → add, multiply → add
  EXPECT_EQ(observation.num_edges, 3);
  EXPECT_THAT(observation.edge_index, ElementsAre(1, 1, 2, 2, 0, 0));
  EXPECT_THAT(observation.topological_order, ElementsAre(1, 2, 0));
}

TEST(ObservationTest, GroupsAndTheirDevicesAreThoseOfTheProblem) {
  const Observation observation = HandObservation();

  EXPECT_THAT(observation.group_id, ElementsAre(1, 0, 1));
  EXPECT_EQ(observation.num_groups, 2);
  EXPECT_THAT(observation.device_mask, ElementsAre(1, 1, 1, 1));
}

TEST(ObservationTest, AllFeaturesLieBetweenZeroAndOne) {
  for (const float value : HandObservation().x) {
    EXPECT_GE(value, 0.0F);
    EXPECT_LE(value, 1.0F);
  }
}

TEST(ObservationTest, WithoutComputeTimePathsAreZeroNotUndefined) {
  const Observation observation =
      Observe(*MakeProblem(MakeGraph({TimedOp("view", 0)}), MeshMachine(1)));

  EXPECT_THAT(observation.x, ::testing::Not(::testing::Contains(::testing::IsNan())));
}

TEST(OpTypeHashTest, IsFnv1aModulo256) {
  // published vectors of 64-bit FNV-1a: "" cbf29ce484222325, "a" af63dc4c8601ec8c,
  // "foobar" 85944171f73967e8; the last byte of each
  EXPECT_EQ(OpTypeHash(""), 0x25);
  EXPECT_EQ(OpTypeHash("a"), 0x8c);
  EXPECT_EQ(OpTypeHash("foobar"), 0xe8);
}

TEST(NodeFeaturesTest, ARowIsTypeGroupAndFeatures) {
  const Observation observation = HandObservation();
  const std::vector<float> nodes = NodeFeatures(observation);

  ASSERT_EQ(nodes.size(), 3 * kNumNodeFeatures);
  EXPECT_EQ(nodes[1], 0.5F);  // add is in group 1 of 2
  EXPECT_THAT(std::vector(nodes.begin() + 2, nodes.begin() + 2 + kNumFeatures),
              ElementsAreArray(observation.x.begin(), observation.x.begin() + kNumFeatures));
}

}  // namespace
}  // namespace opyard::env
