// Small problems on which few plans are optimal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

// An op reads each earlier one with probability one half; times of 2 to 20 µs, no two devices
// alike, tensors of 1 to 9 µs between them: few plans are optimal.
inline std::shared_ptr<const env::Problem> DenseInstance(std::uint64_t seed,
                                                         std::int64_t num_ops,
                                                         std::size_t num_devices,
                                                         env::TaskSet tasks = kPlacement) {
  Rng rng(seed);
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < num_ops; ++i) {
    std::vector<std::int64_t> us;
    for (std::size_t device = 0; device < num_devices; ++device) {
      us.push_back(rng.Between(2, 20));
    }
    std::vector<sim::InputRef> inputs;
    for (std::int64_t j = 0; j < i; ++j) {
      if (rng.Below(2) == 0) {
        inputs.push_back({j, 0});
      }
    }
    ops.push_back(
        UnevenOp("op" + std::to_string(i), us, std::move(inputs), {rng.Between(1000, 9000)}));
  }
  return MakeProblem(
      opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(num_devices), tasks);
}

}  // namespace opyard::agents::testing
