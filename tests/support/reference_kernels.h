// The reference simulator's kernels: which ops run as one, how long, and what stays inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

struct ReferenceKernel {
  std::vector<OpId> ops;  // by topological index
  DeviceId device;
  SimTime duration;
  // On a device of a memory pool: the last part of the duration, which moves bytes, and at what
  // rate; zero elsewhere.
  SimTime body;
  double demand = 0.0;
  SimTime release;            // the latest of its ops'
  std::int64_t priority = 0;  // 0 under FIFO
  std::string name;           // "a", or "a (fused with 2 more)"
};

// The kernels of one plan, by the least topological index of their ops.
class ReferenceKernels {
 public:
  ReferenceKernels(const sim::OpGraph& graph,
                   const sim::HardwareProfile& hardware,
                   const sim::CostTable& costs,
                   const sim::Plan& plan);

  [[nodiscard]] std::size_t size() const { return kernels_.size(); }
  [[nodiscard]] const ReferenceKernel& operator[](std::size_t kernel) const {
    return kernels_[kernel];
  }
  // The kernel that `op` is part of.
  [[nodiscard]] std::size_t Of(OpId op) const { return of_op_[op.index()]; }
  // True if no one outside the kernel that makes `tensor` ever sees it.
  [[nodiscard]] bool StaysInside(TensorId tensor) const;
  // True if `tensor`, which does not, shares no storage with another: an alias of what stays
  // inside, and so has none, has its own.
  [[nodiscard]] bool HasStorage(TensorId tensor) const;

 private:
  [[nodiscard]] ReferenceKernel Describe(const std::vector<OpId>& ops) const;
  void AddCopiesOf(TensorId tensor, const std::vector<std::int32_t>& indices);
  [[nodiscard]] SimTime CopyTime(TensorId tensor, DeviceId device) const;
  void AddBody(ReferenceKernel& kernel) const;
  [[nodiscard]] double BytesOf(const std::vector<OpId>& ops, DeviceId device) const;
  [[nodiscard]] double BytesOnChip(OpId op, DeviceId device) const;
  [[nodiscard]] double BytesToShow(const std::vector<OpId>& ops, DeviceId device) const;
  [[nodiscard]] SimTime Duration(const std::vector<OpId>& ops, DeviceId device) const;
  [[nodiscard]] double SecondsAlone(OpId op, DeviceId device) const;
  [[nodiscard]] double SecondsOnChip(OpId op, DeviceId device) const;
  [[nodiscard]] std::optional<TensorId> HiddenBehind(TensorId name, DeviceId device) const;
  [[nodiscard]] std::map<TensorId, Bytes> ShownBytes(const std::vector<OpId>& ops,
                                                     DeviceId device) const;
  [[nodiscard]] double SecondsToShow(const std::vector<OpId>& ops, DeviceId device) const;
  [[nodiscard]] double SecondsFor(TensorId tensor, OpId mover, DeviceId device) const;
  [[nodiscard]] std::optional<double> Measured(OpId op, DeviceId device) const;
  [[nodiscard]] bool IsView(OpId op, DeviceId device) const;
  [[nodiscard]] TensorId Shown(TensorId tensor, std::size_t kernel, DeviceId device) const;

  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  const sim::CostTable& costs_;
  const sim::Plan& plan_;
  std::vector<std::size_t> of_op_;
  std::vector<ReferenceKernel> kernels_;
};

}  // namespace opyard::testing
