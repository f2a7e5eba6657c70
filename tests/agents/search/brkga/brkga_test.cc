#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/simple_plans.h"
#include "agents/search/brkga/decoder.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

constexpr DeviceId kD0{std::int32_t{0}};
constexpr DeviceId kD1{std::int32_t{1}};
constexpr DeviceId kD2{std::int32_t{2}};

std::shared_ptr<const env::Problem> TwoOpsOneOnTheHost(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("host", 3)};
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  return MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2), tasks);
}

TEST(KeyDecoderTest, AGroupGoesToItsGreatestLegalAffinity) {
  const auto problem = TwoOpsOneOnTheHost(testing::kBoth);
  const KeyDecoder decoder(*problem);
  ASSERT_EQ(decoder.num_keys(), 2U * 3 + 2);
  const Chromosome keys{0.2F, 0.9F, 0.3F, 0.8F, 0.7F, 0.1F, 0.4F, 0.6F};
  const Decisions decisions = decoder.Decode(keys);
  EXPECT_THAT(decisions.device_of_group, ElementsAre(kD1, kD2));
  EXPECT_THAT(decisions.priority_of_group, ElementsAre(0, 1));
}

TEST(KeyDecoderTest, EqualAffinitiesGoToTheFirstDevice) {
  const auto problem = TwoOpsOneOnTheHost(testing::kPlacement);
  const Chromosome keys(6, 0.5F);
  EXPECT_THAT(KeyDecoder(*problem).Decode(keys).device_of_group, ElementsAre(kD0, kD2));
}

TEST(KeyDecoderTest, FusionKeysAreTwentyLevelsOfEqualWidth) {
  const auto problem = TwoOpsOneOnTheHost(testing::kFusion);
  // Level 0, which declines, below 1/20; level 19 from 19/20.
  EXPECT_THAT(KeyDecoder(*problem).Decode(Chromosome{0.049F, 0.951F}).fusion_of_group,
              ElementsAre(0, 19));
  EXPECT_THAT(KeyDecoder(*problem).Decode(Chromosome{0.051F, 0.949F}).fusion_of_group,
              ElementsAre(1, 18));
}

TEST(KeyDecoderTest, EncodedFusionLevelsDecodeToThemselves) {
  const auto problem = TwoOpsOneOnTheHost(testing::kFusion);
  const KeyDecoder decoder(*problem);
  Rng rng(1);
  for (std::int32_t level = 0; level < kNumFusionLevels; ++level) {
    const Decisions decisions{.fusion_of_group = {level, kNumFusionLevels - 1 - level}};
    EXPECT_EQ(decoder.Decode(decoder.Encode(decisions, rng)).fusion_of_group,
              decisions.fusion_of_group);
  }
}

TEST(KeyDecoderTest, HasKeysForOpenTasksOnly) {
  EXPECT_EQ(KeyDecoder(*TwoOpsOneOnTheHost(testing::kPlacement)).num_keys(), 6U);
  EXPECT_EQ(KeyDecoder(*TwoOpsOneOnTheHost(testing::kScheduling)).num_keys(), 2U);
}

TEST(KeyDecoderTest, EncodedStartsDecodeToThemselves) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const KeyDecoder decoder(*named.problem);
    Rng rng(1);
    for (const Decisions& start : SimpleStarts(*named.problem, 20)) {
      const Decisions decoded = decoder.Decode(decoder.Encode(start, rng));
      EXPECT_EQ(decoded.device_of_group, start.device_of_group);
      for (std::size_t i = 0; i < start.priority_of_group.size(); ++i) {
        for (std::size_t j = 0; j < start.priority_of_group.size(); ++j) {
          if (start.priority_of_group[i] < start.priority_of_group[j]) {
            EXPECT_LT(decoded.priority_of_group[i], decoded.priority_of_group[j]);
          }
        }
      }
    }
  }
}

// Batch sizes as the evaluator saw them.
std::vector<std::int64_t> Batches(std::int64_t evaluations) {
  const auto problem = testing::ConformanceProblems(testing::kBoth).back().problem;
  std::vector<std::int64_t> batches;
  std::int64_t before = 0;
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = evaluations}, .on_progress = [&](const env::Evaluator& progress) {
         batches.push_back(progress.num_evaluations() - before);
         before = progress.num_evaluations();
       }});
  Rng rng(1);
  ClassicalAgents().Make("brkga", {})->Search(*problem, evaluator, rng, {});
  return batches;
}

TEST(BrkgaTest, ElitesAreNotJudgedAgain) {
  // 100 + 80·k: 2100 = 100 + 25·80.
  const std::vector<std::int64_t> batches = Batches(2100);
  ASSERT_EQ(batches.size(), 26U);
  EXPECT_EQ(batches[0], 100);
  for (std::size_t i = 1; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i], 80);
  }
}

TEST(BrkgaTest, ASmallBudgetGetsASmallPopulation) {
  // A twentieth of 500: 25, of which 5 are elites: 25 + 23·20 = 485, and 15 of the next 20.
  const std::vector<std::int64_t> batches = Batches(500);
  ASSERT_EQ(batches.size(), 25U);
  EXPECT_EQ(batches[0], 25);
  EXPECT_EQ(batches[1], 20);
  EXPECT_EQ(batches.back(), 15);
  // Never below 20.
  EXPECT_EQ(Batches(30), (std::vector<std::int64_t>{20, 10}));
}

TEST(BrkgaTest, FindsTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 8) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent("brkga", named.problem, {.evaluations = 1300});
    EXPECT_EQ(outcome.best->evaluation.result.makespan,
              testing::BestMakespanByBruteForce(named.problem));
  }
}

TEST(BrkgaTest, FindsTheBestPlacementFromRandomKeysAlone) {
  Options options;
  options.Set("start", std::string("random"));
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 6; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(3));
  const Outcome outcome = RunAgent("brkga", problem, {.evaluations = 1300, .options = options});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, testing::BestMakespanByBruteForce(problem));
}

TEST(BrkgaTest, DoesNotLoseToOneDevice) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const Outcome alone = RunAgent("single_device", named.problem, {});
    const Outcome bred = RunAgent("brkga", named.problem, {.evaluations = 20});
    EXPECT_LE(bred.best->evaluation.score, alone.best->evaluation.score);
  }
}

}  // namespace
}  // namespace opyard::agents
