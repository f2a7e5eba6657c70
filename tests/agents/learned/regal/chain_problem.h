// A problem whose best plan is known.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::testing {

// A chain of 12 ops, each 2 us on d0 and 9 us on d1.
inline std::shared_ptr<const env::Problem> Chain() {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 12; ++i) {
    ops.push_back(
        UnevenOp("op" + std::to_string(i),
                 {2, 9},
                 i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
  }
  return MakeProblem(opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(2));
}

}  // namespace opyard::agents::testing
