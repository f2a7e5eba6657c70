// When an op could start on a device by what it waits for.
#pragma once

#include <algorithm>
#include <optional>

#include "agents/planning/transfer_times.h"
#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// When and where an op of a schedule ended. One without a place is wherever it is read.
struct EndOfOp {
  SimTime time;
  std::optional<DeviceId> device;
};

// When the inputs of `op` could be on `device`, each transfer alone on its route. `find_end(op)`
// gives std::optional<EndOfOp>; an op that it does not know delays nothing.
template <class FindEnd>
[[nodiscard]] SimTime ReadyTime(const sim::OpGraph& graph,
                                const TransferTimes& transfers,
                                OpId op,
                                DeviceId device,
                                const FindEnd& find_end) {
  SimTime ready;
  for (const TensorId id : graph.inputs(op)) {
    const sim::Tensor& tensor = graph.tensor(id);
    if (const std::optional<EndOfOp> end = find_end(tensor.producer)) {
      const DeviceId source = end->device.value_or(device);
      ready = std::max(ready, end->time + transfers.Time(tensor.bytes, source, device));
    }
  }
  for (const OpId before : graph.control_inputs(op)) {
    if (const std::optional<EndOfOp> end = find_end(before)) {
      const DeviceId source = end->device.value_or(device);
      ready = std::max(ready, end->time + transfers.ControlTime(source, device));
    }
  }
  return ready;
}

}  // namespace opyard::agents
