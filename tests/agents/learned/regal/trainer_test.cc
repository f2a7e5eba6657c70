#include "agents/learned/regal/trainer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/regal/declaration.h"
#include "sim/base/error.h"
#include "tests/agents/learned/training_pool.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::regal {
namespace {

using testing::BytesOf;
using ::testing::HasSubstr;
using testing::Train;
using testing::TreePool;

Settings Small(Network network = Network::kMessages) {
  Settings settings;
  settings.training.sizes = {
      .network = network, .type_embedding = 4, .hidden = 12, .rounds = 2, .bins = 4};
  settings.training.decodes = 4;
  settings.training.batch_size = 8;
  settings.training.chromosomes = 4;
  settings.training.learning_rate = 0.01;
  settings.training.entropy = {.weight = 0.05};
  settings.genetic.population = 4;
  return settings;
}

constexpr TrainingPlan kPlan{.seed = 7, .num_updates = 12};

class RegalTrainerTest : public ::testing::TestWithParam<Network> {
 protected:
  // The bytes of what the trainer's weights are written as.
  std::string WeightsOf(const Trainer& trainer) {
    trainer.SaveWeights(folder_.path() / "weights", {});
    return BytesOf(folder_.path() / "weights");
  }

  opyard::testing::TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Networks,
                         RegalTrainerTest,
                         ::testing::Values(Network::kMessages, Network::kSequence));

TEST_P(RegalTrainerTest, StoppedAndLoadedItGoesOnToEqualWeights) {
  PolicyTrainer whole(Small(GetParam()), kPlan);
  env::ProblemPool pool = TreePool();
  Train(whole, pool, 12);
  for (const std::int64_t stop : {1, 7, 11}) {
    SCOPED_TRACE(stop);
    PolicyTrainer first(Small(GetParam()), kPlan);
    env::ProblemPool first_pool = TreePool();
    Train(first, first_pool, stop);
    first.Save(folder_.path() / "state", {{"note", "of a few words"}});
    PolicyTrainer second(Small(GetParam()), kPlan);
    EXPECT_EQ(second.Load(folder_.path() / "state"), (TrainingRecord{{"note", "of a few words"}}));
    env::ProblemPool second_pool = TreePool();
    Train(second, second_pool, 12);
    EXPECT_EQ(WeightsOf(second), WeightsOf(whole));
  }
}

TEST_P(RegalTrainerTest, AnInterruptMakesNoUpdate) {
  InterruptFlag interrupt;
  env::ProblemPool pool = TreePool(1, &interrupt);
  PolicyTrainer trainer(Small(GetParam()), kPlan);
  Train(trainer, pool, 2);
  const std::string before = WeightsOf(trainer);
  interrupt.Raise();
  Rng rng(1);
  EXPECT_FALSE(trainer.Update(pool, rng).has_value());
  EXPECT_EQ(trainer.num_updates(), 2);
  EXPECT_EQ(WeightsOf(trainer), before);
}

// A chain of ops that take 2 us on d0 and 9 us on the others: all of them on d0 is the best plan,
// and a high affinity to d0 beside low ones the best proposal.
std::shared_ptr<const env::Problem> Chain(std::int64_t num_ops, std::size_t num_devices) {
  std::vector<std::int64_t> us(num_devices, 9);
  us[0] = 2;
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_ops; ++i) {
    ops.push_back(testing::UnevenOp(
        "op" + std::to_string(i),
        us,
        i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
  }
  return testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                              opyard::testing::MeshMachine(num_devices));
}

// Chains of 6 to 9 ops on 2 or 3 devices.
env::ProblemPool ChainPool() {
  const auto sample = [](Rng& rng) {
    const auto member = static_cast<std::int64_t>(rng.Below(8));
    return env::PooledProblem{
        .name = std::to_string(member),
        .problem = Chain(6 + member % 4, 2 + static_cast<std::size_t>(member / 4))};
  };
  return env::ProblemPool({{.name = "chains", .weight = 1.0, .sample = sample}}, {});
}

// The makespan in us that a search of four decodes comes to with what the network in a file finds
// likeliest.
double Found(const std::shared_ptr<const env::Problem>& problem,
             Settings settings,
             const std::filesystem::path& weights,
             std::uint64_t seed) {
  settings.session.checkpoint = weights.string();
  settings.training.proposal = ProposalRule::kLikeliest;
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 4}});
  Rng rng(seed);
  Declaration::Make(settings)->Search(*problem, evaluator, rng, {});
  return evaluator.best()->evaluation.result.makespan.seconds() * 1e6;
}

// The makespans in us of ten chains, which are longer and on more devices than those sampled, by
// four decodes each with what 200 updates have taught.
double FoundAfterTraining(const Settings& settings,
                          std::uint64_t seed,
                          const std::filesystem::path& weights) {
  PolicyTrainer trainer(settings, {.seed = seed, .num_updates = 200});
  env::ProblemPool pool = ChainPool();
  Train(trainer, pool, 200);
  trainer.SaveWeights(weights, {});
  double found = 0.0;
  for (std::uint64_t member = 0; member < 10; ++member) {
    found += Found(Chain(12, 2 + member % 3), settings, weights, member);
  }
  return found;
}

