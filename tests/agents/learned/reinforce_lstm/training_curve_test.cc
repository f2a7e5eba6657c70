// The training curve of reinforce_lstm, from the agent through the runner into the result store.
#include <cmath>

#include <gtest/gtest.h>

#include "agents/learned/learned_agents.h"
#include "experiments/store/result_store.h"
#include "experiments/store/sqlite.h"
#include "tests/agents/problems.h"
#include "tests/experiments/workplace.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using experiments::OpenMode;
using experiments::ResultStore;
using experiments::StoredRun;
using experiments::testing::Ended;
using experiments::testing::Workplace;

// 22 evaluations with 4 samples per update: 5 updates with 4, and one with the 2 that are left.
Ended RunLearner(const Workplace& place, const std::vector<std::string>& more = {}) {
  std::vector<std::string> args = {
      "--set",
      "agents=[{name: reinforce_lstm, params: {grouping: problem, start: network}}]",
      "--set",
      "budget.evaluations=22"};
  args.insert(args.end(), more.begin(), more.end());
  return place.RunExperiment(args, LearnedAgents() + ClassicalAgents());
}

std::vector<TrainingRow> CurveOf(const Workplace& place, std::size_t run) {
  ResultStore store = ResultStore::OpenToRead(place.Path("results"));
  return store.TrainingOf(store.Runs().at(run).id);
}

TEST(TrainingCurveTest, TheStoreHoldsOnePointPerUpdate) {
  const Workplace place;
  const Ended ended = RunLearner(place);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<TrainingRow> curve = CurveOf(place, 0);
  ASSERT_EQ(curve.size(), 6U);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto update = static_cast<std::int64_t>(i) + 1;
    EXPECT_EQ(curve[i].num_updates, update);
    EXPECT_EQ(curve[i].evaluations, std::min<std::int64_t>(4 * update, 22));
    EXPECT_EQ(curve[i].values.at("completed"), 1.0);
    EXPECT_LT(curve[i].values.at("mean_reward"), 0.0);
    EXPECT_GT(curve[i].values.at("gradient_norm"), 0.0);
    EXPECT_TRUE(curve[i].values.contains("loss"));
    EXPECT_TRUE(curve[i].values.contains("baseline"));
    EXPECT_EQ(curve[i].values.at("restarts"), 0.0);
    EXPECT_FALSE(curve[i].values.contains("kl"));
  }
  ResultStore store = ResultStore::OpenToRead(place.Path("results"));
  EXPECT_EQ(curve.back().values.at("best_makespan_s"),
            store.Runs().at(0).record.makespan->seconds());
}

TEST(TrainingCurveTest, PpoReportsHowManyStepsItMadeAndHowFarTheyLed) {
  const Workplace place;
  const std::string agents =
      "agents=[{name: reinforce_lstm, params: {start: network, algorithm: ppo, n_epochs: 2, "
      "num_minibatches: 2, target_kl: 0}}]";
  ASSERT_EQ(RunLearner(place, {"--set", agents}).status, 0);
  for (const TrainingRow& row : CurveOf(place, 0)) {
    EXPECT_EQ(row.values.at("steps"), 4.0);
    EXPECT_GE(row.values.at("kl"), 0.0);
  }
}

// The first policy is nearly uniform over the two devices: ln 2 nats per decision. Two logits that
// differ by δ take about δ²/8 off it, and 0.05 allows δ = 0.6; they lie within ±5.
TEST(TrainingCurveTest, EntropyStartsAtTheLogarithmOfTheNumberOfDevices) {
  const Workplace place;
  ASSERT_EQ(RunLearner(place).status, 0);
  for (std::size_t run = 0; run < 2; ++run) {
    const double entropy = CurveOf(place, run).front().values.at("entropy");
    EXPECT_LE(entropy, std::log(2.0) + 1e-6);  // float32
    EXPECT_GT(entropy, std::log(2.0) - 0.05);
  }
}

// 4 of 22 evaluations are gone before the second update; the weight falls over 0.8 of them.
TEST(TrainingCurveTest, TheWeightOfTheEntropyFollowsTheBudget) {
  const Workplace place;
  const std::string agents =
      "agents=[{name: reinforce_lstm, params: {start: network, entropy: 2.0, entropy_share: 0.8}}]";
  ASSERT_EQ(RunLearner(place, {"--set", agents}).status, 0);
  const std::vector<TrainingRow> curve = CurveOf(place, 0);
  EXPECT_EQ(curve[0].values.at("entropy_weight"), 2.0);
  EXPECT_DOUBLE_EQ(curve[1].values.at("entropy_weight"), 2.0 * (1.0 - 4.0 / 22.0 / 0.8));
  EXPECT_EQ(curve.back().values.at("entropy_weight"), 0.0);  // 20 / 22 is beyond 0.8
}

TEST(TrainingCurveTest, ARunThatIsMadeAgainOnResumeHasTheSameCurve) {
  const Workplace place;
  ASSERT_EQ(RunLearner(place).status, 0);
  const std::vector<TrainingRow> kept = CurveOf(place, 0);
  const std::vector<TrainingRow> before = CurveOf(place, 1);
  experiments::Database(place.Path("results/results.sqlite"), OpenMode::kReadWrite)
      .Execute("DELETE FROM runs WHERE seed = 1");
  ASSERT_EQ(RunLearner(place, {"--resume"}).status, 0);
  EXPECT_EQ(CurveOf(place, 0), kept);
  const std::vector<TrainingRow> after = CurveOf(place, 1);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].num_updates, before[i].num_updates);
    EXPECT_EQ(after[i].values, before[i].values);
  }
}

TEST(TrainingCurveTest, ListeningChangesNothingInTheSearch) {
  const auto problem = testing::ConformanceProblems(testing::kPlacement).back().problem;
  std::vector<sim::Plan> plans;
  std::int64_t num_points = 0;
  for (const TrainingListener& listener :
       {TrainingListener(), TrainingListener([&](const TrainingPoint&) { ++num_points; })}) {
    env::Evaluator evaluator(problem, {.budget = {.evaluations = 40}});
    Rng rng(3);
    LearnedAgents()
        .Make("reinforce_lstm", Options({{"start", std::string("network")}}))
        ->Search(*problem, evaluator, rng, {.start = {}, .listener = listener});
    plans.push_back(evaluator.best()->plan);
  }
  EXPECT_EQ(plans[0], plans[1]);
  EXPECT_EQ(num_points, 10);  // 40 evaluations, 4 per update
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
