#include "agents/learned/hdp/search.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::hdp {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;
using testing::UnevenOp;

constexpr TrainingOptions kSmall{.sizes = {.grouper_hidden = 8, .hidden = 12, .embedding = 6},
                                 .step_size = {.start = 0.02},
                                 .entropy = {},
                                 .restart_updates = 0};

// Four ops in a chain with a skip edge, on two unequal devices.
std::shared_ptr<const env::Problem> FourOps() {
  return MakeProblem(opyard::testing::MakeGraph({UnevenOp("a", {3, 7}),
                                                 UnevenOp("b", {11, 5}, {{0, 0}}),
                                                 UnevenOp("c", {2, 13}, {{1, 0}}),
                                                 UnevenOp("d", {6, 4}, {{2, 0}, {0, 0}})}),
                     opyard::testing::MeshMachine(2));
}

// Two ops of 600 kB of parameters on devices of 1 MB: half of the plans run out of memory.
std::shared_ptr<const env::Problem> TwoLargeOps() {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {5, 5}), UnevenOp("b", {5, 5})};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
}

class HdpSearchTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

TEST_F(HdpSearchTest, GroupsAreTwentyPerAcceleratorButNoMoreThanUnits) {
  const auto problem = FourOps();
  View view = MakeView(*problem, UnitKind::kProblem, Sizes{});
  EXPECT_EQ(Fitted({}, view).num_groups, 4);
  view.units.num_groups = 1000;
  EXPECT_EQ(Fitted({}, view).num_groups, 40);
  view.num_accelerators = 13;
  EXPECT_EQ(Fitted({}, view).num_groups, 256);  // 20 · 13 = 260
  EXPECT_EQ(Fitted({.num_groups = 7}, view).num_groups, 7);
}

TEST_F(HdpSearchTest, TheStepSizeFallsByStairs) {
  const StepSize step_size{.start = 0.1, .factor = 0.95, .num_updates = 50, .first_update = 400};
  EXPECT_EQ(StepSizeAt(step_size, 399), 0.1);
  EXPECT_DOUBLE_EQ(StepSizeAt(step_size, 449), 0.1);
  EXPECT_DOUBLE_EQ(StepSizeAt(step_size, 450), 0.095);
  EXPECT_DOUBLE_EQ(StepSizeAt(step_size, 500), 0.09025);  // 0.1 · 0.95²
}

// The share of plans with the two apart, once trained; 0.25 at the start: in two groups, and these
// apart.
double ShareApart(const TrainingOptions& options) {
  const auto problem = TwoLargeOps();
  Search search(*problem, options, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 600}});
  while (search.Update(evaluator).has_value()) {
  }
  Rng rng(9);
  const SampledPlans sampled = search.policy().Sample(search.view().features, 200, rng);
  const torch::Tensor devices =
      DevicesOfUnits(search.view().features, sampled.groups, sampled.devices);  // [200, 2]
  return (devices.select(1, 0) != devices.select(1, 1)).to(torch::kDouble).mean().item<double>();
}

TrainingOptions WithoutLearning(TrainingOptions options) {
  options.learns = false;
  return options;
}

TEST_F(HdpSearchTest, PlansThatRunOutOfMemoryAreLearntToBeAvoided) {
  EXPECT_GT(ShareApart(kSmall), 0.9);
  EXPECT_LT(ShareApart(WithoutLearning(kSmall)), 0.5);
}

TEST_F(HdpSearchTest, PpoLearnsToAvoidThemToo) {
  TrainingOptions options = kSmall;
  options.rule.algorithm = Algorithm::kPpo;
  EXPECT_GT(ShareApart(options), 0.9);
  EXPECT_LT(ShareApart(WithoutLearning(options)), 0.5);
}

// 4 plans in 2 shares, three times over.
TEST_F(HdpSearchTest, PpoMakesAStepPerEpochAndShare) {
  const auto problem = FourOps();
  TrainingOptions options = kSmall;
  options.rule = {.algorithm = Algorithm::kPpo,
                  .ppo = {.n_epochs = 3, .num_minibatches = 2, .target_kl = 0.0}};
  Search search(*problem, options, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 4}});
  EXPECT_EQ(search.Update(evaluator)->num_steps, 6);
}

