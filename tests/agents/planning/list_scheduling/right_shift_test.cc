#include "agents/planning/list_scheduling/right_shift.h"

#include <cstddef>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;

constexpr double kMicrosecond = 1e6;  // in picoseconds

// a (2 us) feeds b (4 us) on one device; c (1 us) and d (3 us) alone on the other.
TEST(RightShiftTest, OpsStandAsLateAsSuccessorsAndDevicesLetThem) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 4, {{0, 0}}), TimedOp("c", 1), TimedOp("d", 3)});
  const auto problem = testing::MakeProblem(graph, MeshMachine(2), testing::kBoth);
  const ListSchedule schedule{
      .device_of_group = {DeviceId(0), DeviceId(0), DeviceId(1), DeviceId(1)},
      .start = {Microseconds(0), Microseconds(2), Microseconds(0), Microseconds(1)},
      .finish = {Microseconds(2), Microseconds(6), Microseconds(1), Microseconds(4)},
      .makespan = Microseconds(6)};
  // b ends with the step, 4 us from its start; a before it, 6. d ends with the step, 3; c before
  // it, 4.
  EXPECT_THAT(TimesToEnd(*problem, schedule, TransferTimes(*problem), OpTimes::Alone(*problem)),
              ElementsAre(6 * kMicrosecond, 4 * kMicrosecond, 4 * kMicrosecond, 3 * kMicrosecond));
}

// a (2 us) on the first device feeds b (4 us) on the second through 1 us of transfer.
TEST(RightShiftTest, TransfersTakeTheirTime) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 4, {{0, 0}})});
  const auto problem = testing::MakeProblem(graph, MeshMachine(2), testing::kBoth);
  const ListSchedule schedule{.device_of_group = {DeviceId(0), DeviceId(1)},
                              .start = {Microseconds(0), Microseconds(3)},
                              .finish = {Microseconds(2), Microseconds(7)},
                              .makespan = Microseconds(7)};
  EXPECT_THAT(TimesToEnd(*problem, schedule, TransferTimes(*problem), OpTimes::Alone(*problem)),
              ElementsAre(7 * kMicrosecond, 4 * kMicrosecond));
}

TEST(RightShiftTest, TimesNeverIncreaseAlongEdges) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kBoth)) {
    SCOPED_TRACE(named.name);
    const sim::OpGraph& graph = named.problem->graph();
    const TransferTimes transfers(*named.problem);
    const OpTimes times = OpTimes::Alone(*named.problem);
    std::vector<double> key(graph.num_ops());
    const auto order = graph.topological_order();
    for (std::size_t i = 0; i < order.size(); ++i) {
      key[order[i].index()] = static_cast<double>(order.size() - i);
    }
    const ListSchedule schedule =
        BuildListSchedule(*named.problem, transfers, key, {.times = &times});
    const std::vector<double> to_end = TimesToEnd(*named.problem, schedule, transfers, times);
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      for (const TensorId input : graph.inputs(OpId(i))) {
        EXPECT_GE(to_end[graph.tensor(input).producer.index()], to_end[i]);
      }
      for (const OpId before : graph.control_inputs(OpId(i))) {
        EXPECT_GE(to_end[before.index()], to_end[i]);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::agents
