#include "agents/learned/coloc_rl/reinforce_lstm.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/decisions.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

// A random DAG of `num_ops` ops whose times differ per device and whose tensors take 1 to 9 µs
// between devices: no two devices are alike, so that few plans are optimal.
std::shared_ptr<const env::Problem> SmallInstance(std::uint64_t seed, std::int64_t num_ops) {
  constexpr std::size_t kDevices = 3;
  Rng rng(seed);
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_ops; ++i) {
    std::vector<std::int64_t> us;
    for (std::size_t device = 0; device < kDevices; ++device) {
      us.push_back(rng.Between(2, 20));
    }
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

Options SmallNetwork() {
  Options options;
  options.Set("grouping", std::string("problem"));
  options.Set("hidden", std::int64_t{16});
  options.Set("attention", std::int64_t{8});
  options.Set("embedding", std::int64_t{8});
  options.Set("samples", std::int64_t{8});
  options.Set("learning_rate", 0.01);
  options.Set("entropy", 0.3);
  return options;
}

// 3^5 = 243 plans, one of them the best. A search sees 600, most of them many times. For scale:
// uniform draws would meet the best in 1 − (1 − 1/243)^600 = 92 % of the searches, and hence nine
// times of ten in all twenty instances with probability 0.81^20 = 1.5 %.
TEST(ReinforceLstmTest, ReachesTheOptimumOfTwentyInstancesFromNineOfTenSeeds) {
  for (std::uint64_t instance = 0; instance < 20; ++instance) {
    const auto problem = SmallInstance(instance, 5);
    const SimTime optimum = testing::BestMakespanByBruteForce(problem);
    int num_reached = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Outcome outcome = RunAgent(
          "reinforce_lstm", problem, {.evaluations = 600, .seed = seed, .options = SmallNetwork()});
      num_reached += outcome.best->evaluation.result.makespan == optimum ? 1 : 0;
    }
    EXPECT_GE(num_reached, 9) << "instance " << instance;
  }
}

TEST(ReinforceLstmTest, GoesOnFromACheckpointOfItsOwn) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = SmallInstance(1, 6);
  Options saves = SmallNetwork();
  saves.Set("save", (folder.path() / "stopped.checkpoint").string());
  static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 80, .options = saves}));
  Options loads = SmallNetwork();
  loads.Set("load", (folder.path() / "stopped.checkpoint").string());
  EXPECT_EQ(
      RunAgent("reinforce_lstm", problem, {.evaluations = 80, .options = loads}).num_evaluations,
      80);
}

TEST(ReinforceLstmTest, ACheckpointOfOtherSizesIsRefusedWithTheReason) {
  const opyard::testing::TemporaryFolder folder;
  const auto problem = SmallInstance(1, 6);
  Options saves = SmallNetwork();
  saves.Set("save", (folder.path() / "small.checkpoint").string());
  static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 8, .options = saves}));
  Options loads = SmallNetwork();
  loads.Set("hidden", std::int64_t{32});
  loads.Set("load", (folder.path() / "small.checkpoint").string());
  try {
    static_cast<void>(RunAgent("reinforce_lstm", problem, {.evaluations = 8, .options = loads}));
    FAIL() << "a checkpoint of another network was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config hidden: found 16, expected 32"));
  }
}

}  // namespace
}  // namespace opyard::agents
