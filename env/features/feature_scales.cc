#include "env/features/feature_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "env/features/main_devices.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"

namespace opyard::env {
namespace {

double MeanOrZero(double sum, std::size_t count) {
  return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

// The mean time of `op` over `devices`. REQUIRES: some device.
SimTime MeanTime(const sim::CostTable& costs, OpId op, std::span<const DeviceId> devices) {
  double sum_ps = 0.0;  // exact up to 2^53 ps, two and a half hours
  for (const DeviceId device : devices) {
    sum_ps += static_cast<double>(costs.time(op, device).picoseconds);
  }
  return SimTime{std::llround(sum_ps / static_cast<double>(devices.size()))};
}

// For each group of the problem, the devices over which the times of its ops are averaged.
std::vector<std::vector<DeviceId>> DevicesOfMeans(const Problem& problem,
                                                  const std::vector<DeviceId>& main_devices) {
  std::vector<std::vector<DeviceId>> of_group;
  for (std::int32_t group = 0; group < problem.grouping().num_groups; ++group) {
    const std::span<const DeviceId> allowed = problem.AllowedDevices(GroupId(group));
    std::vector<DeviceId> devices;
    std::ranges::set_intersection(allowed, main_devices, std::back_inserter(devices));
    if (devices.empty()) {
      devices.assign(allowed.begin(), allowed.end());
    }
    of_group.push_back(std::move(devices));
  }
  return of_group;
}

void ComputeTimeScales(const Problem& problem, FeatureScales& scales) {
  const auto devices_of_group = DevicesOfMeans(problem, scales.main_devices);
  std::size_t num_timed = 0;
  for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
    const auto group = static_cast<std::size_t>(problem.grouping().group_of[op]);
    const SimTime time = MeanTime(problem.costs(), OpId(op), devices_of_group[group]);
    scales.op_times.push_back(time);
    scales.work += time;
    num_timed += time > SimTime{} ? 1 : 0;
  }
  scales.op_time_ps = MeanOrZero(static_cast<double>(scales.work.picoseconds), num_timed);
}

void ComputeByteScales(const Problem& problem, FeatureScales& scales) {
  const sim::OpGraph& graph = problem.graph();
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    scales.needs += graph.op(OpId(op)).param_bytes + OwnOutputBytes(graph, OpId(op));
  }
  Bytes read;
  std::size_t num_read = 0;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    if (!graph.consumers(TensorId(i)).empty()) {
      read += graph.tensor(TensorId(i)).bytes;
      ++num_read;
    }
  }
  scales.mean_tensor_bytes = MeanOrZero(static_cast<double>(read.count), num_read);
  double capacity_bytes = 0.0;
  for (const DeviceId device : scales.main_devices) {
    capacity_bytes += static_cast<double>(problem.hardware().capacity(device).count);
  }
  scales.capacity_bytes = MeanOrZero(capacity_bytes, scales.main_devices.size());
}

MeanRoute MeanRouteOf(const sim::LoweredProblem& lowered,
                      const std::vector<DeviceId>& main_devices) {
  std::vector<double> latencies_ps;
  std::vector<double> ps_per_byte;
  for (const DeviceId src : main_devices) {
    for (const DeviceId dst : main_devices) {
      const sim::LoweredRoute& route = lowered.route(src.value, dst.value);
      if (route.exists) {
        latencies_ps.push_back(static_cast<double>(route.latency_ps));
        ps_per_byte.push_back(1e12 / route.bandwidth_bytes_per_s);
      }
    }
  }
  const auto mean = [](std::vector<double>& values) {
    std::ranges::sort(values);
    return MeanOrZero(std::accumulate(values.begin(), values.end(), 0.0), values.size());
  };
  return {.latency_ps = mean(latencies_ps), .ps_per_byte = mean(ps_per_byte)};
}

}  // namespace

FeatureScales ComputeFeatureScales(const Problem& problem) {
  FeatureScales scales{.main_devices = MainDevices(problem)};
  ComputeTimeScales(problem, scales);
  ComputeByteScales(problem, scales);
  scales.mean_route = MeanRouteOf(problem.simulator().problem(), scales.main_devices);
  return scales;
}

Bytes OwnOutputBytes(const sim::OpGraph& graph, OpId op) {
  Bytes own;
  for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
    const sim::Tensor& tensor = graph.tensor(graph.output(op, i));
    own += tensor.alias == sim::Alias::kNone ? tensor.bytes : Bytes{};
  }
  return own;
}

double Squash(double part, double whole) {
  if (part <= 0.0) {
    return 0.0;
  }
  if (whole <= 0.0) {
    return 1.0;
  }
  // The ratio first: it stays the same, to the bit, where both sides are scaled by a power of two.
  const double root = std::sqrt(std::min(part / whole, std::numeric_limits<double>::max()));
  return root / (1.0 + root);
}

}  // namespace opyard::env
