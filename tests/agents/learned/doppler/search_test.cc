// The agent `doppler` on one problem: that it imitates, and that it learns.
#include "agents/learned/doppler/search.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "sim/plan/plan.h"
#include "tests/agents/learned/doppler/doppler_problems.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::doppler {
namespace {

using testing::DenseInstance;
using testing::Outcome;
using testing::RunAgent;

class DopplerSearchTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

// The number of the last 80 plans of 600 that take no longer than any plan does; nothing is known
// at the start. 8 ops on 2 devices: 256 placements.
int NumOptimal(std::uint64_t seed, Stages stages) {
  const auto problem = DenseInstance(seed, 8, 2);
  const SimTime optimum = testing::BestMakespanByBruteForce(problem);
  int num_evaluated = 0;
  int num_optimal = 0;
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = 600},
       .on_evaluation = [&](const sim::Plan&, const env::Evaluation& evaluation) {
         const bool is_late = ++num_evaluated > 520;
         num_optimal += is_late && evaluation.result.makespan == optimum ? 1 : 0;
       }});
  TrainingOptions options;
  options.stages = stages;
  options.restart_updates = 0;  // the last plans are to be of one policy
  Search search(*problem, options, seed);
  while (search.Update(evaluator).has_value()) {
  }
  return num_optimal;
}

TEST_F(DopplerSearchTest, ItLearnsToSampleAnOptimalPlanAndWithoutLearningDoesNot) {
  int learnt = 0;
  int not_learnt = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    learnt += NumOptimal(seed, Stages::kSimulation) >= 40 ? 1 : 0;
    not_learnt += NumOptimal(seed, Stages::kNone) >= 40 ? 1 : 0;
  }
  EXPECT_GE(learnt, 3);
  EXPECT_EQ(not_learnt, 0);
}

// The share of 10 ops whose likeliest device and node by a policy are the teacher's.
double ShareLikeTheTeacher(Search& search) {
  Rng rng(1);
  const auto episodes = Play(search.view(),
                             search.learner().policy(),
                             {.exploration = Exploration::kEpsilonGreedy},
                             1,
                             rng);
  const Episode& episode = episodes.front();
  const std::int64_t num_devices = search.view().graph.num_devices;
  double num_like = 0.0;
  for (std::size_t step = 0; step < episode.nodes.size(); ++step) {
    num_like +=
        episode.is_critical[static_cast<std::size_t>(episode.first[step] + episode.columns[step])];
    num_like += episode.is_earliest[step * static_cast<std::size_t>(num_devices) +
                                    static_cast<std::size_t>(episode.devices[step])];
  }
  return num_like / (2.0 * static_cast<double>(episode.nodes.size()));
}

TEST_F(DopplerSearchTest, ImitationMakesTheTeachersChoicesTheLikeliestWithoutAnEvaluation) {
  const auto problem = DenseInstance(1, 16, 3);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 8}});
  TrainingOptions options;
  options.imitation.num_updates = 100;
  Search search(*problem, options, 2);
  const double before = ShareLikeTheTeacher(search);
  search.Imitate(evaluator);
  EXPECT_EQ(evaluator.num_evaluations(), 0);
  EXPECT_GE(ShareLikeTheTeacher(search), 0.9);
  EXPECT_LT(before, 0.75);
}

