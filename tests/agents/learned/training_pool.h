// A pool of small problems that trainers are tested on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "agents/base/trainer.h"
#include "env/problem_pool.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

// A random tree, whose ops take the longer the higher the number of their device.
inline std::shared_ptr<const env::Problem> RandomTree(std::uint64_t seed, std::size_t num_devices) {
  Rng rng(seed);
  std::vector<sim::OpSpec> ops;
  const std::int64_t num_ops = rng.Between(4, 9);
  for (std::int64_t i = 0; i < num_ops; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({rng.Between(0, i - 1), 0});
    }
    std::vector<std::int64_t> us;
    for (std::size_t device = 0; device < num_devices; ++device) {
      us.push_back(rng.Between(2, 9) + static_cast<std::int64_t>(4 * device));
    }
    ops.push_back(UnevenOp("op" + std::to_string(i), us, inputs));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                     opyard::testing::MeshMachine(num_devices));
}

// A family of random trees on 2 to 4 devices, and one that stands alone.
inline env::ProblemPool TreePool(std::size_t num_threads = 1,
                                 const InterruptFlag* interrupt = nullptr) {
  const auto sample_random = [](Rng& rng) {
    const std::uint64_t member = rng.Below(20);
    return env::PooledProblem{.name = "member " + std::to_string(member),
                              .problem = RandomTree(member, 2 + member % 3)};
  };
  const auto alone = RandomTree(99, 2);
  return env::ProblemPool(
      {{.name = "family", .weight = 3.0, .sample = sample_random},
       {.name = "alone",
        .weight = 1.0,
        .sample = [alone](Rng&) { return env::PooledProblem{.name = "alone", .problem = alone}; }}},
      {.num_threads = num_threads, .interrupt = interrupt});
}

// Update u samples from stream u, as `opyard train` does.
inline void Train(Trainer& trainer, env::ProblemPool& pool, std::int64_t until) {
  while (trainer.num_updates() < until) {
    Rng rng = Rng(5).Fork(static_cast<std::uint64_t>(trainer.num_updates()) + 1);
    ASSERT_TRUE(trainer.Update(pool, rng).has_value());
  }
}

inline std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace opyard::agents::testing
