#include "agents/planning/list_scheduling/list_schedule.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;

// Keys that never increase along an edge: longest paths with ops of random lengths.
std::vector<double> RandomKey(const sim::OpGraph& graph, Rng& rng) {
  std::vector<double> key(graph.num_ops());
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    double longest = 0.0;
    for (std::size_t k = 0; k < graph.num_outputs(*op); ++k) {
      for (const OpId consumer : graph.consumers(graph.output(*op, k))) {
        longest = std::max(longest, key[consumer.index()]);
      }
    }
    for (const OpId consumer : graph.control_consumers(*op)) {
      longest = std::max(longest, key[consumer.index()]);
    }
    key[op->index()] = longest + rng.Uniform();
  }
  return key;
}

void ExpectSame(const ListSchedule& schedule, const ListSchedule& other) {
  EXPECT_EQ(schedule.device_of_group, other.device_of_group);
  EXPECT_EQ(schedule.start, other.start);
  EXPECT_EQ(schedule.finish, other.finish);
  EXPECT_EQ(schedule.makespan, other.makespan);
}

// One scheduler serves three keys in turn, and then the first again.
void ExpectAsFresh(const env::Problem& problem, const ListScheduleOptions& options) {
  const TransferTimes transfers(problem);
  ListScheduler scheduler(problem, transfers, options);
  Rng rng(1);
  const std::vector<double> first = RandomKey(problem.graph(), rng);
  for (int round = 0; round < 3; ++round) {
    const std::vector<double> key = round == 0 ? first : RandomKey(problem.graph(), rng);
    ExpectSame(scheduler.Build(key), BuildListSchedule(problem, transfers, key, options));
  }
  ExpectSame(scheduler.Build(first), BuildListSchedule(problem, transfers, first, options));
}

TEST(ListSchedulerTest, ASchedulerThatWasUsedMakesWhatAFreshOneMakes) {
  for (const auto& [name, problem] : testing::ConformanceProblems(testing::kPlacement)) {
    for (const TransferRule transfers : {TransferRule::kAlone, TransferRule::kBooked}) {
      for (const GroupDeviceRule rule : {GroupDeviceRule::kFirstOp, GroupDeviceRule::kWholeGroup}) {
        SCOPED_TRACE(name);
        ExpectAsFresh(*problem, {.group_device = rule, .transfers = transfers});
        ExpectAsFresh(*problem,
                      {.group_device = rule, .memory_share = 0.5, .transfers = transfers});
      }
    }
  }
}

TEST(ListSchedulerTest, NoOpStartsBeforeItsRelease) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 4)};
  ops[1].release = Microseconds(5);
  ops[2].release = Microseconds(1);
  const auto problem = testing::MakeProblem(MakeGraph(ops), MeshMachine(1));
  const TransferTimes transfers(*problem);
  // By falling key a 0–2, b 5–8; c takes 4 and fits into no gap: 8–12, or 2–6 if it comes before b.
  const std::vector<SimTime> late = {Microseconds(0), Microseconds(5), Microseconds(8)};
  EXPECT_EQ(BuildListSchedule(*problem, transfers, std::vector{3.0, 2.0, 1.0}, {}).start, late);
  const std::vector<SimTime> early = {Microseconds(0), Microseconds(6), Microseconds(2)};
  EXPECT_EQ(BuildListSchedule(*problem, transfers, std::vector{3.0, 1.0, 2.0}, {}).start, early);
}

}  // namespace
}  // namespace opyard::agents