// On a machine whose links are slow, any plan of one device is better than the list schedule of the
// teacher, which does not see that its transfers wait for each other.
TEST_F(DopplerSearchTest, WhereAnEvaluatedPlanIsBetterThanTheListScheduleItIsImitated) {
  std::vector<sim::OpSpec> ops = {
      opyard::testing::TimedOp("root", 1, {}, {1000, 1000, 1000, 1000})};
  for (std::int64_t i = 0; i < 12; ++i) {
    ops.push_back(opyard::testing::TimedOp("leaf" + std::to_string(i), 3, {{0, i % 4}}, {4000}));
  }
  std::vector<sim::InputRef> all;
  for (std::int64_t i = 1; i <= 12; ++i) {
    all.push_back({i, 0});
  }
  ops.push_back(opyard::testing::TimedOp("end", 1, all));
  const auto problem = testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                                            opyard::testing::BusMachine(4));
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 20}});
  evaluator.Evaluate(sim::Plan{.placement = sim::OpPlacement(14, DeviceId(2))});
  TrainingOptions options;
  options.imitation.num_updates = 100;
  Search search(*problem, options, 2);
  search.Imitate(evaluator);
  EXPECT_EQ(evaluator.num_evaluations(), 3);  // the plan, the list schedule, the plan again
  Rng rng(1);
  const auto episodes = Play(search.view(),
                             search.learner().policy(),
                             {.exploration = Exploration::kEpsilonGreedy},
                             1,
                             rng);
  // The devices are equal: any of them may be the one.
  const std::vector<std::int64_t>& devices = episodes.front().devices;
  EXPECT_EQ(devices, std::vector<std::int64_t>(14, devices.front()));
}

TEST_F(DopplerSearchTest, WithOneSampleEachEvaluationIsAnUpdate) {
  const auto problem = DenseInstance(1, 6, 2);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 12}});
  TrainingOptions options;
  options.advantage = Advantage::kAverageCost;
  options.batch_size = 1;
  Search search(*problem, options, 2);
  int num_updates = 0;
  while (const auto report = search.Update(evaluator)) {
    ++num_updates;
    EXPECT_EQ(report->rewards.size(), 1U);
  }
  EXPECT_EQ(num_updates, 12);
}

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(DopplerTest, WeightsServeAnotherGraphAndMachine) {
  const opyard::testing::TemporaryFolder folder;
  Options saves;
  saves.Set("hidden", std::int64_t{8});
  saves.Set("save", (folder.path() / "first").string());
  static_cast<void>(
      RunAgent("doppler", DenseInstance(1, 6, 2), {.evaluations = 40, .options = saves}));
  Options begins;
  begins.Set("checkpoint", (folder.path() / "first").string());
  begins.Set("save", (folder.path() / "second").string());
  begins.Set("stages", std::string("none"));
  static_cast<void>(
      RunAgent("doppler", DenseInstance(2, 9, 3), {.evaluations = 20, .options = begins}));
  EXPECT_EQ(BytesOf(folder.path() / "second"), BytesOf(folder.path() / "first"));
  begins.Set("save", (folder.path() / "third").string());
  begins.Set("stages", std::string("simulation"));
  static_cast<void>(
      RunAgent("doppler", DenseInstance(2, 9, 3), {.evaluations = 40, .options = begins}));
  EXPECT_NE(BytesOf(folder.path() / "third"), BytesOf(folder.path() / "first"));
}

// The order in which nodes are taken is that of the priorities.
TEST(DopplerTest, WhereSchedulingIsATaskEarlierNodesHavePriority) {
  const auto problem = testing::ThreeOps(testing::kBoth);
  const View view = MakeView(*problem, testing::kPerOp);
  const sim::Plan plan = ToPlan(view, {1, 0, 2}, {0, 1, 0});
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kPriority);
  EXPECT_EQ(plan.op_priority, (std::vector<std::int64_t>{1, 2, 0}));
  EXPECT_EQ(plan.placement,
            (sim::OpPlacement{
                DeviceId(std::size_t{1}), DeviceId(std::size_t{0}), DeviceId(std::size_t{0})}));
}

// Which op goes first is all that there is to decide.
TEST(DopplerTest, ItOrdersWherePlacementIsNoTask) {
  const auto problem = DenseInstance(4, 8, 2, testing::kScheduling);
  const Outcome outcome = RunAgent("doppler", problem, {.evaluations = 50});
  EXPECT_EQ(outcome.num_evaluations, 50);
  EXPECT_FALSE(outcome.best->plan.op_priority.empty());
}

}  // namespace
}  // namespace opyard::agents::doppler
