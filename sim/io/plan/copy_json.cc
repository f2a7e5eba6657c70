#include "sim/io/plan/copy_json.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sim/base/quote.h"

namespace opyard::sim {

std::optional<DeviceId> ReadDeviceName(const JsonCursor& value, const HardwareProfile& hardware) {
  const std::optional<std::string_view> name = value.Text();
  if (!name.has_value()) {
    return std::nullopt;
  }
  const auto device = std::ranges::find(hardware.devices, *name, &Device::name);
  if (device == hardware.devices.end()) {
    value.Report("device " + Quoted(*name) + " does not exist; this machine has " +
                 JoinNames(hardware.DeviceNames()));
    return std::nullopt;
  }
  return DeviceId(static_cast<std::size_t>(device - hardware.devices.begin()));
}

void ReadCopyOp(const JsonCursor& value, CopyReading& reading) {
  reading.op = value.IntegerIn(0, static_cast<std::int64_t>(reading.graph->num_ops()) - 1);
}

void ReadCopyOutput(const JsonCursor& value, CopyReading& reading) {
  reading.output = value.IntegerIn(0, std::numeric_limits<std::int32_t>::max());
}

void ReadCopyDevice(const JsonCursor& value, CopyReading& reading) {
  reading.device = ReadDeviceName(value, *reading.hardware);
}

std::optional<CopyId> FindCopy(const CopyReading& reading, const JsonCursor& item) {
  if (!reading.op.has_value() || !reading.output.has_value()) {
    return std::nullopt;
  }
  const OpGraph& graph = *reading.graph;
  const OpId op(static_cast<std::size_t>(*reading.op));
  const auto output = static_cast<std::size_t>(*reading.output);
  if (output >= graph.num_outputs(op)) {
    item.diagnostics().AddError(item.place().Member("output").Text(),
                                "found " + std::to_string(output) + ", expected an output of op " +
                                    Quoted(graph.op(op).name) + " (it has " +
                                    std::to_string(graph.num_outputs(op)) + ")");
    return std::nullopt;
  }
  if (!reading.device.has_value()) {
    return std::nullopt;
  }
  return CopyId{.tensor = graph.output(op, output), .destination = *reading.device};
}

}  // namespace opyard::sim
