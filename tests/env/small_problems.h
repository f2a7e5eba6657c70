// Problems whose figures can be worked out by hand.
#pragma once

#include <memory>
#include <utility>

#include "env/problem.h"
#include "tests/support/small_graphs.h"

namespace opyard::env {

inline constexpr TaskSet kPlacementOnly{.placement = true, .scheduling = false};
inline constexpr TaskSet kBothTasks{.placement = true, .scheduling = true};
inline constexpr TaskSet kAllTasks{.placement = true, .scheduling = true, .fusion = true};

[[nodiscard]] inline std::shared_ptr<const Problem> MakeProblem(
    std::shared_ptr<const sim::OpGraph> graph,
    sim::HardwareProfile machine,
    ProblemSettings settings = {}) {
  return std::make_shared<const Problem>(
      ProblemSpec{.graph = std::move(graph),
                  .hardware = std::make_shared<const sim::HardwareProfile>(std::move(machine)),
                  .settings = std::move(settings)});
}

// a (2 us) → b (3 us) → c (5 us), 1000 bytes on each edge, which a link carries in 1 us.
//   All on d0:       2 + 3 + 5 = 10 us;
//   Only c on d1:    2 + 3 + 1 + 5 = 11 us;
//   Only b on d1:    2 + 1 + 3 + 1 + 5 = 12 us.
[[nodiscard]] inline std::shared_ptr<const sim::OpGraph> ChainGraph() {
  return opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2),
                                     opyard::testing::TimedOp("b", 3, {{0, 0}}),
                                     opyard::testing::TimedOp("c", 5, {{1, 0}})});
}

[[nodiscard]] inline std::shared_ptr<const Problem> ChainProblem(ProblemSettings settings = {}) {
  return MakeProblem(ChainGraph(), opyard::testing::MeshMachine(2), std::move(settings));
}

// a (2 us) and, independent of it, b (3 us) with an output of `bytes`. Devices hold 1,000,000
// bytes.
[[nodiscard]] inline std::shared_ptr<const Problem> HungryProblem(std::int64_t bytes) {
  return MakeProblem(opyard::testing::MakeGraph({opyard::testing::TimedOp("a", 2),
                                                 opyard::testing::TimedOp("b", 3, {}, {bytes})}),
                     opyard::testing::MeshMachine(2));
}

}  // namespace opyard::env
