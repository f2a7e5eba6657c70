// Hostile and broken agents: every one of them is one clear end of one search.
#include "experiments/external/external_agent.h"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/base/agent_failure.h"
#include "experiments/external/python_agents.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/experiments/external/shell_child.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using testing::Send;
using testing::SendText;
using testing::Shell;
using testing::Workplace;

constexpr const char* kOnFirst =
    R"({"placement":[0,0,0],"queue":"fifo","op_priority":[],"transfer_priority":[],)"
    R"("fusion_priority":[]})";
constexpr const char* kOnBoth =
    R"({"placement":[0,0,1],"queue":"fifo","op_priority":[],"transfer_priority":[],)"
    R"("fusion_priority":[]})";
constexpr const char* kOnNone =
    R"({"placement":[0,0,2],"queue":"fifo","op_priority":[],"transfer_priority":[],)"
    R"("fusion_priority":[]})";
// Reads and drops what it is sent until opyard closes the channel.
constexpr const char* kListen = "cat <&3 >/dev/null";
constexpr const char* kDone = R"({"done":true})";

std::string Evaluate(const std::string& plans) {
  return SendText(R"({"evaluate":[)" + plans + "]}");
}

// The outcome of a search by a script.
struct Outcome {
  std::string failure;
  std::string account;
  std::int64_t evaluations = 0;
  std::int64_t num_in_history = 0;
  std::optional<double> best_s;
  double cpu_seconds = 0.0;
};

class ExternalAgentTest : public ::testing::Test {
 protected:
  Outcome Run(const std::string& script, double timeout_s = 20.0) {
    ExternalAgent agent({.name = "x:Y",
                         .command = Shell(script + kListen),
                         .reference = "x:Y",
                         .params = {},
                         .timeout_s = timeout_s,
                         .memory_bytes = 1});
    env::Evaluator evaluator(problem_, {.budget = budget_, .interrupt = &interrupt_});
    Rng rng(1);
    Outcome outcome;
    try {
      agent.Search(*problem_,
                   evaluator,
                   rng,
                   {.report = [&](const std::string& text) { outcome.account = text; },
                    .add_cpu_seconds = [&](double seconds) { outcome.cpu_seconds += seconds; }});
    } catch (const agents::AgentFailure& error) {
      outcome.failure = error.what();
    }
    outcome.evaluations = evaluator.num_evaluations();
    outcome.num_in_history = static_cast<std::int64_t>(evaluator.history().size());
    if (evaluator.best().has_value()) {
      outcome.best_s = evaluator.best()->evaluation.result.makespan.seconds();
    }
    return outcome;
  }

  Workplace place_;
  std::shared_ptr<const env::Problem> problem_ = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = sim::ReadGraphFile(place_.Path("toy.graph.json")),
                       .hardware = sim::LoadMachine(place_.Path("machines/two.yaml")),
                       .settings = {.tasks = {.placement = true}}});
  env::Budget budget_{.evaluations = 4};
  InterruptFlag interrupt_;
};

TEST_F(ExternalAgentTest, PlansAreEvaluatedAndCountedHere) {
  const Outcome outcome = Run(Evaluate(std::string(kOnFirst) + "," + kOnBoth) + SendText(kDone));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.evaluations, 2);
  EXPECT_EQ(outcome.num_in_history, 2);
  // One device: 2 + 3 + 5 ms. Two: a 2, then b 3 beside a copy of 1 ms and c 5: 2 + 1 + 5.
  EXPECT_EQ(outcome.best_s, 0.008);
  EXPECT_GT(outcome.cpu_seconds, 0.0);
}

TEST_F(ExternalAgentTest, NothingIsEvaluatedPastTheBudget) {
  const std::string three = std::string(kOnFirst) + "," + kOnFirst + "," + kOnFirst;
  const Outcome outcome =
      Run(Evaluate(three) + Evaluate(three) + Evaluate(kOnBoth) + SendText(kDone));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.evaluations, 4);
  EXPECT_EQ(outcome.best_s, 0.010);  // the better plan came too late
}

