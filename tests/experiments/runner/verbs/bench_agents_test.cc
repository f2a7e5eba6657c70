#include "experiments/runner/verbs/bench_agents.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agents/registry.h"

namespace opyard::experiments {
namespace {

struct Printed {
  int status = 0;
  std::string out;
};

Printed Bench(const BenchAgentsOptions& options, const InterruptFlag& interrupt) {
  std::ostringstream out;
  std::ostringstream err;
  const agents::AgentRegistry agents = agents::ClassicalAgents();
  const Console console{.out = out, .err = err, .interrupt = interrupt, .agents = agents};
  return {.status = BenchAgents(options, console), .out = out.str()};
}

TEST(BenchAgentsTest, PrintsEveryAgentOnEveryKindOfProblem) {
  const Printed printed = Bench({.json = true, .num_ops = 60}, InterruptFlag());
  ASSERT_EQ(printed.status, kSuccess);
  const nlohmann::json json = nlohmann::json::parse(printed.out);
  ASSERT_EQ(json.size(), 8U);  // 2 agents × 2 fusions × decisions per group and per op
  EXPECT_EQ(json[0].at("agent"), "heft");
  EXPECT_EQ(json[0].at("fusion"), "none");
  EXPECT_EQ(json[0].at("decide_per"), "group");
  EXPECT_EQ(json[7].at("agent"), "metis");
  EXPECT_EQ(json[7].at("fusion"), "framework");
  EXPECT_EQ(json[7].at("decide_per"), "op");
  for (const nlohmann::json& speed : json) {
    EXPECT_EQ(speed.at("devices"), 8);
    EXPECT_EQ(speed.at("threads"), 1);
    EXPECT_GT(speed.at("ops"), 0);
    EXPECT_GT(speed.at("evaluations"), 0);
    EXPECT_GT(speed.at("seconds"), 0.0);
    EXPECT_GT(speed.at("cpu_seconds"), 0.0);
  }
}

TEST(BenchAgentsTest, AnInterruptEndsIt) {
  InterruptFlag interrupt;
  interrupt.Raise();
  const Printed printed = Bench({.num_ops = 60}, interrupt);
  EXPECT_EQ(printed.status, kInterrupted);
  EXPECT_EQ(printed.out, "");
}

}  // namespace
}  // namespace opyard::experiments
