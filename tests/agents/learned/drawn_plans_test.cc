// What learned agents promise (agents/learned/README.md): they judge plans that their network drew,
// and no others.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/learned_agents.h"
#include "env/baseline_plans.h"
#include "env/evaluator.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// A trained network may have learnt a rule's plan, doppler imitates one before it draws, go_search
// goes on with a local search, and regal and gas with a genetic one.
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

std::vector<std::vector<DeviceId>> JudgedPlacements(
    const std::string& agent,
    const std::shared_ptr<const env::Problem>& problem,
    std::int64_t evaluations) {
  std::vector<std::vector<DeviceId>> judged;
  env::Evaluator evaluator(problem,
                           {.budget = {.evaluations = evaluations},
                            .on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                              judged.push_back(plan.placement);
                            }});
  Rng rng(3);
  LearnedAgents().Make(agent, OptionsOf(agent))->Search(*problem, evaluator, rng, {});
  return judged;
}

class DrawnPlansTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Registry,
                         DrawnPlansTest,
                         ::testing::ValuesIn(Names()),
                         [](const auto& agent) { return testing::TestName(agent.param); });

// Of 4^16 placements, a fresh network draws one of the five of the rules in 40 draws with a
// probability of about 5 · 40 / 4^16 = 5e-8.
TEST_P(DrawnPlansTest, NoRulesPlanIsAmongThem) {
  const auto problem = Chain(16, 4);
  const auto judged = JudgedPlacements(GetParam(), problem, 40);
  ASSERT_EQ(judged.size(), 40U);
  for (const sim::Plan& rule : env::BaselinePlans(*problem)) {
    EXPECT_THAT(judged, ::testing::Not(::testing::Contains(rule.placement)));
  }
}

// 16 draws meet all of 16 placements with a probability of 16! / 16^16 = 1e-6.
TEST_P(DrawnPlansTest, SmallProblemsAreNotEnumerated) {
  const auto judged = JudgedPlacements(GetParam(), Chain(4, 2), 16);
  ASSERT_EQ(judged.size(), 16U);
  EXPECT_LT(std::set(judged.begin(), judged.end()).size(), 16U);
}

}  // namespace
}  // namespace opyard::agents
