#include "sim/io/machine/device_yaml.h"

#include <functional>

#include "sim/io/machine/cost_yaml.h"
#include "sim/io/machine/yaml_fields.h"

namespace opyard::sim {
namespace {

const YamlNode* FindField(YamlMap& map, const std::string& key, DeviceFields which) {
  return which == DeviceFields::kWhole ? map.Required(key) : map.Optional(key);
}

void ReadKind(YamlReader& reader, const YamlNode& node, Device& device) {
  const std::vector<std::string> kinds = {"gpu", "cpu", "tpu", "other"};
  if (const std::optional<std::string> kind = reader.Choice(node, kinds)) {
    device.kind = FindDeviceKind(*kind).value_or(device.kind);
  }
}

void ReadMemory(YamlReader& reader, const YamlNode& node, Device& device) {
  const std::optional<Bytes> memory = reader.Size(node);
  if (!memory) {
    return;
  }
  if (memory->count == 0) {
    reader.Problem(node, "memory is zero, expected more than 0 B");
    return;
  }
  constexpr std::int64_t kLittle = std::int64_t{64} << 20;
  constexpr std::int64_t kMuch = std::int64_t{16} << 40;
  if (memory->count < kLittle || memory->count > kMuch) {
    reader.Warn(node, "memory of " + node.text + " is implausible (outside 64 MiB to 16 TiB)");
  }
  device.memory = *memory;
}

void ReadPeakFlops(YamlReader& reader, const YamlNode& node, Device& device) {
  ForEachDType(reader, node, "peak_flops", [&](DType dtype, const YamlNode& value) {
    const std::optional<double> rate =
        ReadPositiveRate(reader, value, reader.FlopsPerSecond(value), "peak");
    if (rate && (*rate < 1e9 || *rate > 1e17)) {
      reader.Warn(value,
                  "a peak of " + value.text + " is implausible (outside 1 GFLOP/s to 100 PFLOP/s)");
    }
    if (rate) {
      device.peak_flops_per_s[dtype] = *rate;
    }
  });
  if (node.kind == YamlNode::Kind::kMap && node.entries.empty()) {
    reader.Problem(
        node, "peak_flops is empty, expected at least one type, for example {f32: 15.7 TFLOP/s}");
  }
}

void ReadLaunchOverhead(YamlReader& reader, const YamlNode& node, Device& device) {
  Assign(reader.Seconds(node), device.launch_overhead_s);
  if (device.launch_overhead_s > 1e-3) {
    reader.Warn(node, "a launch overhead of " + node.text + " is implausible (above 1 ms)");
  }
}

void ReadMemoryBandwidth(YamlReader& reader, const YamlNode& node, Device& device) {
  const std::optional<double> rate =
      ReadPositiveRate(reader, node, reader.BytesPerSecond(node), "memory bandwidth");
  Assign(rate, device.memory_bandwidth_bytes_per_s);
  if (rate && (*rate < 1e9 || *rate > 1e14)) {
    reader.Warn(
        node,
        "a memory bandwidth of " + node.text + " is implausible (outside 1 GB/s to 100 TB/s)");
  }
}

}  // namespace

void ReadDeviceFields(YamlMap& map, DeviceFields which, Device& device) {
  using ReadField = void (*)(YamlReader&, const YamlNode&, Device&);
  const auto read = [&](const YamlNode* node, ReadField field) {
    if (node != nullptr) {
      field(map.reader(), *node, device);
    }
  };
  read(FindField(map, "kind", which), ReadKind);
  if (which == DeviceFields::kWhole) {
    device.cost = DefaultCostParameters(device.kind);
  }
  read(FindField(map, "memory", which), ReadMemory);
  read(FindField(map, "memory_bandwidth", which), ReadMemoryBandwidth);
  read(FindField(map, "peak_flops", which), ReadPeakFlops);
  read(map.Optional("launch_overhead"), ReadLaunchOverhead);
  if (const YamlNode* cost = map.Optional("cost")) {
    ReadCostParameters(map.reader(), *cost, device.cost);
  }
}

}  // namespace opyard::sim
