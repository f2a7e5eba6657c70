// Learned agents evaluate plans that their network sampled, and no others
// (agents/learned/README.md).
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/learned_agents.h"
#include "env/baseline_plans.h"
#include "env/evaluator.h"
#include "sim/plan/plan.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// A trained network may have learnt a rule's plan, doppler imitates one before it samples,
// go_search goes on with a local search, and regal and gas with a genetic one.
const std::set<std::string> kOthers = {
    "doppler", "gas", "go-finetune", "go-zeroshot", "go_search", "regal"};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  const AgentRegistry registry = LearnedAgents();
  for (const AgentEntry& entry : registry.entries()) {
    if (!kOthers.contains(entry.info.name)) {
      names.push_back(entry.info.name);
    }
  }
  return names;
}

// `num_ops` ops, each of which reads the one before, on equal devices.
std::shared_ptr<const env::Problem> Chain(std::int64_t num_ops, std::size_t num_devices) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_ops; ++i) {
    ops.push_back(
        UnevenOp("op" + std::to_string(i),
                 std::vector<std::int64_t>(num_devices, 2 + i % 3),
                 i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                     opyard::testing::MeshMachine(num_devices));
}

// go, hdp, placeto and reinforce_lstm evaluate the plans of single devices first, which they say;
// where they do not, rules have no part in their plans either.
Options OptionsOf(const std::string& agent) {
  Options options;
  if (agent == "go" || agent == "go-finetune" || agent == "hdp" || agent == "reinforce_lstm") {
    options.Set("start", std::string("network"));
  }
  if (agent == "placeto") {
    options.Set("start", std::string("random"));
    options.Set("moves", 0.0);
  }
  return options;
}

std::vector<sim::OpPlacement> PlacementLogProbs(const std::string& agent,
                                                const std::shared_ptr<const env::Problem>& problem,
                                                std::int64_t evaluations) {
  std::vector<sim::OpPlacement> evaluated;
  env::Evaluator evaluator(problem,
                           {.budget = {.evaluations = evaluations},
                            .on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                              evaluated.push_back(plan.placement);
                            }});
  Rng rng(3);
  LearnedAgents().Make(agent, OptionsOf(agent))->Search(*problem, evaluator, rng, {});
  return evaluated;
}

class SampledPlansTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Registry,
                         SampledPlansTest,
                         ::testing::ValuesIn(Names()),
                         [](const auto& agent) { return testing::TestName(agent.param); });

// There are 4^16 placements: a fresh network samples one of the five of the rules in 40 samples
// with a probability of about 5 · 40 / 4^16 = 5e-8.
TEST_P(SampledPlansTest, NoRulesPlanIsAmongThem) {
  const auto problem = Chain(16, 4);
  const auto evaluated = PlacementLogProbs(GetParam(), problem, 40);
  ASSERT_EQ(evaluated.size(), 40U);
  for (const sim::Plan& rule : env::BaselinePlans(*problem)) {
    EXPECT_THAT(evaluated, ::testing::Not(::testing::Contains(rule.placement)));
  }
}

// 16 samples meet all of 16 placements with a probability of 16! / 16^16 = 1e-6.
TEST_P(SampledPlansTest, SmallProblemsAreNotEnumerated) {
  const auto evaluated = PlacementLogProbs(GetParam(), Chain(4, 2), 16);
  ASSERT_EQ(evaluated.size(), 16U);
  EXPECT_LT(std::set(evaluated.begin(), evaluated.end()).size(), 16U);
}

}  // namespace
}  // namespace opyard::agents
