#include "bindings/environment_arguments.h"

#include <algorithm>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "env/reward.h"
#include "sim/base/error.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

// Observations are padded to that many of each: no more than a graph file may hold.
constexpr std::int64_t kMostOps = std::int64_t{1} << 21;
constexpr std::int64_t kMostEdges = std::int64_t{1} << 24;

py::ssize_t Count(std::int64_t count) {
  return static_cast<py::ssize_t>(count);
}

}  // namespace

env::EnvironmentOptions ToEnvironmentOptions(const std::vector<GraphOrReference>& graphs,
                                             const std::vector<MachineOrReference>& machines,
                                             const SettingArguments& settings,
                                             const EnvArguments& more) {
  env::EnvironmentOptions options{.settings = ToSettings(settings)};
  if (more.max_ops.has_value()) {
    InRange("max_ops", *more.max_ops, 1, kMostOps);
  }
  if (more.max_edges.has_value()) {
    InRange("max_edges", *more.max_edges, 1, kMostEdges);
  }
  options.reward = env::RewardKindOf(more.reward);
  options.max_ops = more.max_ops;
  options.max_edges = more.max_edges;
  options.noise = more.noise;
  for (const GraphOrReference& graph : graphs) {
    options.graphs.push_back(ToGraph(graph));
  }
  for (const MachineOrReference& machine : machines) {
    options.machines.push_back(ToMachine(machine));
  }
  return options;
}

void RefuseOtherVersion() {
  throw InputError("pickled environment: it was pickled by another version of opyard");
}

py::tuple OptionsTuple(const env::EnvironmentOptions& options) {
  py::list graphs;
  for (const auto& graph : options.graphs) {
    graphs.append(std::const_pointer_cast<sim::OpGraph>(graph));
  }
  py::list machines;
  for (const auto& machine : options.machines) {
    machines.append(std::const_pointer_cast<sim::HardwareProfile>(machine));
  }
  return py::make_tuple(graphs,
                        machines,
                        SettingsTuple(options.settings),
                        NameOf(options.reward),
                        options.max_ops,
                        options.max_edges,
                        options.noise);
}

env::EnvironmentOptions OptionsIn(const py::tuple& state) {
  if (state.size() != 7) {
    RefuseOtherVersion();
  }
  const auto graphs = py::cast<std::vector<GraphOrReference>>(state[0]);
  const auto machines = py::cast<std::vector<MachineOrReference>>(state[1]);
  const SettingArguments settings = ArgumentsIn(py::cast<py::tuple>(state[2]));
  const EnvArguments more{.reward = py::cast<std::string>(state[3]),
                          .max_ops = py::cast<std::optional<std::int64_t>>(state[4]),
                          .max_edges = py::cast<std::optional<std::int64_t>>(state[5]),
                          .noise = py::cast<double>(state[6])};
  const py::gil_scoped_release released;
  return ToEnvironmentOptions(graphs, machines, settings, more);
}

py::tuple InfoTuple(const env::EpisodeInfo& info) {
  return py::make_tuple(static_cast<std::uint8_t>(info.outcome),
                        info.makespan.picoseconds,
                        info.peak_memory.count,
                        info.lower_bound.picoseconds,
                        info.problem_bound.picoseconds,
                        info.reference.picoseconds);
}

env::EpisodeInfo InfoIn(const py::tuple& state) {
  if (state.size() != 6) {
    RefuseOtherVersion();
  }
  const auto time = [&](std::size_t i) { return SimTime{py::cast<std::int64_t>(state[i])}; };
  const auto outcome = py::cast<std::uint8_t>(state[0]);
  if (outcome > static_cast<std::uint8_t>(env::EpisodeOutcome::kDeadlock)) {
    RefuseOtherVersion();
  }
  return {.outcome = static_cast<env::EpisodeOutcome>(outcome),
          .makespan = time(1),
          .peak_memory = Bytes{py::cast<std::int64_t>(state[2])},
          .lower_bound = time(3),
          .problem_bound = time(4),
          .reference = time(5)};
}

py::dict InfoDictOf(const env::EpisodeInfo& info, std::size_t stage, std::size_t num_machines) {
  py::dict dict;  // key by key: by keywords it takes four times as long
  dict["outcome"] = static_cast<int>(info.outcome);
  dict["makespan_s"] = info.makespan.seconds();
  dict["peak_memory_bytes"] = info.peak_memory.count;
  dict["lower_bound_s"] = info.lower_bound.seconds();
  dict["problem_bound_s"] = info.problem_bound.seconds();
  dict["reference_s"] = info.reference.seconds();
  dict["graph_index"] = stage / num_machines;
  dict["machine_index"] = stage % num_machines;
  return dict;
}

py::array_t<std::int8_t> FlagArray(const std::vector<std::uint8_t>& flags) {
  py::array_t<std::int8_t> array(static_cast<py::ssize_t>(flags.size()));
  std::ranges::copy(flags, array.mutable_data());
  return array;
}

py::dict PaddedDict(const env::PaddedObservation& padded) {
  const py::ssize_t ops = Count(padded.room.max_ops);
  const py::ssize_t edges = Count(padded.room.max_edges);
  const py::ssize_t devices = Count(padded.room.max_devices);
  const auto columns = [](std::size_t count) { return static_cast<py::ssize_t>(count); };
  return py::dict(
      "op_type"_a = ToArray(padded.op_type, {ops}),
      "x"_a = ToArray(padded.x, {ops, columns(env::kNumFeatures)}),
      "edge_index"_a = ToArray(padded.edge_index, {2, edges}),
      "edge_x"_a = ToArray(padded.edge_x, {edges, columns(env::kNumEdgeFeatures)}),
      "device_x"_a = ToArray(padded.device_x, {devices, columns(env::kNumDeviceFeatures)}),
      "pair_x"_a = ToArray(padded.pair_x, {devices, devices, columns(env::kNumPairFeatures)}),
      "topological_order"_a = ToArray(padded.topological_order, {ops}),
      "group_id"_a = ToArray(padded.group_id, {ops}),
      "op_mask"_a = FlagArray(padded.op_mask),
      "edge_mask"_a = FlagArray(padded.edge_mask),
      "machine_mask"_a = FlagArray(padded.machine_mask));
}

}  // namespace opyard::bindings
