// The memory that each device holds while a schedule is being built.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace opyard::agents {

// Ops run one after the other in the order of the calls. Parameters stay; an output lies where it
// was made, and as a copy where it is read elsewhere, until the last op that reads it has run. An
// output that shares its input's storage takes none of its own and keeps that of its input alive.
class RunningMemory {
 public:
  // A device may hold `share` of its capacity.
  RunningMemory(const env::Problem& problem, double share);

  // Bytes; negative beyond the limit.
  [[nodiscard]] Bytes RoomLeft(DeviceId device) const { return room_left_[device.index()]; }
  // The memory that `op` needs on `device` beside parameters: its outputs, its workspace and copies
  // of inputs that are not there. An input that was made nowhere yet counts as if it were to be
  // made there.
  [[nodiscard]] Bytes NeedOfRun(OpId op, DeviceId device) const;

  void HoldParameters(Bytes bytes, DeviceId device) { room_left_[device.index()] -= bytes; }
  // REQUIRES: the ops that `op` reads ran.
  void Run(OpId op, DeviceId device);

 private:
  // Where a tensor lies beside the device that made it.
  [[nodiscard]] bool IsOn(TensorId tensor, DeviceId device) const;
  void CopyInputs(OpId op, DeviceId device);
  void MakeOutputs(OpId op, DeviceId device);
  void EndReading(TensorId tensor);
  void FreeStorage(TensorId storage);

  const sim::OpGraph& graph_;
  std::vector<Bytes> room_left_;               // [num_devices]
  std::vector<TensorId> storage_;              // [num_tensors], the tensor whose storage it uses
  std::vector<std::size_t> readers_;           // [num_tensors], ops yet to read it
  std::vector<std::size_t> storage_readers_;   // [num_tensors], the same of all that share it
  std::vector<std::optional<DeviceId>> home_;  // [num_tensors], where it was made
  std::vector<std::vector<DeviceId>> copies_;  // [num_tensors]
};

}  // namespace opyard::agents