TEST_F(ExternalAgentTest, PlansAfterAnIllegalOneAreNotEvaluated) {
  const Outcome outcome =
      Run(Evaluate(std::string(kOnFirst) + "," + kOnNone + "," + kOnBoth) + SendText(kDone));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.evaluations, 1);
  EXPECT_EQ(outcome.best_s, 0.010);
}

TEST_F(ExternalAgentTest, WhatWasFoundBeforeAFailureStays) {
  const Outcome outcome = Run(Evaluate(kOnBoth) + SendText(R"({"failed":"Oops: two\nlines"})"));
  EXPECT_EQ(outcome.failure, "agent x:Y failed: Oops: two?lines");
  EXPECT_EQ(outcome.evaluations, 1);
  EXPECT_EQ(outcome.best_s, 0.008);
}

TEST_F(ExternalAgentTest, AnEndBeforeTheEndIsAFailure) {
  EXPECT_EQ(Run("exit 3; ").failure, "agent x:Y ended with exit code 3 before its search was over");
  EXPECT_EQ(Run("kill -SEGV $$; ").failure,
            "agent x:Y ended by signal 11 (Segmentation fault) before its search was over");
}

TEST_F(ExternalAgentTest, AnEndIsSeenThoughAnotherProcessHoldsTheSocket) {
  EXPECT_EQ(Run("sleep 600 & exit 3; ").failure,
            "agent x:Y ended with exit code 3 before its search was over");
}

TEST_F(ExternalAgentTest, WhatIsNoMessageIsAFailure) {
  // Four letters as a length: "garb" = 0x62726167.
  EXPECT_EQ(Run(Send("garbage") + "sleep 60; ").failure,
            "agent x:Y announced a message of 1651663207 bytes, expected at most 134217728");
  EXPECT_THAT(Run(SendText("garbage") + "sleep 60; ").failure,
              HasSubstr("agent x:Y sent what is no message of an agent: message"));
  EXPECT_THAT(Run(SendText(R"({"description":{"tasks":["fusion"],"summary":"s","options":[]}})") +
                  "sleep 60; ")
                  .failure,
              HasSubstr("described itself in the middle of a search"));
}

