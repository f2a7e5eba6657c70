// A copy of a tensor in JSON: "op", "output" and "device", among the members of an object.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/io/json/json_cursor.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// A copy before its indices are resolved.
struct CopyReading {
  const OpGraph* graph = nullptr;
  const HardwareProfile* hardware = nullptr;
  std::optional<std::int64_t> op;
  std::optional<std::int64_t> output;
  std::optional<DeviceId> device;
};

// The device of that name; nothing, once reported, if there is none.
[[nodiscard]] std::optional<DeviceId> ReadDeviceName(const JsonCursor& value,
                                                     const HardwareProfile& hardware);

void ReadCopyOp(const JsonCursor& value, CopyReading& reading);
void ReadCopyOutput(const JsonCursor& value, CopyReading& reading);
void ReadCopyDevice(const JsonCursor& value, CopyReading& reading);

// The copy that the object `item` names; nothing, once reported, if there is no such tensor.
[[nodiscard]] std::optional<CopyId> FindCopy(const CopyReading& reading, const JsonCursor& item);

}  // namespace opyard::sim