// The best plans take 12 · 2 us each. Four decodes come within 30 % of that after the training, by
// either credit, and not after the same training without steps.
TEST_P(RegalTrainerTest, WhatIsKnownToBeBestIsLearntAndServesProblemsThatWereNeverSampled) {
  constexpr double kBound = 1.3 * 10 * 24;
  for (const Credit credit : {Credit::kChromosome, Credit::kSearch}) {
    Settings settings = Small(GetParam());
    settings.training.credit = credit;
    for (const std::uint64_t seed : {3, 4, 5}) {
      SCOPED_TRACE(seed);
      EXPECT_LT(FoundAfterTraining(settings, seed, folder_.path() / "weights"), kBound);
    }
    settings.training.learning_rate = 0.0;
    EXPECT_GT(FoundAfterTraining(settings, 3, folder_.path() / "weights"), kBound);
  }
}

// Nine ops of 2 us on one device and 9 us on the other, all alike but for what they read. A chain
// is fast on d0; a star, each op of which reads the first, is fast on d1.
std::shared_ptr<const env::Problem> ChainOrStar(bool is_chain) {
  const std::vector<std::int64_t> us =
      is_chain ? std::vector<std::int64_t>{2, 9} : std::vector<std::int64_t>{9, 2};
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 9; ++i) {
    const std::vector<sim::InputRef> inputs =
        i == 0 ? std::vector<sim::InputRef>{}
               : std::vector<sim::InputRef>{{is_chain ? i - 1 : 0, 0}};
    ops.push_back(testing::UnevenOp("op" + std::to_string(i), us, inputs));
  }
  return testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                              opyard::testing::MeshMachine(2));
}

// The number of the nine ops that are likeliest on d0 for the chain, and on d1 for the star.
std::int64_t NumRightlyPlaced(const Settings& settings, const std::filesystem::path& weights) {
  std::int64_t num_right = 0;
  for (const bool is_chain : {true, false}) {
    const auto problem = ChainOrStar(is_chain);
    Rng any(0);
    Learner learner(settings.training, settings.training.sizes, any);
    learner.TakeWeights(ReadCheckpoint(weights), weights);
    const View view = MakeView(*problem, settings.training.sizes);
    const torch::Tensor middles = learner.Propose(view, any).view({9, 2, 2});  // op, device, pair
    const torch::Tensor means = middles.select(2, 0);                          // [9, 2]
    num_right += (means.argmax(1) == (is_chain ? 0 : 1)).sum().item<std::int64_t>();
  }
  return num_right;
}

// A network that does not see the graph proposes the same for the two, and is right for nine of the
// eighteen ops; so does one that does not learn.
TEST_P(RegalTrainerTest, WhatIsBestDependsOnTheGraph) {
  const auto sample = [](Rng& rng) {
    const bool is_chain = rng.Below(2) == 0;
    return env::PooledProblem{.name = is_chain ? "chain" : "star",
                              .problem = ChainOrStar(is_chain)};
  };
  Settings settings = Small(GetParam());
  settings.training.proposal = ProposalRule::kExpected;
  for (const double learning_rate : {0.01, 0.0}) {
    SCOPED_TRACE(learning_rate);
    settings.training.learning_rate = learning_rate;
    PolicyTrainer trainer(settings, {.seed = 3, .num_updates = 300});
    env::ProblemPool pool({{.name = "both", .weight = 1.0, .sample = sample}}, {});
    Train(trainer, pool, 300);
    trainer.SaveWeights(folder_.path() / "weights", {});
    const std::int64_t num_right = NumRightlyPlaced(settings, folder_.path() / "weights");
    if (learning_rate > 0.0) {
      EXPECT_GE(num_right, 16);
    } else {
      EXPECT_LE(num_right, 9);
    }
  }
}

TEST_P(RegalTrainerTest, AnEliteBiasIsNotLearntFromSingleChromosomes) {
  Settings settings = Small(GetParam());
  settings.training.sizes.learned_bias = true;
  PolicyTrainer trainer(settings, kPlan);
  env::ProblemPool pool = TreePool();
  Rng rng(1);
  EXPECT_THROW(static_cast<void>(trainer.Update(pool, rng)), InputError);
}

TEST_P(RegalTrainerTest, AProblemWithNothingToProposeIsRefused) {
  Settings settings = Small(GetParam());
  settings.training.sizes.genes = Genes::kScheduling;
  PolicyTrainer trainer(settings, kPlan);
  env::ProblemPool pool = TreePool();  // placement alone
  Rng rng(1);
  try {
    static_cast<void>(trainer.Update(pool, rng));
    FAIL() << "there was something to learn";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found nothing that the network proposes"));
  }
}

TEST_P(RegalTrainerTest, WeightsOfTheOtherNetworkAreRefused) {
  PolicyTrainer trainer(Small(GetParam()), kPlan);
  env::ProblemPool pool = TreePool();
  Train(trainer, pool, 1);
  trainer.SaveWeights(folder_.path() / "weights", {});
  Settings other =
      Small(GetParam() == Network::kMessages ? Network::kSequence : Network::kMessages);
  EXPECT_THROW(Found(Chain(3, 2), other, folder_.path() / "weights", 1), InputError);
}

}  // namespace
}  // namespace opyard::agents::regal
