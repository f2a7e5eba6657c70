#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/reinforce_lstm/declaration.h"
#include "agents/planning/encoding/decisions.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents::reinforce_lstm {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

constexpr std::size_t kDevices = 3;

// An op reads each earlier one with probability one half; its tensor takes 1 to 9 µs between
// devices.
template <class TimesOf>
std::shared_ptr<const env::Problem> DenseInstance(std::int64_t num_ops,
                                                  Rng& rng,
                                                  const TimesOf& times_of) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_ops; ++i) {
    const std::vector<std::int64_t> us = times_of();
    std::vector<sim::InputRef> inputs;
    for (std::int64_t j = 0; j < i; ++j) {
      if (rng.Below(2) == 0) {
        inputs.push_back({j, 0});
      }
    }
    ops.push_back(testing::UnevenOp(
        "op" + std::to_string(i), us, std::move(inputs), {rng.Between(1000, 9000)}));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                     opyard::testing::MeshMachine(kDevices));
}

// Times of 2 to 20 µs: no two devices are alike, so that few plans are optimal, and what is best
// for one op depends on where the others are.
std::shared_ptr<const env::Problem> SmallInstance(std::uint64_t seed, std::int64_t num_ops) {
  Rng rng(seed);
  return DenseInstance(num_ops, rng, [&rng] {
    return std::vector<std::int64_t>{rng.Between(2, 20), rng.Between(2, 20), rng.Between(2, 20)};
  });
}

// Each op has a device that suits it, 2 to 6 µs, and two that do not, 20 to 40 µs.
std::shared_ptr<const env::Problem> SuitedInstance(std::uint64_t seed, std::int64_t num_ops) {
  Rng rng(seed);
  return DenseInstance(num_ops, rng, [&rng] {
    std::vector<std::int64_t> us = {rng.Between(20, 40), rng.Between(20, 40), rng.Between(20, 40)};
    us[rng.Below(kDevices)] = rng.Between(2, 6);
    return us;
  });
}

// A small network under a constant entropy bonus, never restarted: what finds the optimum is
// learning alone.
Options SmallNetwork() {
  Options options;
  options.Set("grouping", std::string("problem"));
  options.Set("hidden", std::int64_t{16});
  options.Set("attention", std::int64_t{8});
  options.Set("embedding", std::int64_t{8});
  options.Set("batch_size", std::int64_t{8});
  options.Set("learning_rate", 0.01);
  options.Set("entropy", 0.3);
  options.Set("entropy_share", 0.0);
  options.Set("normalise_advantages", false);
  options.Set("restart_updates", std::int64_t{0});
  options.Set("start", std::string("network"));
  return options;
}

Options SmallNetworkWithoutLearning() {
  Options options = SmallNetwork();
  options.Set("learn", false);
  return options;
}

Options SmallNetworkByPpo() {
  Options options = SmallNetwork();
  options.Set("algorithm", std::string("ppo"));
  return options;
}

// The number of ten searches that meet the optimum that enumeration finds.
int NumReached(const std::shared_ptr<const env::Problem>& problem,
               std::int64_t evaluations,
               const Options& options = SmallNetwork()) {
  const SimTime optimum = testing::BestMakespanByBruteForce(problem);
  int num_reached = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Outcome outcome = RunAgent(
        "reinforce_lstm", problem, {.evaluations = evaluations, .seed = seed, .options = options});
    num_reached += outcome.best->evaluation.result.makespan == optimum ? 1 : 0;
  }
  return num_reached;
}

// Five problems, from ten seeds each.
class ReinforceLstmOptimumTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  template <class Make>
  [[nodiscard]] static int NumReachedOfFifty(const Make& make,
                                             std::int64_t evaluations,
                                             const Options& options = SmallNetwork()) {
    int num_reached = 0;
    for (std::uint64_t seed = 5 * GetParam(); seed < 5 * (GetParam() + 1); ++seed) {
      num_reached += NumReached(make(seed), evaluations, options);
    }
    return num_reached;
  }
};

