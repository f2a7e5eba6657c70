#include "agents/learned/go/trainer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "agents/learned/go/search.h"
#include "env/action_codec.h"
#include "sim/base/error.h"
#include "tests/agents/learned/trainer_test.h"

namespace opyard::agents::go {
namespace {

using ::testing::HasSubstr;
using testing::RandomTree;
using testing::Train;
using testing::TreePool;
using testing::UnevenOp;

Settings Small() {
  Settings settings;
  settings.training.sizes = {.type_embedding = 4,
                             .hidden = 16,
                             .graph_layers = 2,
                             .row_layers = 1,
                             .attention_layers = 1,
                             .heads = 2,
                             .feed_forward = 16};
  settings.training.rows.first = 2;
  settings.training.batch_size = 6;
  settings.training.elites = 3;
  return settings;
}

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 12};

using GoTrainerTest = testing::TrainerTest<PolicyTrainer, Settings>;

// With baselines and best plans that some problems have and others have not by then.
TEST_F(GoTrainerTest, StoppedAndLoadedItGoesOnToEqualWeights) {
  ExpectEqualWeightsOnceLoaded(Small(), kPlan, {1, 7, 11});
}

TEST_F(GoTrainerTest, AnInterruptMakesNoUpdate) {
  ExpectAnInterruptMakesNoUpdate(Small(), kPlan);
}

// The makespan of what the network in `weights` finds likeliest.
double Likeliest(const std::shared_ptr<const env::Problem>& problem,
                 const std::filesystem::path& weights,
                 std::uint64_t seed) {
  const TorchSession one_thread(1);
  Search search(*problem, Small().training, seed, {.weights = weights});
  env::Evaluator evaluator(problem, {});
  const std::size_t last = search.view().resolutions.size() - 1;
  return search.learner()
      .EvaluateLikeliest(search.view(), last, evaluator)
      ->result.makespan.seconds();
}

// Trees and machines of 2 to 4 devices that were never sampled, ten for each of three trainings. On
// all of them d0 is the fastest for most ops.
TEST_F(GoTrainerTest, WhatIsLearntServesProblemsThatWereNeverSampled) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    PolicyTrainer trainer(Small(), {.seed = seed, .num_updates = 100});
    env::ProblemPool pool = TreePool();
    Train(trainer, pool, 100);
    trainer.SaveWeights(folder_.path() / "weights", {});
    double trained = 0.0;
    double fresh = 0.0;
    for (std::uint64_t member = 200; member < 210; ++member) {
      const auto problem = RandomTree(member, 2 + member % 3);
      trained += Likeliest(problem, folder_.path() / "weights", member);
      fresh += Likeliest(problem, {}, member);
    }
    EXPECT_LT(trained, 0.8 * fresh) << seed;
  }
}

