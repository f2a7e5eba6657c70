// Properties of every observation, on random graphs and machines.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "env/observation.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/hardware/routes.h"
#include "tests/env/features/hand_case.h"
#include "tests/support/random_cases.h"

namespace opyard::env {
namespace {

using opyard::testing::CaseLimits;
using opyard::testing::RandomCase;
using opyard::testing::Values;
using Rows = std::vector<std::vector<float>>;

// Ops with FLOPs and traffic beside measured ones, on machines of GPUs and CPUs.
RandomCase AnyCase() {
  CaseLimits limits{.fuses = true};
  limits.most_ops = *rc::gen::inRange<std::int64_t>(1, 41);
  limits.most_devices = *rc::gen::inRange<std::int64_t>(1, 7);
  const auto values = *rc::gen::element(Values::kRound, Values::kContinuous);
  return opyard::testing::MakeRandomCase(*rc::gen::arbitrary<std::uint64_t>(), values, limits);
}

std::shared_ptr<const sim::OpGraph> Built(std::vector<sim::OpSpec> ops, sim::Measured measured) {
  sim::OpGraphBuilder builder("altered");
  builder.SetMeasured(measured);
  for (sim::OpSpec& op : ops) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

Observation Seen(std::shared_ptr<const sim::OpGraph> graph, sim::HardwareProfile machine) {
  return Observe(*MakeProblem(std::move(graph), std::move(machine)));
}

Observation Seen(const RandomCase& made) {
  return Seen(made.graph, made.hardware);
}

// The `width` numbers of each row.
Rows RowsOf(const std::vector<float>& values, std::size_t width) {
  Rows rows;
  for (auto first = values.begin(); first != values.end();
       first += static_cast<std::ptrdiff_t>(width)) {
    rows.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
  }
  return rows;
}

void Blank(Rows& rows, std::size_t column) {
  for (std::vector<float>& row : rows) {
    row[column] = 0.0F;
  }
}

// A random order of `indices`.
std::vector<std::size_t> Shuffled(std::vector<std::size_t> indices) {
  Rng rng(*rc::gen::arbitrary<std::uint64_t>());
  for (std::size_t i = indices.size(); i > 1; --i) {
    std::swap(indices[i - 1], indices[static_cast<std::size_t>(rng.Below(i))]);
  }
  return indices;
}

std::vector<std::size_t> Count(std::size_t count) {
  std::vector<std::size_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

RC_GTEST_PROP(ObservationProperty, AllFeaturesLieBetweenZeroAndOne, ()) {
  CaseLimits limits{.rules = opyard::testing::kAllRules, .fuses = *rc::gen::arbitrary<bool>()};
  const Observation seen = Seen(opyard::testing::MakeRandomCase(
      *rc::gen::arbitrary<std::uint64_t>(), Values::kContinuous, limits));
  for (const std::vector<float>* values : {&seen.x, &seen.edge_x, &seen.device_x, &seen.pair_x}) {
    RC_ASSERT(std::ranges::all_of(*values, [](float v) { return v >= 0.0F && v <= 1.0F; }));
  }
}

// --- Scaling ---

Bytes Times(Bytes bytes, std::int64_t factor) {
  return Bytes{bytes.count * factor};
}

std::shared_ptr<const sim::OpGraph> ScaledGraph(const sim::OpGraph& graph, std::int64_t factor) {
  std::vector<sim::OpSpec> ops = sim::SpecsOf(graph);
  for (sim::OpSpec& op : ops) {
    op.flops.count *= static_cast<double>(factor);
    op.bytes_accessed = Times(*op.bytes_accessed, factor);
    op.param_bytes = Times(op.param_bytes, factor);
    op.weight_bytes = Times(*op.weight_bytes, factor);
    op.workspace_bytes = Times(op.workspace_bytes, factor);
    for (sim::OutputSpec& output : op.outputs) {
      output.bytes = Times(output.bytes, factor);
    }
  }
  return Built(std::move(ops), graph.measured());
}

sim::HardwareProfile ScaledMachine(sim::HardwareProfile machine, std::int64_t factor) {
  const auto rate = static_cast<double>(factor);
  for (sim::Device& device : machine.devices) {
    device.memory = Times(device.memory, factor);
    device.memory_bandwidth_bytes_per_s *= rate;
    for (auto& [dtype, flops_per_s] : device.peak_flops_per_s) {
      flops_per_s *= rate;
    }
    if (device.cost.l2.has_value()) {
      device.cost.l2->size = Times(device.cost.l2->size, factor);
      device.cost.l2->bandwidth_bytes_per_s *= rate;
    }
  }
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s *= rate;
  }
  return machine;
}

// `machine` with its routes as explicit ones, which hold at any bandwidth. The cheapest ones do
// not: they are those of 1 MiB, whatever the sizes of the graph (docs/modelling.md, "Routes"), so
// that with higher bandwidths latencies count for more.
sim::HardwareProfile WithFixedRoutes(sim::HardwareProfile machine) {
  const sim::RouteTable routes(machine);
  machine.routes.clear();
  for (std::size_t src = 0; src < machine.num_devices(); ++src) {
    for (std::size_t dst = 0; dst < machine.num_devices(); ++dst) {
      if (const sim::Route* route = routes.Find(DeviceId(src), DeviceId(dst)); route != nullptr) {
        sim::ExplicitRoute fixed{
            .from = DeviceId(src), .to = DeviceId(dst), .links = {}, .latency = route->latency};
        std::ranges::transform(
            route->hops, std::back_inserter(fixed.links), &sim::LinkDirection::link);
        machine.routes.push_back(std::move(fixed));
      }
    }
  }
  return machine;
}

RC_GTEST_PROP(ObservationProperty, ScalingAllSizesAndRatesByAPowerOfTwoLeavesRatiosToTheBit, ()) {
  RandomCase made = AnyCase();
  for (sim::Device& device : made.hardware.devices) {
    if (*rc::gen::arbitrary<bool>()) {
      device.cost.l2 = sim::CacheTier{.size = Bytes{4'000'000}, .bandwidth_bytes_per_s = 7e12};
    }
  }
  const std::int64_t factor = std::int64_t{1} << *rc::gen::inRange(1, 12);
  const Observation once = Seen(made);
  const Observation scaled =
      Seen(ScaledGraph(*made.graph, factor), ScaledMachine(WithFixedRoutes(made.hardware), factor));

  RC_ASSERT(once.device_x == scaled.device_x);
  RC_ASSERT(once.pair_x == scaled.pair_x);
  for (std::size_t column = 0; column < kNumFeatures; ++column) {
    // of the rest, only logarithms of bytes and FLOPs change
    if (column >= kFirstRatio || column > ColumnIndex(kFeatureNames, "flops")) {
      RC_ASSERT(ColumnOf(once.x, kFeatureNames, kFeatureNames[column]) ==
                ColumnOf(scaled.x, kFeatureNames, kFeatureNames[column]));
    }
  }
  for (const std::string_view name : {"transfer_to_op_time", "is_data", "is_control"}) {
    RC_ASSERT(ColumnOf(once.edge_x, kEdgeFeatureNames, name) ==
              ColumnOf(scaled.edge_x, kEdgeFeatureNames, name));
  }
}

// --- Permuting ---

// The ops of `graph`, op i as op order[i].
std::shared_ptr<const sim::OpGraph> Reordered(const sim::OpGraph& graph,
                                              const std::vector<std::size_t>& order) {
  const std::vector<sim::OpSpec> ops = sim::SpecsOf(graph);
  std::vector<sim::OpSpec> reordered(ops.size());
  const auto renamed = [&](std::int64_t op) {
    return static_cast<std::int64_t>(order[static_cast<std::size_t>(op)]);
  };
  for (std::size_t i = 0; i < ops.size(); ++i) {
    sim::OpSpec op = ops[i];
    for (sim::InputRef& input : op.inputs) {
      input.op = renamed(input.op);
    }
    std::ranges::transform(op.control_inputs, op.control_inputs.begin(), renamed);
    reordered[order[i]] = std::move(op);
  }
  return Built(std::move(reordered), graph.measured());
}

// Rows of edge_x by the ends of the edge, op i called order[i].
std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> EdgeRows(
    const Observation& seen, const std::vector<std::size_t>& order) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> rows;
  const Rows all = RowsOf(seen.edge_x, kNumEdgeFeatures);
  const auto end_of = [&](std::size_t i) {
    return order[static_cast<std::size_t>(seen.edge_index[i])];
  };
  for (std::size_t edge = 0; edge < all.size(); ++edge) {
    rows[{end_of(edge), end_of(all.size() + edge)}] = all[edge];
  }
  return rows;
}

RC_GTEST_PROP(ObservationProperty, PermutingOpsPermutesTheirRowsAndNothingElse, ()) {
  const RandomCase made = AnyCase();
  const std::vector<std::size_t> order = Shuffled(Count(made.graph->num_ops()));
  const Observation seen = Seen(made);
  const Observation permuted = Seen(Reordered(*made.graph, order), made.hardware);

  Rows expected = RowsOf(seen.x, kNumFeatures);
  Rows found = RowsOf(permuted.x, kNumFeatures);
  // Ops that do not wait for each other stand in the topological order as they do in the graph.
  Blank(expected, ColumnIndex(kFeatureNames, "rank"));
  Blank(found, ColumnIndex(kFeatureNames, "rank"));
  for (std::size_t op = 0; op < order.size(); ++op) {
    RC_ASSERT(found[order[op]] == expected[op]);
    RC_ASSERT(permuted.op_type[order[op]] == seen.op_type[op]);
  }
  RC_ASSERT(EdgeRows(permuted, Count(order.size())) == EdgeRows(seen, order));
  RC_ASSERT(permuted.device_x == seen.device_x);
  RC_ASSERT(permuted.pair_x == seen.pair_x);
}

// An order of the devices in which each stands where one of its kind stood: device i of `machine`
// becomes device order[i].
std::vector<std::size_t> OrderWithinKinds(const sim::HardwareProfile& machine) {
  std::map<sim::DeviceKind, std::vector<std::size_t>> of_kind;
  for (std::size_t i = 0; i < machine.num_devices(); ++i) {
    of_kind[machine.devices[i].kind].push_back(i);
  }
  std::vector<std::size_t> order(machine.num_devices());
  for (const auto& [kind, devices] : of_kind) {
    const std::vector<std::size_t> places = Shuffled(devices);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      order[devices[i]] = places[i];
    }
  }
  return order;
}

sim::HardwareProfile Reordered(sim::HardwareProfile machine,
                               const std::vector<std::size_t>& order) {
  const std::vector<sim::Device> devices = machine.devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    machine.devices[order[i]] = devices[i];
  }
  for (sim::Link& link : machine.links) {
    for (sim::NodeIndex& node : link.between) {
      const auto index = static_cast<std::size_t>(node);
      node = index < order.size() ? static_cast<sim::NodeIndex>(order[index]) : node;
    }
  }
  for (sim::ExplicitRoute& route : machine.routes) {
    route.from = DeviceId(order[route.from.index()]);
    route.to = DeviceId(order[route.to.index()]);
  }
  return machine;
}

