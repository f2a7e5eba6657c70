#include "agents/registry.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/classical/random/random.h"
#include "env/problem_words.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string MessageOf(const std::string& agent, Options options) {
  try {
    static_cast<void>(ClassicalAgents().Make(agent, std::move(options)));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RegistryTest, ListsTheSevenAgentsByName) {
  std::vector<std::string> names;
  const AgentRegistry registry = ClassicalAgents();
  for (const AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
  }
  EXPECT_THAT(names,
              ElementsAre("brkga",
                          "critical_path",
                          "heft",
                          "metis",
                          "min_cut",
                          "random",
                          "simulated_annealing",
                          "single_device"));
}

TEST(RegistryTest, SaysWhatEachAgentIs) {
  const AgentRegistry registry = ClassicalAgents();
  for (const AgentEntry& entry : registry.entries()) {
    SCOPED_TRACE(entry.info.name);
    ProblemList problems;
    EXPECT_TRUE(env::ReadTasks(entry.info.tasks, "tasks", problems)) << problems.Text();
    EXPECT_TRUE(entry.info.summary.ends_with('.'));
    const bool is_search = entry.info.name == "brkga" || entry.info.name == "simulated_annealing";
    EXPECT_EQ(entry.info.kind == AgentKind::kSearch, is_search);
  }
}

TEST(RegistryTest, AnUnknownAgentIsRefusedWithTheNamesThatExist) {
  const std::string message = MessageOf("hetf", {});
  EXPECT_THAT(message, HasSubstr("did you mean \"heft\"?"));
  EXPECT_THAT(message, HasSubstr("simulated_annealing"));
}

TEST(RegistryTest, AnUnknownOptionIsRefused) {
  Options options;
  options.Set("coolign", 0.9);
  EXPECT_THAT(MessageOf("simulated_annealing", options), HasSubstr("did you mean \"cooling\"?"));
  EXPECT_THAT(MessageOf("single_device", options), HasSubstr("it takes none"));
}

TEST(RegistryTest, AnOptionOutOfRangeIsRefused) {
  Options cooling;
  cooling.Set("cooling", 1.5);
  EXPECT_THAT(MessageOf("simulated_annealing", cooling), HasSubstr("cooling"));
  Options population;
  population.Set("population", std::int64_t{1});
  EXPECT_THAT(MessageOf("brkga", population), HasSubstr("population"));
  Options rule;
  rule.Set("group_rule", std::string("last_op"));
  EXPECT_THAT(MessageOf("heft", rule), HasSubstr("first_op"));
}

TEST(RegistryTest, AnAgentThatDecidesNoOpenTaskHasAProblem) {
  const AgentInfo metis = ClassicalAgents().Get("metis").info;
  EXPECT_EQ(FindTaskProblem(metis, {.placement = false, .fusion = true}),
            "agent metis decides placement, scheduling; the open tasks are fusion");
  EXPECT_EQ(FindTaskProblem(metis, {.placement = true, .fusion = true}), std::nullopt);
}

TEST(RegistryTest, ChecksAddUpAsAgentsDo) {
  const AgentCheck check{.name = "LibTorch", .look = [] { return std::string("there"); }};
  const AgentRegistry both = ClassicalAgents() + AgentRegistry({}, {check});
  ASSERT_EQ(both.checks().size(), 1U);
  EXPECT_EQ(both.checks().front().look(), "there");
}

TEST(RegistryTest, TwoAgentsOfOneNameAreOurMistake) {
  EXPECT_THROW(AgentRegistry({RandomEntry(), RandomEntry()}), InternalError);
}

}  // namespace
}  // namespace opyard::agents
