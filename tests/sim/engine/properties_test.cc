// Properties of every simulation, on random graphs, machines and plans.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sim/analysis/bounds.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/hardware/routes.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_kernels.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// Where a property needs a machine or values of its own, it counts seeds.
constexpr std::uint64_t kFirstSeed = 500'000;
constexpr std::uint64_t kNumCases = 150;

// Runs `check` and returns its failures, without a report to GoogleTest.
std::string FailuresOf(const std::function<void()>& check) {
  ::testing::TestPartResultArray results;
  {
    const ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    check();
  }
  std::string failures;
  for (int i = 0; i < results.size(); ++i) {
    failures += results.GetTestPartResult(i).failed() ? results.GetTestPartResult(i).message() : "";
  }
  return failures;
}

// Calls `check` on random cases within `limits`. A case that fails is shrunk to few ops and devices
// and reported with the line for RC_PARAMS that reproduces it; ctest fixes the seed.
void ForRandomCases(const CaseLimits& limits, const std::function<void(const RandomCase&)>& check) {
  const bool holds = rc::check([&] {
    CaseLimits sampled = limits;
    sampled.least_ops = *rc::gen::inRange(limits.least_ops, limits.most_ops + 1);
    sampled.most_ops = sampled.least_ops;
    sampled.least_devices = *rc::gen::inRange(limits.least_devices, limits.most_devices + 1);
    sampled.most_devices = sampled.least_devices;
    const auto values = *rc::gen::element(Values::kRound, Values::kContinuous);
    const RandomCase made = MakeRandomCase(*rc::gen::arbitrary<std::uint64_t>(), values, sampled);
    const std::string failures = FailuresOf([&] { check(made); });
    RC_LOG(failures);
    RC_ASSERT(failures.empty());
  });
  EXPECT_TRUE(holds);
}

sim::SimReport RunOnce(const std::shared_ptr<const sim::OpGraph>& graph,
                       const sim::HardwareProfile& hardware,
                       const sim::Plan& plan) {
  sim::Workspace workspace;
  return EngineAndReference(graph, hardware).RunEngine(plan, workspace);
}

sim::SimReport RunOnce(const RandomCase& made) {
  return RunOnce(made.graph, made.hardware, made.plan);
}

using Span = std::pair<SimTime, SimTime>;

// Sorted by start, each begins no earlier than the one before it ends.
bool Overlap(std::vector<Span> spans) {
  std::ranges::sort(spans);
  for (std::size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].first < spans[i - 1].second) {
      return true;
    }
  }
  return false;
}

TEST(SimulationPropertyTest, MakespanIsAtLeastThePlanBoundAndThatTheProblemBound) {
  ForRandomCases({}, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    EXPECT_GE(report.result.makespan, report.plan_bound);
    EXPECT_GE(report.plan_bound, report.problem_bound);
  });
}

TEST(SimulationPropertyTest, DevicesRunOneOpAtATime) {
  ForRandomCases({}, [](const RandomCase& made) {
    std::map<DeviceId, std::vector<Span>> spans;
    for (const auto& op : RunOnce(made).ops) {
      spans[op.value().device].emplace_back(op->start, op->finish);
    }
    for (const auto& [device, of_device] : spans) {
      EXPECT_FALSE(Overlap(of_device)) << "device " << device.value;
    }
  });
}

TEST(SimulationPropertyTest, ChannelsCarryOneTransferAtATime) {
  ForRandomCases({.least_devices = 2}, [](const RandomCase& made) {
    std::map<std::pair<TensorId, DeviceId>, std::set<std::string>> channels;
    const sim::RouteTable routes(made.hardware);
    const auto costs = CostsOf(*made.graph, made.hardware);
    const ReferenceKernels kernels(*made.graph, made.hardware, *costs, made.plan);
    for (const ReferenceCopy& copy :
         FindCopies(*made.graph, made.hardware, routes, made.plan, kernels)) {
      channels[{copy.tensor, copy.dst}] = copy.channels;
    }
    std::map<std::string, std::vector<Span>> spans;
    for (const sim::TransferSpan& transfer : RunOnce(made).transfers) {
      for (const std::string& channel : channels.at({transfer.tensor, transfer.dst})) {
        spans[channel].emplace_back(transfer.start, transfer.finish);
      }
    }
    for (const auto& [channel, of_channel] : spans) {
      EXPECT_FALSE(Overlap(of_channel)) << channel;
    }
  });
}

