#include "experiments/cli/bench/agents.h"

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
  const Printed printed = Bench(
      {.json = true, .num_ops = 60, .num_genetic_ops = 60, .num_decodes = 150}, InterruptFlag());
  ASSERT_EQ(printed.status, kSuccess);
  const nlohmann::json json = nlohmann::json::parse(printed.out);
  // 2 agents × 2 fusions × decisions per group and per op; genes of copies or none × 1 or 2 threads
  ASSERT_EQ(json.size(), 8U + 4U);
  EXPECT_EQ(json[0].at("agent"), "heft_aware");
  EXPECT_EQ(json[0].at("fusion"), "none");
  EXPECT_EQ(json[0].at("decide_per"), "group");
  EXPECT_EQ(json[7].at("agent"), "metis");
  EXPECT_EQ(json[7].at("fusion"), "framework");
  EXPECT_EQ(json[7].at("decide_per"), "op");
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(json[i].at("devices"), 8);
    EXPECT_EQ(json[i].at("threads"), 1);
    EXPECT_FALSE(json[i].contains("runs_seconds"));
  }
  for (const nlohmann::json& speed : json) {
    EXPECT_GT(speed.at("ops"), 0);
    EXPECT_GT(speed.at("evaluations"), 0);
    EXPECT_GT(speed.at("seconds"), 0.0);
    EXPECT_GT(speed.at("cpu_seconds"), 0.0);
  }
}

TEST(BenchAgentsTest, PrintsTheGeneticAlgorithmBesideItsRuns) {
  const Printed printed = Bench(
      {.json = true, .agents = {}, .num_genetic_ops = 60, .num_decodes = 150}, InterruptFlag());
  const nlohmann::json json = nlohmann::json::parse(printed.out);
  ASSERT_EQ(json.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(json[i].at("agent"), "brkga");
    EXPECT_EQ(json[i].at("devices"), 2);
    EXPECT_EQ(json[i].at("fusion"), "none");
    EXPECT_EQ(json[i].at("evaluations"), 150);
    EXPECT_EQ(json[i].at("threads"), i % 2 + 1);
    EXPECT_EQ(json[i].at("params").at("transfer_genes"), i >= 2);
    EXPECT_GT(json[i].at("runs_seconds"), 0.0);
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