RC_GTEST_PROP(ObservationProperty, PermutingDevicesOfOneKindPermutesTheirRowsAndNothingElse, ()) {
  const RandomCase made = AnyCase();
  const std::vector<std::size_t> order = OrderWithinKinds(made.hardware);
  const Observation seen = Seen(made);
  const Observation permuted = Seen(made.graph, Reordered(made.hardware, order));

  RC_ASSERT(permuted.x == seen.x);
  RC_ASSERT(permuted.edge_x == seen.edge_x);
  Rows expected = RowsOf(seen.device_x, kNumDeviceFeatures);
  Rows found = RowsOf(permuted.device_x, kNumDeviceFeatures);
  // A slot belongs to the place, not to the device in it.
  RC_ASSERT(ColumnOf(permuted.device_x, kDeviceFeatureNames, "slot") ==
            ColumnOf(seen.device_x, kDeviceFeatureNames, "slot"));
  Blank(expected, ColumnIndex(kDeviceFeatureNames, "slot"));
  Blank(found, ColumnIndex(kDeviceFeatureNames, "slot"));
  const Rows pairs = RowsOf(seen.pair_x, kNumPairFeatures);
  const Rows permuted_pairs = RowsOf(permuted.pair_x, kNumPairFeatures);
  const std::size_t count = order.size();
  for (std::size_t a = 0; a < count; ++a) {
    RC_ASSERT(found[order[a]] == expected[a]);
    for (std::size_t b = 0; b < count; ++b) {
      RC_ASSERT(permuted_pairs[order[a] * count + order[b]] == pairs[a * count + b]);
    }
    for (std::size_t group = 0; group < static_cast<std::size_t>(seen.num_groups); ++group) {
      RC_ASSERT(permuted.device_mask[group * count + order[a]] ==
                seen.device_mask[group * count + a]);
    }
  }
}