// When `tensor` reaches each device: its producer's finish there, its transfer's finish elsewhere.
std::map<std::pair<TensorId, DeviceId>, SimTime> Arrivals(const sim::OpGraph& graph,
                                                          const sim::SimReport& report) {
  std::map<std::pair<TensorId, DeviceId>, SimTime> arrivals;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::OpSpan& producer = report.ops[graph.tensor(TensorId(i)).producer.index()].value();
    arrivals[{TensorId(i), producer.device}] = producer.finish;
  }
  for (const sim::TransferSpan& transfer : report.transfers) {
    arrivals[{transfer.tensor, transfer.dst}] = transfer.finish;
  }
  return arrivals;
}

TEST(SimulationPropertyTest, EveryOpRunsForItsTimeAfterItsInputs) {
  ForRandomCases({}, [](const RandomCase& made) {
    const sim::SimReport report = RunOnce(made);
    const sim::OpGraph& graph = *made.graph;
    const auto costs = CostsOf(graph, made.hardware);
    const sim::RouteTable routes(made.hardware);
    const auto arrivals = Arrivals(graph, report);
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      const sim::OpSpan& span = report.ops[i].value();
      EXPECT_EQ(span.device, made.plan.placement[i]);
      EXPECT_EQ(span.finish - span.start, costs->time(OpId(i), span.device));
      for (const TensorId input : graph.inputs(OpId(i))) {
        EXPECT_GE(span.start, arrivals.at({input, span.device}));
      }
      for (const OpId before : graph.control_inputs(OpId(i))) {
        const sim::OpSpan& earlier = report.ops[before.index()].value();
        const sim::Route* route = routes.Find(earlier.device, span.device);
        EXPECT_GE(span.start, earlier.finish + (route == nullptr ? SimTime{} : route->latency));
      }
    }
  });
}

TEST(SimulationPropertyTest, DevicesTogetherHoldTheMemoryBound) {
  ForRandomCases({}, [](const RandomCase& made) {
    Bytes held;
    for (const sim::DeviceReport& device : RunOnce(made).devices) {
      held += device.peak_memory;
    }
    EXPECT_GE(held, sim::MemoryBound(*made.graph));
  });
}

TEST(SimulationPropertyTest, RenamingOpsChangesNothing) {
  ForRandomCases({}, [](const RandomCase& made) {
    std::vector<sim::OpSpec> specs = sim::SpecsOf(*made.graph);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      specs[i].name = "z" + std::to_string(specs.size() - i);
    }
    const sim::SimReport before = RunOnce(made);
    const sim::SimReport after = RunOnce(MakeGraph(specs), made.hardware, made.plan);
    EXPECT_EQ(before.result, after.result);
    EXPECT_EQ(before.ops, after.ops);
    EXPECT_EQ(before.transfers, after.transfers);
  });
}

// `plan` with op i and all copies on devices `to[…]` of those they were on.
sim::Plan Relabelled(sim::Plan plan, const std::vector<DeviceId>& to) {
  for (DeviceId& device : plan.placement) {
    device = to[device.index()];
  }
  for (sim::TransferPriority& entry : plan.transfer_priority) {
    entry.destination = to[entry.destination.index()];
  }
  return plan;
}

// Gives every possible copy a priority of its own: copies of one tensor to two devices are offered
// at one instant, whatever the durations, and only a priority keeps the device's index from
// deciding.
void OrderAllCopies(Rng& rng, const sim::OpGraph& graph, std::size_t num_devices, sim::Plan& plan) {
  std::vector<std::int64_t> priorities(graph.num_tensors() * num_devices);
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    priorities[i] = static_cast<std::int64_t>(i);
  }
  rng.Shuffle(std::span<std::int64_t>(priorities));
  plan.transfer_priority.clear();
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    plan.transfer_priority.push_back({.tensor = TensorId(i / num_devices),
                                      .destination = DeviceId(i % num_devices),
                                      .priority = priorities[i]});
  }
}

