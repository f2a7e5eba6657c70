// Searches against the proven optimum over all placements and orders of small problems.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/plan/plan.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_text.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using testing::RunAgent;

struct Family {
  std::int64_t num_ops;
  std::size_t num_devices;
};

constexpr std::uint64_t kInstances = 100;  // of each family
constexpr std::int64_t kEvaluations = 5'000;
constexpr Family kSeven{.num_ops = 7, .num_devices = 2};
constexpr Family kSix{.num_ops = 6, .num_devices = 3};

// Ops of 1 to 20 µs, different on each device; each reads every earlier one with probability 1/3,
// tensors of 0.5 to 12 µs on a link that takes one at a time.
std::shared_ptr<const env::Problem> Instance(Family family, std::uint64_t seed) {
  Rng rng(1000 * static_cast<std::uint64_t>(family.num_ops) + seed);
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < family.num_ops; ++i) {
    std::vector<std::int64_t> us;
    for (std::size_t device = 0; device < family.num_devices; ++device) {
      us.push_back(rng.Between(1, 20));
    }
    std::vector<sim::InputRef> inputs;
    for (std::int32_t j = 0; j < i; ++j) {
      if (rng.Below(3) == 0) {
        inputs.push_back({j, 0});
      }
    }
    ops.push_back(testing::UnevenOp(
        "op" + std::to_string(i), us, std::move(inputs), {rng.Between(500, 12'000)}));
  }
  return testing::MakeProblem(
      MakeGraph(std::move(ops)), MeshMachine(family.num_devices), testing::kBoth);
}

// Calls visit(placement) for each.
template <class Visit>
void ForEachPlacement(std::size_t num_devices, sim::OpPlacement& placement, Visit&& visit) {
  const auto next = [&] {
    for (DeviceId& device : placement) {
      if (device.index() + 1 < num_devices) {
        device = DeviceId(device.index() + 1);
        return true;
      }
      device = DeviceId(std::size_t{0});
    }
    return false;
  };
  std::ranges::fill(placement, DeviceId(std::size_t{0}));
  do {
    visit();
  } while (next());
}

// The least makespan over all placements and all orders of priority.
std::int64_t Optimum(const env::Problem& problem) {
  const std::size_t num_ops = problem.graph().num_ops();
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  sim::Workspace workspace;
  sim::Plan plan{.placement = sim::OpPlacement(num_ops),
                 .queue = sim::QueueDiscipline::kPriority,
                 .op_priority = std::vector<std::int64_t>(num_ops)};
  std::iota(plan.op_priority.begin(), plan.op_priority.end(), 0);
  do {
    ForEachPlacement(problem.hardware().num_devices(), plan.placement, [&] {
      best = std::min(best, problem.simulator().Run(plan, workspace).makespan.picoseconds);
    });
  } while (std::ranges::next_permutation(plan.op_priority).found);
  return best;
}

std::string NameOf(Family family) {
  return std::to_string(family.num_ops) + "_ops_on_" + std::to_string(family.num_devices);
}

std::string TextOfOptima(Family family) {
  std::string text =
      "# The least makespan of each instance, in picoseconds, by brute force\n"
      "# (tests/agents/search/optima_test.cc). Made by `./dev goldens`.\n";
  for (std::uint64_t seed = 0; seed < kInstances; ++seed) {
    text += std::to_string(Optimum(*Instance(family, seed))) + "\n";
  }
  return text;
}

class OptimaTest : public ::testing::TestWithParam<Family> {};

INSTANTIATE_TEST_SUITE_P(Families,
                         OptimaTest,
                         ::testing::Values(kSeven, kSix),
                         [](const auto& instance) { return NameOf(instance.param); });

std::vector<std::int64_t> StoredOptima(Family family) {
  std::ifstream file("tests/golden/optima/" + NameOf(family) + ".txt");
  std::vector<std::int64_t> optima;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) {
      optima.push_back(std::stoll(line));
    }
  }
  return optima;
}

// All of them are made anew with the goldens; a run of the tests checks a few.
TEST_P(OptimaTest, AreThoseOfBruteForce) {
  if (std::getenv("OPYARD_REMAKE_GOLDENS") != nullptr) {
    ASSERT_TRUE(opyard::testing::EqualsGolden("optima/" + NameOf(GetParam()) + ".txt",
                                              TextOfOptima(GetParam())));
  }
  const std::vector<std::int64_t> optima = StoredOptima(GetParam());
  ASSERT_EQ(optima.size(), kInstances);
  for (const std::uint64_t seed : {0, 41, 99}) {
    EXPECT_EQ(optima[seed], Optimum(*Instance(GetParam(), seed))) << seed;
  }
}

TEST_P(OptimaTest, AreNoLessThanTheProblemBound) {
  const std::vector<std::int64_t> optima = StoredOptima(GetParam());
  ASSERT_EQ(optima.size(), kInstances);
  std::size_t num_proven = 0;
  for (std::uint64_t seed = 0; seed < optima.size(); ++seed) {
    const std::int64_t bound = Instance(GetParam(), seed)->problem_bound().picoseconds;
    EXPECT_LE(bound, optima[seed]) << seed;
    num_proven += bound == optima[seed] ? 1 : 0;
  }
  RecordProperty("proven", static_cast<int>(num_proven));
}

TEST_P(OptimaTest, AreReachedByLocalSearchAnnealingAndBrkga) {
  const std::vector<std::int64_t> optima = StoredOptima(GetParam());
  for (const char* agent : {"local_search", "simulated_annealing", "brkga"}) {
    std::size_t num_reached = 0;
    for (std::uint64_t seed = 0; seed < optima.size(); ++seed) {
      const testing::Outcome outcome =
          RunAgent(agent, Instance(GetParam(), seed), {.evaluations = kEvaluations, .seed = seed});
      const std::int64_t found = outcome.best->evaluation.result.makespan.picoseconds;
      EXPECT_GE(found, optima[seed]) << agent << " " << seed;
      num_reached += found == optima[seed] ? 1 : 0;
    }
    RecordProperty(agent, static_cast<int>(num_reached));
    EXPECT_GE(num_reached, 95U) << agent;
  }
}

}  // namespace
}  // namespace opyard::agents