// 4 · 10 failures and not one plan that fits: without them nothing is left to learn from.
TEST_F(HdpSearchTest, FailuresTrainNoMoreAfterAsManyUpdatesAsAsked) {
  std::vector<sim::OpSpec> ops = {UnevenOp("a", {5, 5}), UnevenOp("b", {5, 5}, {{0, 0}})};
  ops[0].param_bytes = Bytes{2'000'000};
  const auto problem =
      MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
  TrainingOptions options = kSmall;
  options.baseline.failure_updates = 0;
  Search search(*problem, options, 1);
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 8}});
  EXPECT_EQ(search.Update(evaluator)->gradient_norm, 0.0);
}

// The devices of the groups of each update.
TEST_F(HdpSearchTest, OnceSamplingStopsGroupsStayWhereTheLastUpdatePlacedThem) {
  const auto problem = FourOps();
  TrainingOptions options = kSmall;
  options.batch_size = 1;
  options.sizes.grouper = GrouperKind::kRandom;  // so that equal devices are equal plans
  options.stop_sampling = 5;
  std::vector<sim::Plan> plans;
  env::Evaluator evaluator(problem,
                           {.budget = {.evaluations = 15},
                            .on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                              plans.push_back(plan);
                            }});
  Search search(*problem, options, 1);
  while (search.Update(evaluator).has_value()) {
  }
  ASSERT_EQ(plans.size(), 15U);
  EXPECT_FALSE(std::equal(plans.begin(), plans.begin() + 4, plans.begin() + 1));
  EXPECT_TRUE(std::equal(plans.begin() + 5, plans.end(), plans.begin() + 4));
}

TEST_F(HdpSearchTest, WithoutLearningTheNetworkStaysAndAsManyPlansAreSampled) {
  const auto problem = FourOps();
  Search search(*problem, WithoutLearning(kSmall), 1);
  std::vector<torch::Tensor> before;
  for (const torch::Tensor& parameter : search.policy().parameters()) {
    before.push_back(parameter.detach().clone());
  }
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 40}});
  while (const std::optional<UpdateReport> report = search.Update(evaluator)) {
    EXPECT_EQ(report->num_restarts, 0);
  }
  EXPECT_EQ(evaluator.num_evaluations(), 40);
  const auto after = search.policy().parameters();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(torch::equal(before[i], after[i]));
  }
}

TEST_F(HdpSearchTest, AfterACollapseAFreshPolicyIsTrained) {
  const auto problem = FourOps();
  TrainingOptions hasty = kSmall;
  hasty.step_size.start = 0.2;
  hasty.restart_updates = 5;
  env::Evaluator evaluator(problem, {});
  Search search(*problem, hasty, 1);
  std::optional<UpdateReport> report = search.Update(evaluator);
  while (report->num_restarts == 0 && report->update < 200) {
    report = search.Update(evaluator);
  }
  ASSERT_EQ(report->num_restarts, 1);
  const double entropy_before = report->entropy;
  report = search.Update(evaluator);
  EXPECT_GT(report->entropy, entropy_before);
  EXPECT_GT(report->entropy, std::log(2.0) - 0.1);  // nearly even over two devices
}

// Four ops of 10 µs that read nothing, in one group: 40 µs on either device, 20 µs where it is
// split.
TEST_F(HdpSearchTest, GroupsOfTheProblemAreSplitWhereUnitsAreOps) {
  const auto problem = std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = opyard::testing::MakeGraph({UnevenOp("a", {10, 10}),
                                           UnevenOp("b", {10, 10}),
                                           UnevenOp("c", {10, 10}),
                                           UnevenOp("d", {10, 10})}),
      .hardware = std::make_shared<const sim::HardwareProfile>(opyard::testing::MeshMachine(2)),
      .settings = {.max_groups = 1}});
  const auto best_us = [&](UnitKind units) {
    TrainingOptions options = kSmall;
    options.units = units;
    Search search(*problem, options, 1);
    env::Evaluator evaluator(problem, {.budget = {.evaluations = 100}});
    while (search.Update(evaluator).has_value()) {
    }
    return evaluator.best()->evaluation.result.makespan.picoseconds / 1'000'000;
  };
  EXPECT_EQ(best_us(UnitKind::kProblem), 40);
  EXPECT_EQ(best_us(UnitKind::kOp), 20);
}