TEST(SimulationPropertyTest, RelabellingEqualDevicesChangesNothingWithoutTies) {
  constexpr std::size_t kNumDevices = 4;
  const std::vector<DeviceId> to = {DeviceId(2), DeviceId(0), DeviceId(3), DeviceId(1)};
  for (std::uint64_t seed = 0; seed < kNumCases; ++seed) {
    Rng rng(seed);
    const sim::HardwareProfile machine =
        seed % 2 == 0 ? StarMachine(kNumDevices, 1) : MeshMachine(kNumDevices, 1);
    const auto graph = RandomGraph(rng, Values::kContinuous, {.most_ops = 60}, machine);
    sim::Plan plan = RandomPlan(rng, *graph, machine);
    OrderAllCopies(rng, *graph, kNumDevices, plan);
    const sim::SimReport before = RunOnce(graph, machine, plan);
    const sim::SimReport after = RunOnce(graph, machine, Relabelled(plan, to));
    EXPECT_EQ(before.result, after.result) << "seed " << seed;
    for (std::size_t i = 0; i < graph->num_ops(); ++i) {
      EXPECT_EQ(before.ops[i]->start, after.ops[i]->start) << "seed " << seed << " op " << i;
    }
  }
}

// Four times as long: exact in binary, so that routes and rounding stay as they were.
TEST(SimulationPropertyTest, FourfoldDurationsMakeAFourfoldSchedule) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
    RandomCase made = MakeRandomCase(seed, Values::kRound, {});
    const sim::SimReport before = RunOnce(made);
    std::vector<sim::OpSpec> specs = sim::SpecsOf(*made.graph);
    for (sim::OpSpec& op : specs) {
      for (sim::MeasuredTime& time : op.seconds) {
        time.seconds *= 4;
      }
    }
    for (sim::Link& link : made.hardware.links) {
      link.latency = SimTime{4 * link.latency.picoseconds};
      link.bandwidth_bytes_per_s /= 4;
    }
    for (sim::ExplicitRoute& route : made.hardware.routes) {
      route.latency = SimTime{4 * route.latency->picoseconds};
    }
    const sim::SimReport after = RunOnce(MakeGraph(specs), made.hardware, made.plan);
    EXPECT_EQ(after.result.makespan.picoseconds, 4 * before.result.makespan.picoseconds);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(after.ops[i]->start.picoseconds, 4 * before.ops[i]->start.picoseconds)
          << "seed " << seed << " op " << i;
    }
  }
}

TEST(SimulationPropertyTest, OneDeviceTakesTheSumOfAllOps) {
  ForRandomCases({.most_devices = 1}, [](const RandomCase& made) {
    const auto costs = CostsOf(*made.graph, made.hardware);
    SimTime sum;
    for (std::size_t i = 0; i < made.graph->num_ops(); ++i) {
      sum += costs->time(OpId(i), DeviceId(0));
    }
    const sim::SimReport report = RunOnce(made);
    EXPECT_EQ(report.result.makespan, sum);
    EXPECT_EQ(report.plan_bound, sum);
    EXPECT_EQ(report.result.num_transfers, 0);
  });
}

TEST(SimulationPropertyTest, RepeatedRunsAgreeWhateverTheWorkspaceDidBetween) {
  sim::Workspace shared;
  ForRandomCases({}, [&shared](const RandomCase& made) {
    const EngineAndReference both(made.graph, made.hardware);
    sim::Workspace fresh;
    Rng rng(7);
    const sim::Plan other = RandomPlan(rng, *made.graph, made.hardware);
    const sim::SimResult first = both.simulator().Run(made.plan, shared);
    static_cast<void>(both.simulator().Run(other, shared));
    EXPECT_EQ(both.simulator().Run(made.plan, shared), first);
    EXPECT_EQ(both.simulator().Run(made.plan, fresh), first);
  });
}