TEST_F(ExternalAgentTest, SilenceIsAFailure) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string expected =
      "agent x:Y said nothing for 0.3 s (its parameter timeout_s) and was ended";
  EXPECT_EQ(Run("sleep 600; ", 0.3).failure, expected);
  // Bytes that never become a message are silence, too.
  const std::string drip = "while true; do printf x >&3; sleep 0.02; done; ";
  EXPECT_EQ(Run(Send(std::string("\0\0\1\0", 4)) + drip, 0.3).failure, expected);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ExternalAgentTest, WhoDoesNotStopAtTheEndOfTheBudgetIsEndedWithWhatItFound) {
  const auto begin = std::chrono::steady_clock::now();
  budget_ = {.evaluations = 1};
  const Outcome outcome = Run(Evaluate(kOnBoth) + "sleep 600; ");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.account, "agent x:Y was ended 5 s after its budget was spent");
  EXPECT_EQ(outcome.best_s, 0.008);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(ExternalAgentTest, AnInterruptEndsItSoon) {
  const auto begin = std::chrono::steady_clock::now();
  std::jthread interrupter([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupt_.Raise();
  });
  const Outcome outcome = Run("sleep 600; ", 600.0);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.account, "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// A registry whose host of Python agents is a script.
agents::AgentRegistry RegistryOf(const std::string& script) {
  return agents::ClassicalAgents() +
         PythonAgents({.command = Shell(script), .installed = {{"installed", "pkg.mod:Agent"}}});
}

constexpr const char* kDescription =
    R"({"description":{"tasks":["placement"],"summary":"Tries.","options":[)"
    R"({"name":"rounds","default":3,"range":[1,9]},{"name":"seed_of","default":7}]}})";

TEST(PythonAgentsTest, NamesThatSayWhereAnAgentIsAreLoadedWhenTheyAreAskedFor) {
  const agents::AgentRegistry registry = RegistryOf(SendText(kDescription));
  EXPECT_FALSE(registry.Knows("pkg"));
  EXPECT_FALSE(registry.Knows("pkg:"));
  EXPECT_TRUE(registry.Knows("pkg.mod:Other"));
  EXPECT_THAT(registry.Names(), ::testing::Contains("installed"));
  const agents::AgentInfo& info = registry.Get("installed").info;
  EXPECT_EQ(info.name, "installed");
  EXPECT_EQ(info.summary, "Tries.");
  ASSERT_EQ(info.options.size(), 4U);
  EXPECT_EQ(info.options[2].name, "timeout_s");
  EXPECT_EQ(info.options[3].name, "memory_gib");
  EXPECT_EQ(&registry.Get("installed").info, &info);  // loaded once
}

TEST(PythonAgentsTest, ParametersAreCheckedBeforeAnySearch) {
  const agents::AgentRegistry registry = RegistryOf(SendText(kDescription));
  const auto refusal = [&](const std::string& name, OptionValue value) -> std::string {
    try {
      static_cast<void>(registry.Make("a:B", Options({{name, std::move(value)}})));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("rounds", std::int64_t{9}), "");
  EXPECT_EQ(refusal("seed_of", std::int64_t{-1000}), "");
  EXPECT_EQ(refusal("timeout_s", 0.5), "");
  EXPECT_THAT(refusal("rounds", std::int64_t{10}), HasSubstr("rounds"));
  EXPECT_THAT(refusal("rounds", std::string("many")), HasSubstr("rounds"));
  EXPECT_THAT(refusal("memory_gib", 0.0), HasSubstr("memory_gib"));
  EXPECT_THAT(refusal("round", std::int64_t{1}), HasSubstr("round"));
}

TEST(PythonAgentsTest, WhatCannotBeLoadedSaysWhyEachTime) {
  const auto refusal = [](const agents::AgentRegistry& registry) -> std::string {
    try {
      static_cast<void>(registry.Get("a:B"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const agents::AgentRegistry refused = RegistryOf(SendText(R"({"failed":"one\ntwo"})"));
  EXPECT_EQ(refusal(refused), "agent a:B: one\nagent a:B: two");
  EXPECT_EQ(refusal(refused), refusal(refused));
  EXPECT_EQ(refusal(RegistryOf("exit 4")),
            "agent a:B: its process ended with exit code 4 while it was loaded");
  EXPECT_EQ(refusal(agents::ClassicalAgents() + PythonAgents({})),
            "agent a:B: agents in Python need the command opyard of the Python package: "
            "python -m opyard");
}

TEST(PythonAgentsTest, ACellWhoseAgentBreaksFailsAndTheOthersGoOn) {
  const Workplace place;
  // Whatever it is asked, it describes itself: no answer to a search.
  const testing::Ended ended = place.RunExperiment(
      {"--set", "agents=['a:B', single_device]", "--set", "seeds=[0]", "--json"},
      RegistryOf(SendText(kDescription) + "sleep 60"));
  ASSERT_EQ(ended.err, "");
  const nlohmann::json cells = ended.Json()["cells"];
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0]["agent"], "a:B");
  EXPECT_EQ(cells[0]["status"], "failed");
  EXPECT_EQ(cells[0]["outcome"], "agent_failed");
  EXPECT_TRUE(cells[0]["makespan_s"].is_null());
  EXPECT_EQ(cells[1]["status"], "done");
  const testing::Ended shown =
      testing::RunCommand({"results", "show", place.Path("results"), "--json"});
  EXPECT_THAT(shown.Json()["cells"][0]["failure"].get<std::string>(),
              ::testing::StartsWith("agent a:B"));
}

}  // namespace
}  // namespace opyard::experiments