TEST_F(HdpSearchTest, RandomGroupsStayAsTheyWereSampled) {
  const auto problem = FourOps();
  TrainingOptions options = kSmall;
  options.sizes.grouper = GrouperKind::kRandom;
  Search search(*problem, options, 1);
  Rng rng(1);
  const torch::Tensor before = search.policy().Sample(search.view().features, 1, rng).groups;
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 40}});
  while (search.Update(evaluator).has_value()) {
  }
  const torch::Tensor after = search.policy().Sample(search.view().features, 3, rng).groups;
  EXPECT_TRUE((after == before).all().item<bool>());
}

TEST_F(HdpSearchTest, ItBeginsWithTheWeightsOfAFileAndHasItsNetwork) {
  const opyard::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "weights";
  const auto problem = FourOps();
  for (const GrouperKind grouper : {GrouperKind::kLearned, GrouperKind::kRandom}) {
    TrainingOptions written = kSmall;
    written.sizes.grouper = grouper;
    Search first(*problem, written, 1);
    WriteCheckpoint(first.learner().ToWeights(), file);
    TrainingOptions wider = kSmall;
    wider.sizes.hidden = 20;
    Search second(*problem, wider, 2, {.weights = file});

    EXPECT_EQ(second.policy().sizes().hidden, 12);
    const auto expected = first.policy().parameters();
    const auto found = second.policy().parameters();
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(torch::equal(expected[i], found[i]));
    }
  }
}

TEST_F(HdpSearchTest, WeightsServeEqualNumbersOfDevicesOnly) {
  const opyard::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "weights";
  const auto problem = FourOps();
  WriteCheckpoint(Search(*problem, kSmall, 1).learner().ToWeights(), file);
  const auto three_devices = MakeProblem(problem->shared_graph(), opyard::testing::MeshMachine(3));
  try {
    Search(*three_devices, kSmall, 1, {.weights = file});
    FAIL() << "weights for another machine were taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config num_devices: found 2, expected 3"));
  }
}

// Threads of the simulator; those of the network change the last bits of its sums.
TEST_F(HdpSearchTest, EveryAblationRunsAndMakesTheSamePlansOnTwoThreads) {
  const auto problem = FourOps();
  for (const char* option :
       {"grouper=random", "attention=false", "placer=flat", "faithful=true", "algorithm=ppo"}) {
    SCOPED_TRACE(option);
    const std::string text = option;
    const std::size_t equals = text.find('=');
    Options options;
    options.Set(text.substr(0, equals), ParseOptionValue(text.substr(equals + 1)));
    const Outcome one =
        RunAgent("hdp", problem, {.evaluations = 60, .num_threads = 1, .options = options});
    const Outcome two =
        RunAgent("hdp", problem, {.evaluations = 60, .num_threads = 2, .options = options});
    EXPECT_EQ(one.num_evaluations, 60);
    EXPECT_EQ(one.best->plan, two.best->plan);
    ASSERT_EQ(one.history.size(), two.history.size());
    for (std::size_t i = 0; i < one.history.size(); ++i) {
      EXPECT_EQ(one.history[i].evaluations, two.history[i].evaluations);
    }
  }
}

// All that is published as a number, at once.
TEST_F(HdpSearchTest, ThePublishedHyperParametersMakeASearch) {
  Options options = testing::Faithful();
  options.Set("hidden", std::int64_t{512});
  options.Set("embedding", std::int64_t{512});
  options.Set("grouper_temperature", 1.0);
  options.Set("temperature", 1.0);
  options.Set("tanh_constant", 1.0);
  options.Set("batch_size", std::int64_t{1});
  options.Set("learning_rate", 0.1);
  options.Set("entropy", 0.0);
  options.Set("restart_updates", std::int64_t{0});
  options.Set("logits_noise", 0.5);
  options.Set("noise_updates", std::int64_t{751});
  options.Set("stop_sampling", std::int64_t{10});
  options.Set("baseline_start", std::string("failure"));
  options.Set("failure_baseline", true);
  options.Set("start", std::string("network"));
  const Outcome outcome = RunAgent("hdp", FourOps(), {.evaluations = 20, .options = options});
  EXPECT_EQ(outcome.num_evaluations, 20);
  EXPECT_TRUE(outcome.best->evaluation.is_feasible());
}

}  // namespace
}  // namespace opyard::agents::hdp
