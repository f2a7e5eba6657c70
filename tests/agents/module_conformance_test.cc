// Conformance of every registered agent to problems that decide per module.
#include <algorithm>

#include <gtest/gtest.h>

#include "sim/graph/op_graph_parts.h"
#include "tests/agents/problems.h"
#include "tests/support/layer_chain.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::AgentsUnderTest;
using testing::kBoth;
using testing::kPlacement;
using testing::Outcome;
using testing::RunAgent;

std::vector<std::string> AllAgentNames() {
  std::vector<std::string> names;
  const AgentRegistry registry = AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
  }
  return names;
}

class ModuleConformanceTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Registry,
                         ModuleConformanceTest,
                         ::testing::ValuesIn(AllAgentNames()),
                         [](const auto& agent) { return testing::TestName(agent.param); });

// A step of four layers, each a module.
std::shared_ptr<const env::Problem> LayersProblem(env::ProblemSettings settings) {
  const auto chain = opyard::testing::MakeLayerChain({.num_layers = 4, .weight_bytes = 8});
  sim::OpGraphBuilder builder("layers");
  for (sim::OpSpec& op : sim::SpecsOf(*chain)) {
    op.module = "layer" + std::to_string(std::max(op.layer.value_or(0), 0));
    builder.AddOp(std::move(op));
  }
  return std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = builder.Build(),
      .hardware = std::make_shared<const sim::HardwareProfile>(opyard::testing::MeshMachine(3)),
      .settings = std::move(settings)});
}

TEST_P(ModuleConformanceTest, ModulesStayTogetherAndFollowTheNetworksOrder) {
  for (const env::TaskSet tasks : {kPlacement, kBoth}) {
    for (const bool contiguous : {false, true}) {
      const auto problem = LayersProblem(
          {.tasks = tasks, .decide_per = env::DecidePer::kModule, .contiguous = contiguous});
      const Outcome outcome = RunAgent(GetParam(), problem, {.evaluations = 60});
      ASSERT_TRUE(outcome.best.has_value());
      const sim::OpPlacement& placement = outcome.best->plan.placement;
      const std::vector<std::int32_t>& group_of = problem->finest_grouping().group_of;
      std::vector<DeviceId> device_of(4);
      for (std::size_t op = 0; op < placement.size(); ++op) {
        device_of[static_cast<std::size_t>(group_of[op])] = placement[op];
      }
      for (std::size_t op = 0; op < placement.size(); ++op) {
        EXPECT_EQ(placement[op], device_of[static_cast<std::size_t>(group_of[op])]);
      }
      EXPECT_TRUE(!contiguous || problem->contiguity()->Holds(placement));
    }
  }
}

}  // namespace
}  // namespace opyard::agents