// The same plan with its priorities replaced by `scale` times their ranks above that of 0, which
// fifo gives.
sim::Plan WithRanks(const sim::Plan& plan, std::int64_t scale) {
  std::set<std::int64_t> values(plan.op_priority.begin(), plan.op_priority.end());
  values.insert(0);
  for (const sim::TransferPriority& transfer : plan.transfer_priority) {
    values.insert(transfer.priority);
  }
  std::map<std::int64_t, std::int64_t> ranks;
  for (auto value = values.begin(); value != values.end(); ++value) {
    ranks.emplace(*value,
                  scale * (std::distance(values.begin(), value) -
                           std::distance(values.begin(), values.find(0))));
  }
  sim::Plan ranked = plan;
  for (std::int64_t& priority : ranked.op_priority) {
    priority = ranks.at(priority);
  }
  for (sim::TransferPriority& transfer : ranked.transfer_priority) {
    transfer.priority = ranks.at(transfer.priority);
  }
  return ranked;
}

// Few small priorities are levels, more are packed into one word with what else orders queues;
// large ones are neither, nor are those of a run that is recorded.
TEST(SimulationPropertyTest, OnlyTheOrderOfPrioritiesCounts) {
  ForRandomCases({}, [](const RandomCase& made) {
    const EngineAndReference both(made.graph, made.hardware);
    sim::Workspace workspace;
    const sim::SimResult expected = RunOnce(made).result;
    for (const std::int64_t scale : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1} << 40}) {
      EXPECT_EQ(both.simulator().Run(WithRanks(made.plan, scale), workspace), expected);
    }
  });
}

// The tensor whose storage on `device` `tensor` shares, and whether that is parameters.
std::pair<TensorId, bool> RootOf(const RandomCase& made, TensorId tensor, DeviceId device) {
  const sim::Tensor* made_here = &made.graph->tensor(tensor);
  while (made.plan.placement[made_here->producer.index()] == device &&
         made_here->alias == sim::Alias::kInput) {
    tensor = made_here->aliased;
    made_here = &made.graph->tensor(tensor);
  }
  const bool is_here = made.plan.placement[made_here->producer.index()] == device;
  return {tensor, is_here && made_here->alias == sim::Alias::kParams};
}

// The bytes left on each device: parameters, storages with a kept output, copies of parameters.
std::vector<Bytes> ExpectedAtEnd(const RandomCase& made) {
  std::vector<Bytes> expected(made.hardware.num_devices());
  std::set<std::pair<TensorId, DeviceId>> held;
  for (std::size_t i = 0; i < made.graph->num_tensors(); ++i) {
    const sim::Tensor& tensor = made.graph->tensor(TensorId(i));
    const DeviceId home = made.plan.placement[tensor.producer.index()];
    if (const auto [root, is_params] = RootOf(made, TensorId(i), home); tensor.keep && !is_params) {
      held.insert({root, home});
    }
    for (const OpId consumer : made.graph->consumers(TensorId(i))) {
      const DeviceId there = made.plan.placement[consumer.index()];
      if (made.graph->aliases_params(TensorId(i)) && there != home) {
        held.insert({TensorId(i), there});
      }
    }
  }
  for (const auto& [tensor, device] : held) {
    expected[device.index()] += made.graph->tensor(tensor).bytes;
  }
  for (std::size_t i = 0; i < made.graph->num_ops(); ++i) {
    expected[made.plan.placement[i].index()] += made.graph->op(OpId(i)).param_bytes;
  }
  return expected;
}

// The check is on the reference, with which the engine agrees on every peak and resident.
TEST(SimulationPropertyTest, MemoryReturnsToWhatIsResidentOrKept) {
  ForRandomCases({}, [](const RandomCase& made) {
    const auto costs = CostsOf(*made.graph, made.hardware);
    EXPECT_EQ(SimulateSlowly(*made.graph, made.hardware, *costs, made.plan).in_use_at_end,
              ExpectedAtEnd(made));
  });
}

}  // namespace
}  // namespace opyard::testing
