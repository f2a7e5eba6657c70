// Feature scales: the sums and means of a problem that its features are ratios to, as defined at
// the head of columns.h.
#pragma once

#include <cstdint>
#include <vector>

#include "env/problem.h"

namespace opyard::env {

// τ of columns.h: the mean over the routes between main devices. Sums are taken in ascending order,
// so that they do not depend on the order of the devices.
struct MeanRoute {
  double latency_ps = 0.0;
  double ps_per_byte = 0.0;

  // `num_tensors` one after the other, with so many bytes together.
  [[nodiscard]] double Picoseconds(std::int64_t num_tensors, Bytes bytes) const {
    return static_cast<double>(num_tensors) * latency_ps +
           static_cast<double>(bytes.count) * ps_per_byte;
  }
};

// Times are whole picoseconds, so that sums are exact in any order of the ops.
struct FeatureScales {
  std::vector<DeviceId> main_devices;
  std::vector<SimTime> op_times;   // [num_ops]: t(o)
  SimTime work;                    // Σ t(o)
  double op_time_ps = 0.0;         // the mean over the ops that take time; 0 if none does
  double capacity_bytes = 0.0;     // mean over the main devices
  Bytes needs;                     // parameters and outputs with storage of their own
  double mean_tensor_bytes = 0.0;  // over the tensors that some op reads; 0 if none is
  MeanRoute mean_route;
};

// O(ops · devices + tensors + devices²).
[[nodiscard]] FeatureScales ComputeFeatureScales(const Problem& problem);

// The bytes of the outputs of `op` that have storage of their own.
[[nodiscard]] Bytes OwnOutputBytes(const sim::OpGraph& graph, OpId op);

// squash(part ÷ whole) of columns.h, in [0, 1]. REQUIRES: neither is negative.
[[nodiscard]] double Squash(double part, double whole);

}  // namespace opyard::env
