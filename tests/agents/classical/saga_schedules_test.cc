// Our list schedulers beside those of the package SAGA, on instances without ties whose schedules
// scripts/make_saga_schedules.py stored.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agents/classical/cpop/critical_path.h"
#include "agents/classical/dps/dynamic_priorities.h"
#include "agents/classical/hbmct/hybrid_schedule.h"
#include "agents/planning/estimates/ranks.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "agents/planning/list_scheduling/priority_rule.h"
#include "agents/planning/list_scheduling/ready_list_order.h"
#include "sim/io/text/text_file.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using Json = nlohmann::json;
using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;

// The stored instance as a problem: a unit of time is a microsecond, a unit of size a byte.
std::shared_ptr<const env::Problem> ProblemOf(const Json& instance) {
  const Json& speeds = instance["speeds"];
  std::vector<sim::OpSpec> ops;
  for (const std::int64_t cost : instance["costs"]) {
    std::vector<std::int64_t> times;
    for (const std::int64_t speed : speeds) {
      times.push_back(cost / speed);
    }
    ops.push_back(testing::UnevenOp("t" + std::to_string(ops.size()), times, {}, {}));
  }
  for (const Json& edge : instance["edges"]) {
    sim::OpSpec& source = ops[edge[0].get<std::size_t>()];
    ops[edge[1].get<std::size_t>()].inputs.push_back(
        {.op = edge[0], .output = static_cast<std::int64_t>(source.outputs.size())});
    source.outputs.push_back({.bytes = Bytes{edge[2].get<std::int64_t>()}});
  }
  sim::HardwareProfile machine = MeshMachine(speeds.size());
  for (const Json& link : instance["links"]) {
    const auto between = std::vector<sim::NodeIndex>{link[0], link[1]};
    const auto found = std::ranges::find(machine.links, between, &sim::Link::between);
    found->bandwidth_bytes_per_s = link[2].get<double>() * 1e6;
  }
  return testing::MakeProblem(MakeGraph(std::move(ops)), std::move(machine));
}

class SagaSchedulesTest : public ::testing::Test {
 protected:
  struct Case {
    explicit Case(const Json& stored_instance)
        : instance(stored_instance), problem(ProblemOf(stored_instance)) {}

    // The mean time of a transfer in SAGA's HEFT, CPOP and HBMCT: over all pairs of machines, those
    // of a machine with itself, which takes no time, among them.
    [[nodiscard]] TransferTimes::Line SagaMean() const {
      const auto n = static_cast<double>(devices.size());
      const TransferTimes::Line mean = transfers.Mean(devices);
      return {.seconds_per_byte = mean.seconds_per_byte * (n - 1) / (n + 1)};
    }

    const Json& instance;
    std::shared_ptr<const env::Problem> problem;
    TransferTimes transfers{*problem};
    OpTimes times = OpTimes::Alone(*problem);
    const std::vector<DeviceId>& devices = problem->devices();
  };

  // Expects of all instances that `make` gives the devices and starts that SAGA's `scheduler` does.
  static void CheckAll(const char* scheduler,
                       const std::function<ListSchedule(const Case&)>& make) {
    const Json stored =
        Json::parse(sim::ReadTextFile("tests/agents/classical/saga_schedules.json.gz"));
    ASSERT_EQ(stored["instances"].size(), 50U);
    for (const Json& instance : stored["instances"]) {
      SCOPED_TRACE("seed " + instance["seed"].dump());
      const ListSchedule schedule = make(Case(instance));
      const Json& expected = instance["schedules"][scheduler];
      ASSERT_EQ(schedule.start.size(), expected.size());
      for (std::size_t op = 0; op < expected.size(); ++op) {
        SCOPED_TRACE(op);
        // One op a group, which are numbered by topological index: by index here.
        EXPECT_EQ(schedule.device_of_group[op], DeviceId(expected[op][0].get<std::int32_t>()));
        EXPECT_EQ(schedule.start[op], Microseconds(expected[op][1]));
      }
    }
  }
};

