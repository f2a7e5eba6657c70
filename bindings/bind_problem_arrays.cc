// The arrays of opyard._core.Problem: costs, routes, and the observations of learners.
#include <limits>

#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "env/observation.h"

namespace opyard::bindings {

namespace py = pybind11;
using namespace py::literals;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

py::ssize_t Size(std::int64_t count) {
  return static_cast<py::ssize_t>(count);
}

// [num_ops, num_devices], in seconds.
std::vector<double> OpSeconds(const env::Problem& problem) {
  std::vector<double> seconds;
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    for (std::size_t device = 0; device < problem.hardware().num_devices(); ++device) {
      seconds.push_back(problem.costs().time(OpId(op), DeviceId(device)).seconds());
    }
  }
  return seconds;
}

// [num_groups, num_devices].
py::array_t<bool> AllowedDevices(const env::Problem& problem) {
  const std::int32_t num_groups = problem.grouping().num_groups;
  const auto num_devices = static_cast<std::int64_t>(problem.hardware().num_devices());
  py::array_t<bool> allowed({Size(num_groups), Size(num_devices)});
  auto cells = allowed.mutable_unchecked<2>();
  for (std::int32_t group = 0; group < num_groups; ++group) {
    for (std::int64_t device = 0; device < num_devices; ++device) {
      cells(group, device) = false;
    }
    for (const DeviceId device : problem.AllowedDevices(GroupId(group))) {
      cells(group, device.value) = true;
    }
  }
  return allowed;
}

struct RouteFigures {
  std::vector<double> latency_s;              // [num_devices, num_devices], sources first
  std::vector<double> bandwidth_bytes_per_s;  // the same
};

// Latency 0 and infinite bandwidth where a transfer takes no time: within a device, and between
// devices without a route, as on the machines of `rules: regal`, whose transfers are free.
RouteFigures RoutesOf(const env::Problem& problem) {
  RouteFigures figures;
  const std::size_t num_devices = problem.hardware().num_devices();
  for (std::size_t from = 0; from < num_devices; ++from) {
    for (std::size_t to = 0; to < num_devices; ++to) {
      const sim::Route* route =
          from == to ? nullptr : problem.routes().Find(DeviceId(from), DeviceId(to));
      figures.latency_s.push_back(route == nullptr ? 0.0 : route->latency.seconds());
      figures.bandwidth_bytes_per_s.push_back(route == nullptr ? kInfinity
                                                               : route->bandwidth_bytes_per_s);
    }
  }
  return figures;
}

std::vector<std::int64_t> Capacities(const sim::HardwareProfile& hardware) {
  std::vector<std::int64_t> bytes;
  for (std::size_t device = 0; device < hardware.num_devices(); ++device) {
    bytes.push_back(hardware.capacity(DeviceId(device)).count);
  }
  return bytes;
}

py::dict ArraysOf(const env::Problem& problem) {
  const auto ops = Size(static_cast<std::int64_t>(problem.graph().num_ops()));
  const auto devices = Size(static_cast<std::int64_t>(problem.hardware().num_devices()));
  const RouteFigures routes = RoutesOf(problem);
  return py::dict(
      "op_seconds"_a = ToArray(OpSeconds(problem), {ops, devices}),
      "allowed"_a = AllowedDevices(problem),
      "capacity_bytes"_a = ToArray(Capacities(problem.hardware()), {devices}),
      "latency_s"_a = ToArray(routes.latency_s, {devices, devices}),
      "bandwidth_bytes_per_s"_a = ToArray(routes.bandwidth_bytes_per_s, {devices, devices}));
}

py::dict ObservationOf(const env::Problem& problem) {
  const env::Observation seen = env::Observe(problem);
  const py::ssize_t ops = Size(seen.num_ops);
  const py::ssize_t edges = Size(seen.num_edges);
  const py::ssize_t devices = Size(seen.num_devices);
  return py::dict(
      "op_type"_a = ToArray(seen.op_type, {ops}),
      "x"_a = ToArray(seen.x, {ops, Size(env::kNumFeatures)}),
      "edge_index"_a = ToArray(seen.edge_index, {2, edges}),
      "edge_x"_a = ToArray(seen.edge_x, {edges, Size(env::kNumEdgeFeatures)}),
      "device_x"_a = ToArray(seen.device_x, {devices, Size(env::kNumDeviceFeatures)}),
      "pair_x"_a = ToArray(seen.pair_x, {devices, devices, Size(env::kNumPairFeatures)}),
      "topological_order"_a = ToArray(seen.topological_order, {ops}),
      "group_id"_a = ToArray(seen.group_id, {ops}));
}

}  // namespace

void BindProblemArrays(ProblemClass& problem) {
  problem
      .def("arrays", &ArraysOf, R"(What ops and transfers take, as NumPy arrays, fresh copies.

Returns:
    ``op_seconds``: float64 [num_ops, num_devices], alone and unfused, also where it may not run.
    ``allowed``: bool [num_groups, num_devices], where a group may be placed.
    ``capacity_bytes``: int64 [num_devices].
    ``latency_s``, ``bandwidth_bytes_per_s``: float64 [num_devices, num_devices], of the route from
    the first to the second; 0 and infinity where a transfer takes no time, within a device and
    on machines whose transfers are free.
)")
      .def("observation", &ObservationOf, R"(What learners see, as NumPy arrays, fresh copies.

Returns:
    The arrays that `envs.OneShotEnv` observes as ``dict``, without padding and masks.
)");
}

}  // namespace opyard::bindings
