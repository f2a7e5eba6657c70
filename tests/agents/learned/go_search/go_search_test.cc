// The agent go_search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go_search {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;
using testing::UnevenOp;

// Six ops on two devices that differ.
std::shared_ptr<const env::Problem> SixOps(env::TaskSet tasks = testing::kPlacement) {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                 UnevenOp("b", {11, 5}, {{0, 0}}),
                                                 UnevenOp("c", {2, 13}, {{0, 0}}),
                                                 UnevenOp("d", {6, 4}, {{1, 0}, {2, 0}}),
                                                 UnevenOp("e", {5, 6}, {{2, 0}}),
                                                 UnevenOp("f", {4, 2}, {{3, 0}, {4, 0}})}),
                     opyard::testing::MeshMachine(2),
                     tasks);
}

Options Small(std::map<std::string, OptionValue> more) {
  more.merge(std::map<std::string, OptionValue>{
      {"hidden", std::int64_t{8}}, {"heads", std::int64_t{2}}, {"batch_size", std::int64_t{4}}});
  return Options(std::move(more));
}

std::vector<SimTime> Makespans(const Outcome& outcome) {
  std::vector<SimTime> makespans;
  for (const env::HistoryPoint& point : outcome.history) {
    makespans.push_back(point.result.makespan);
  }
  return makespans;
}

TEST(GoSearchAgentTest, WithTheWholeBudgetItIsGo) {
  const auto problem = SixOps();
  const Outcome whole = RunAgent(
      "go_search",
      problem,
      {.evaluations = 40, .options = Small({{"share", 1.0}, {"mode", std::string("one")}})});
  const Outcome go = RunAgent(
      "go", problem, {.evaluations = 40, .options = Small({{"start", std::string("network")}})});
  EXPECT_EQ(Makespans(whole), Makespans(go));
  EXPECT_EQ(whole.num_evaluations, 40);
}

TEST(GoSearchAgentTest, WhatIsLeftOfTheBudgetIsTheSearchs) {
  for (const char* search : {"local_search", "simulated_annealing"}) {
    for (const env::TaskSet tasks :
         {testing::kPlacement, testing::kScheduling, testing::kFusion, testing::kAll}) {
      const Outcome outcome =
          RunAgent("go_search",
                   SixOps(tasks),
                   {.evaluations = 60, .options = Small({{"search", std::string(search)}})});
      EXPECT_EQ(outcome.num_evaluations, 60);
      ASSERT_TRUE(outcome.best.has_value());
    }
  }
}

// The best of 2^6 placements, from each of ten seeds.
TEST(GoSearchAgentTest, AtItsDefaultsItMeetsTheBestPlacement) {
  const auto problem = SixOps();
  const SimTime optimum = testing::BestMakespanByBruteForce(problem);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Outcome outcome = RunAgent("go_search", problem, {.evaluations = 300, .seed = seed});
    EXPECT_EQ(outcome.best->evaluation.result.makespan, optimum) << seed;
  }
}

TEST(GoSearchAgentTest, HeadsThatDoNotDivideTheWidthAreRefused) {
  try {
    static_cast<void>(
        RunAgent("go_search", SixOps(), {.options = Small({{"heads", std::int64_t{3}}})}));
    FAIL() << "three heads of eight columns were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("heads: found 3, expected a divisor of 8"));
  }
}

}  // namespace
}  // namespace opyard::agents::go_search