// --- A host that nobody needs ---

// `machine` with a slow CPU as the last device, linked to device `to`.
sim::HardwareProfile WithHost(sim::HardwareProfile machine, std::size_t to) {
  const auto host = static_cast<sim::NodeIndex>(machine.num_devices());
  for (sim::Link& link : machine.links) {
    for (sim::NodeIndex& node : link.between) {
      node += node >= host ? 1 : 0;  // switches come after the devices
    }
  }
  machine.devices.push_back(sim::Device{.name = "slow_host",
                                        .type = "slow-host",
                                        .kind = sim::DeviceKind::kCpu,
                                        .memory = Bytes{3'000'000},
                                        .memory_bandwidth_bytes_per_s = 1e6,
                                        .peak_flops_per_s = {{sim::DType::kF32, 1e6}},
                                        .launch_overhead_s = 1e-3});
  machine.links.push_back({.name = "to-host",
                           .between = {static_cast<sim::NodeIndex>(to), host},
                           .bandwidth_bytes_per_s = 1e5,
                           .latency = SimTime{9'000'000}});
  return machine;
}

RC_GTEST_PROP(ObservationProperty, ASlowHostThatNoOpNeedsChangesNothingElse, ()) {
  RandomCase made = AnyCase();
  for (sim::Device& device : made.hardware.devices) {
    device.kind = sim::DeviceKind::kGpu;
  }
  std::vector<sim::OpSpec> ops = sim::SpecsOf(*made.graph);
  for (sim::OpSpec& op : ops) {
    op.device_kinds = sim::DeviceKindSet::All();
  }
  const auto graph = Built(std::move(ops), made.graph->measured());
  const std::size_t count = made.hardware.num_devices();
  const std::size_t linked = *rc::gen::inRange<std::size_t>(0, count);
  const Observation without = Seen(graph, made.hardware);
  const Observation with = Seen(graph, WithHost(made.hardware, linked));

  RC_ASSERT(with.x == without.x);
  RC_ASSERT(with.edge_x == without.edge_x);
  const Rows devices = RowsOf(without.device_x, kNumDeviceFeatures);
  const Rows devices_with = RowsOf(with.device_x, kNumDeviceFeatures);
  const Rows pairs = RowsOf(without.pair_x, kNumPairFeatures);
  const Rows pairs_with = RowsOf(with.pair_x, kNumPairFeatures);
  for (std::size_t a = 0; a < count; ++a) {
    RC_ASSERT(devices_with[a] == devices[a]);
    for (std::size_t b = 0; b < count; ++b) {
      RC_ASSERT(pairs_with[a * (count + 1) + b] == pairs[a * count + b]);
    }
  }
}

}  // namespace
}  // namespace opyard::env