// Some of six ops run fast on the first device and the others on the second. Twelve more run alike
// on both, and each reads a large tensor of one of the six: only the edges show where the twelve
// belong.
std::shared_ptr<const env::Problem> HeadsAndFollowers(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 6; ++i) {
    const bool is_left = rng.Below(2) == 0;
    const auto name = "head" + std::to_string(i);
    ops.push_back(is_left ? UnevenOp(name, {10, 60}, {}, {80'000})
                          : UnevenOp(name, {60, 10}, {}, {80'000}));
    ops.back().type = is_left ? "Left" : "Right";
  }
  for (std::int64_t i = 0; i < 12; ++i) {
    ops.push_back(UnevenOp("follower" + std::to_string(i), {10, 10}, {{rng.Between(0, 5), 0}}));
  }
  return testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                              opyard::testing::MeshMachine(2));
}

// The sum of the makespans of what a trained network finds likeliest on ten problems of that kind
// that were never sampled. Without edges no layer sees those of the graph or of the rows.
double AfterTraining(const std::filesystem::path& weights, bool has_edges) {
  Settings settings = Small();
  settings.training.rows.first = 0;
  if (!has_edges) {
    settings.training.sizes.graph_layers = 0;
    settings.training.sizes.row_layers = 0;
  }
  PolicyTrainer trainer(settings, {.seed = 3, .num_updates = 120});
  env::ProblemPool pool({{.name = "heads",
                          .weight = 1.0,
                          .sample =
                              [](Rng& rng) {
                                const std::uint64_t member = rng.Below(40);
                                return env::PooledProblem{.name = std::to_string(member),
                                                          .problem = HeadsAndFollowers(member)};
                              }}},
                        {});
  Train(trainer, pool, 120);
  trainer.SaveWeights(weights, {});
  double sum = 0.0;
  for (std::uint64_t member = 100; member < 110; ++member) {
    sum += Likeliest(HeadsAndFollowers(member), weights, member);
  }
  return sum;
}

TEST_F(GoTrainerTest, WhatTheEdgesCarryIsLearntFromTheGraph) {
  const double with_graph = AfterTraining(folder_.path() / "with", true);
  const double without_graph = AfterTraining(folder_.path() / "without", false);
  RecordProperty("ratio", std::to_string(with_graph / without_graph));
  EXPECT_LT(with_graph, 0.8 * without_graph);
}

// Number 0 without a teacher's plan, then others with one; `on_sample` is called with the number of
// a problem before its rows are searched.
env::ProblemPool TaughtPool(std::uint64_t first,
                            const InterruptFlag* interrupt,
                            std::function<void(std::uint64_t)> on_sample) {
  const auto sample = [next = first, on_sample = std::move(on_sample)](Rng&) mutable {
    const std::uint64_t number = next++;
    on_sample(number);
    env::PooledProblem sampled{.name = std::to_string(number),
                               .problem = HeadsAndFollowers(number)};
    if (number > 0) {
      sampled.teacher_plan = std::make_shared<const sim::Plan>(env::DefaultPlan(*sampled.problem));
    }
    return sampled;
  };
  return env::ProblemPool({{.name = "taught", .weight = 1.0, .sample = sample}},
                          {.num_threads = 1, .interrupt = interrupt});
}

// Else the plans that such a search left half done would be imitated from then on.
TEST_F(GoTrainerTest, AnInterruptedSearchOverRowsIsMadeAgain) {
  Settings settings = Small();
  settings.training.batches.problems = 1;
  const auto nothing = [](std::uint64_t) {};
  PolicyTrainer whole(settings, kPlan);
  env::ProblemPool pool = TaughtPool(0, nullptr, nothing);
  Train(whole, pool, 4);

  Settings endless = settings;  // a search of days
  endless.training.batches.search = 1'000'000'000'000;
  InterruptFlag interrupt;
  std::jthread soon;
  PolicyTrainer first(endless, kPlan);
  env::ProblemPool interrupted = TaughtPool(0, &interrupt, [&](std::uint64_t number) {
    if (number == 1) {
      soon = std::jthread([&interrupt] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        interrupt.Raise();
      });
    }
  });
  Train(first, interrupted, 1);
  Rng rng(1);
  EXPECT_FALSE(first.Update(interrupted, rng).has_value());
  first.Save(folder_.path() / "state", {});
  PolicyTrainer second(settings, kPlan);
  static_cast<void>(second.Load(folder_.path() / "state"));
  env::ProblemPool resumed = TaughtPool(1, nullptr, nothing);
  Train(second, resumed, 4);
  EXPECT_TRUE(WeightsOf(second) == WeightsOf(whole));
}

TEST_F(GoTrainerTest, AProblemWithOnePlanIsRefused) {
  const auto problem = RandomTree(1, 1);
  env::ProblemPool pool(
      {{.name = "one",
        .weight = 1.0,
        .sample =
            [problem](Rng&) { return env::PooledProblem{.name = "one", .problem = problem}; }}},
      {});
  PolicyTrainer trainer(Small(), kPlan);
  Rng rng(1);
  try {
    static_cast<void>(trainer.Update(pool, rng));
    FAIL() << "there was something to learn";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("one: found one plan only"));
  }
}

}  // namespace
}  // namespace opyard::agents::go
