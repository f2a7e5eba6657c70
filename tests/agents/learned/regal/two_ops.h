// Two ops on two devices, for the tests of REGAL: every plan can be enumerated.
#pragma once

#include <memory>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::regal {

inline std::shared_ptr<const env::Problem> TwoOps(env::TaskSet tasks) {
  return testing::MakeProblem(
      opyard::testing::MakeGraph(
          {testing::UnevenOp("a", {3, 7}), testing::UnevenOp("b", {11, 5}, {{0, 0}})}),
      opyard::testing::MeshMachine(2),
      tasks);
}

}  // namespace opyard::agents::regal
