// Run times of kernels of several ops.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/kernel_traffic.h"
#include "sim/fusion/tensor_names.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// Costs of kernels on the devices of one machine, put together from the terms of a CostTable
// (docs/modelling.md, equation 10). Immutable, so it can be shared between threads.
class FusedCost {
 public:
  // A kernel of several ops gets the share `saving`, 0 to 1, of what fusing saves by the model:
  // with 0.5 it takes the mean of its time by the model and of its ops one after another.
  FusedCost(std::shared_ptr<const OpGraph> graph,
            const HardwareProfile& hardware,
            std::shared_ptr<const CostTable> costs,
            double saving = 1.0);

  // The time of `kernel` on `device`. A kernel of one op takes what the op takes. No kernel takes
  // longer than its ops one after another, nor less than their FLOP terms. O(ops of the kernel,
  // their inputs and outputs). `is_internal` is as FindInternalTensors makes it.
  [[nodiscard]] SimTime Time(const Kernels& kernels,
                             std::span<const std::uint8_t> is_internal,
                             std::size_t kernel,
                             DeviceId device) const;

  // The traffic of `kernel`, of several ops, on `device`: the launch of one kernel, and the bytes
  // of all ops without the share that fusing saves.
  [[nodiscard]] KernelTraffic Traffic(const Kernels& kernels,
                                      std::span<const std::uint8_t> is_internal,
                                      std::size_t kernel,
                                      DeviceId device) const;

 private:
  struct Terms;
  // By the model.
  [[nodiscard]] double SecondsOf(const Terms& terms, DeviceId device) const;
  [[nodiscard]] Terms TermsOf(const Kernels& kernels,
                              std::span<const std::uint8_t> is_internal,
                              std::size_t kernel,
                              DeviceId device) const;
  void AddOp(OpId op, DeviceId device, Terms& terms) const;
  [[nodiscard]] Bytes SavedBytes(const Kernels& kernels,
                                 std::span<const std::uint8_t> is_internal,
                                 OpId op,
                                 DeviceId device) const;
  [[nodiscard]] Bytes BytesShownBy(TensorId tensor,
                                   std::span<const std::uint8_t> is_internal,
                                   DeviceId device) const;
  [[nodiscard]] TensorId BehindViews(const Kernels& kernels,
                                     std::size_t kernel,
                                     TensorId tensor,
                                     DeviceId device) const;
  // Only names data there, in no time.
  [[nodiscard]] bool IsView(OpId op, DeviceId device) const {
    return is_zero_cost_[op.index()] != 0 && costs_->cost(op, device).total_s == 0.0;
  }
  [[nodiscard]] std::size_t KernelOf(const Kernels& kernels, OpId op) const {
    return At(kernels.kernel_of[At(graph_->topological_index(op))]);
  }

  std::shared_ptr<const OpGraph> graph_;
  std::shared_ptr<const CostTable> costs_;
  std::vector<std::uint8_t> is_zero_cost_;  // by OpId: only names data, unless measured otherwise
  TensorNames names_;
  std::vector<double> launch_s_;  // by device
  double saving_ = 1.0;
};

}  // namespace opyard::sim