// 3^5 = 243 plans, one of them the best. For scale: uniform samples would meet it in
// 1 − (1 − 1/243)^600 = 92 % of the searches.
TEST_P(ReinforceLstmOptimumTest, OfFewPlansIsReachedFromNineOfTenSeeds) {
  EXPECT_GE(NumReachedOfFifty([](auto seed) { return SmallInstance(seed, 5); }, 600), 45);
}

// 3^7 = 2187 plans. Uniform samples would meet the best in 1 − (1 − 1/2187)^1200 = 42 % of the
// searches, 21 of fifty. Problem 11 has a plan beside its best that holds most searches for long:
// 6 of ten end in 1200 evaluations, 9 in 2400, ten in 4800; a faithful network's 8 of ten in 1200.
TEST_P(ReinforceLstmOptimumTest, OfManyPlansIsReachedFromNineOfTenSeeds) {
  EXPECT_GE(NumReachedOfFifty([](auto seed) { return SuitedInstance(seed, 7); }, 1200), 45);
}

// The samples of a fresh network are nearly uniform.
TEST_P(ReinforceLstmOptimumTest, OfManyPlansIsNotReachedWithoutLearning) {
  EXPECT_LT(
      NumReachedOfFifty(
          [](auto seed) { return SuitedInstance(seed, 7); }, 1200, SmallNetworkWithoutLearning()),
      35);
}

INSTANTIATE_TEST_SUITE_P(Twenty,
                         ReinforceLstmOptimumTest,
                         ::testing::Range(std::uint64_t{0}, std::uint64_t{4}));

// The first two of those problems.
TEST(ReinforceLstmTest, PpoReachesTheBestOfFewPlansFromNineOfTenSeeds) {
  int num_reached = 0;
  for (const std::uint64_t seed : {0, 1}) {
    num_reached += NumReached(SmallInstance(seed, 5), 600, SmallNetworkByPpo());
  }
  EXPECT_GE(num_reached, 18);
}

// Threads of the simulator; those of the network change the last bits of its sums.
TEST(ReinforceLstmTest, PpoMakesTheSamePlansOnTwoThreads) {
  const auto problem = SmallInstance(1, 6);
  const auto search = [&](std::size_t num_threads) {
    return RunAgent(
        "reinforce_lstm",
        problem,
        {.evaluations = 60, .num_threads = num_threads, .options = SmallNetworkByPpo()});
  };
  const Outcome one = search(1);
  const Outcome two = search(2);
  EXPECT_EQ(one.num_evaluations, 60);
  EXPECT_EQ(one.best->plan, two.best->plan);
  ASSERT_EQ(one.history.size(), two.history.size());
  for (std::size_t i = 0; i < one.history.size(); ++i) {
    EXPECT_EQ(one.history[i].evaluations, two.history[i].evaluations);
  }
}

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Without an evaluation there is no update: what is saved is what the search began with.
TEST(ReinforceLstmTest, BeginsWithTheWeightsThatAnotherSearchEndedWith) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = SmallInstance(1, 6);
  Options saves = SmallNetwork();
  saves.Set("save", (folder.path() / "first").string());
  static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 80, .options = saves}));
  Options begins;
  begins.Set("checkpoint", (folder.path() / "first").string());
  begins.Set("save", (folder.path() / "second").string());
  static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 0, .options = begins}));
  begins.Set("save", (folder.path() / "third").string());
  static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 8, .options = begins}));

  EXPECT_EQ(BytesOf(folder.path() / "second"), BytesOf(folder.path() / "first"));
  EXPECT_NE(BytesOf(folder.path() / "third"), BytesOf(folder.path() / "first"));
}

TEST(ReinforceLstmTest, WhatIsNoCheckpointIsRefusedByName) {
  const opyard::testing::TemporaryFolder folder;
  Options options;
  options.Set("checkpoint", folder.Write("text", "a few words\n").string());
  try {
    static_cast<void>(
        RunAgent("reinforce_lstm", SmallInstance(1, 6), {.evaluations = 8, .options = options}));
    FAIL() << "a text was taken for weights";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("text:1: not a checkpoint of opyard"));
  }
}

}  // namespace
}  // namespace opyard::agents::reinforce_lstm