ListSchedule ByReadyList(const env::Problem& problem,
                         const TransferTimes& transfers,
                         std::span<const double> priority,
                         const ListScheduleOptions& options) {
  return BuildListSchedule(
      problem, transfers, KeyOfOrder(ReadyListOrder(problem.graph(), priority)), options);
}

TEST_F(SagaSchedulesTest, HeftIsEqual) {
  CheckAll("heft", [](const Case& c) {
    return BuildListSchedule(
        *c.problem, c.transfers, UpwardRanks(*c.problem, c.SagaMean(), c.devices), {});
  });
}

TEST_F(SagaSchedulesTest, CpopWithThePapersRanksIsEqual) {
  CheckAll("cpop_paper", [](const Case& c) {
    const std::vector<double> priority =
        CpopPriorities(*c.problem, c.transfers.Mean(c.devices), c.devices);
    const std::vector<OpId> path = CriticalPath(c.problem->graph(), priority);
    const DeviceId processor = CriticalPathProcessor(*c.problem, c.times, path, c.devices);
    return ByReadyList(*c.problem,
                       c.transfers,
                       priority,
                       {.preferred_device = PreferOnPath(*c.problem, path, processor)});
  });
}

// SAGA's downward rank: the mean transfer and an op's own cost at the mean speed after each op
// before it, instead of the mean cost of that op and the transfer.
std::vector<double> SagaDownwardRanks(const Json& instance, const TransferTimes::Line& mean) {
  double speed = 0.0;
  for (const double of_machine : instance["speeds"]) {
    speed += of_machine / static_cast<double>(instance["speeds"].size());
  }
  std::vector<double> down(instance["costs"].size(), 0.0);
  std::vector<Json> edges = instance["edges"];
  std::ranges::stable_sort(edges, {}, [](const Json& edge) { return edge[1].get<int>(); });
  for (const Json& edge : edges) {
    const auto target = edge[1].get<std::size_t>();
    const double own_s = instance["costs"][target].get<double>() / speed * 1e-6;
    const double reached =
        down[edge[0].get<std::size_t>()] + edge[2].get<double>() * mean.seconds_per_byte + own_s;
    down[target] = std::max(down[target], reached);
  }
  return down;
}

TEST_F(SagaSchedulesTest, CpopWithSagasRanksIsEqual) {
  CheckAll("cpop", [](const Case& c) {
    std::vector<double> priority = UpwardRanks(*c.problem, c.SagaMean(), c.devices);
    const std::vector<double> down = SagaDownwardRanks(c.instance, c.SagaMean());
    std::ranges::transform(priority, down, priority.begin(), std::plus<>());
    std::vector<OpId> critical;  // those with the rank of the only source, up to 1e-5 as in NumPy
    for (std::size_t op = 0; op < priority.size(); ++op) {
      if (std::abs(priority[op] - priority[0]) <= 1e-5 * priority[0]) {
        critical.emplace_back(op);
      }
    }
    const DeviceId processor = CriticalPathProcessor(*c.problem, c.times, critical, c.devices);
    return ByReadyList(*c.problem,
                       c.transfers,
                       priority,
                       {.preferred_device = PreferOnPath(*c.problem, critical, processor)});
  });
}

TEST_F(SagaSchedulesTest, HbmctIsEqual) {
  CheckAll("hbmct", [](const Case& c) {
    const std::vector<OpId> order =
        OrderByKey(c.problem->graph(), UpwardRanks(*c.problem, c.SagaMean(), c.devices));
    return BuildHybridSchedule(
        *c.problem, c.transfers, c.times, order, {.initial = InitialDevice::kFinishTime});
  });
}

TEST_F(SagaSchedulesTest, DpsIsEqual) {
  CheckAll("dps", [](const Case& c) {
    // SAGA takes the size of a transfer as its time.
    DynamicPriorities priorities(
        *c.problem, c.transfers, c.times, {.seconds_per_byte = 1e-6}, c.devices);
    ListScheduler scheduler(*c.problem, c.transfers, {.gaps = GapRule::kAppend});
    return scheduler.BuildBy([&](const ListSchedule& so_far) { return priorities.Next(so_far); });
  });
}

}  // namespace
}  // namespace opyard::agents
