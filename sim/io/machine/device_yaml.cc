#include "sim/io/machine/device_yaml.h"

#include <functional>
#include <set>

#include "sim/base/quote.h"
#include "sim/io/machine/cost_yaml.h"
#include "sim/io/machine/plausibility.h"
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
  WarnAboutMemory(reader, node, device.kind, *memory);
  device.memory = *memory;
}

void ReadPeakFlops(YamlReader& reader, const YamlNode& node, Device& device) {
  ForEachDType(reader, node, "peak_flops", [&](DType dtype, const YamlNode& value) {
    const std::optional<double> rate =
        ReadPositiveRate(reader, value, reader.FlopsPerSecond(value), "peak");
    if (rate) {
      WarnAboutPeak(reader, value, device.kind, dtype, *rate);
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
  WarnAboutLaunchOverhead(reader, node, device.launch_overhead_s);
}

void ReadCopyOverhead(YamlReader& reader, const YamlNode& node, Device& device) {
  Assign(reader.Seconds(node), device.copy_overhead_s);
}

void ReadCopyBandwidth(YamlReader& reader, const YamlNode& node, Device& device) {
  Assign(ReadPositiveRate(reader, node, reader.BytesPerSecond(node), "copy bandwidth"),
         device.copy_bandwidth_bytes_per_s);
}

void ReadMemoryBandwidth(YamlReader& reader, const YamlNode& node, Device& device) {
  const std::optional<double> rate =
      ReadPositiveRate(reader, node, reader.BytesPerSecond(node), "memory bandwidth");
  Assign(rate, device.memory_bandwidth_bytes_per_s);
  if (rate) {
    WarnAboutMemoryBandwidth(reader, node, device.kind, *rate);
  }
}

// Warns about figures that one part of the file gives together.
void WarnAboutFigures(YamlMap& map, const Device& device) {
  const YamlNode* bandwidth = map.Optional("memory_bandwidth");
  const YamlNode* peaks = map.Optional("peak_flops");
  const YamlNode* where = bandwidth != nullptr ? bandwidth : peaks;
  if (where != nullptr) {
    WarnAboutBalance(map.reader(), *where, device);
  }
}

// Op types, exactly as graphs spell them.
void ReadUnsupported(YamlReader& reader, const YamlNode& node, Device& device) {
  const std::vector<YamlNode>* items =
      reader.Items(node, "op types: unsupported: [Conv2D, MaxPool]");
  if (items == nullptr) {
    return;
  }
  std::set<std::string> types;
  for (const YamlNode& item : *items) {
    const std::optional<std::string> type = reader.Name(item);
    if (!type) {
      continue;
    }
    if (!types.insert(*type).second) {
      reader.Problem(item, "the op type " + Quoted(*type) + " stands twice, expected it once");
    } else if (!IsKnownOpType(*type)) {
      reader.Warn(item,
                  "unsupported: " + Quoted(*type) +
                      " is no op type that is known here, and only ops of that very type count" +
                      DidYouMean(*type, KnownOpTypes()));
    }
  }
  device.unsupported.assign(types.begin(), types.end());
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
  WarnAboutFigures(map, device);
  read(map.Optional("launch_overhead"), ReadLaunchOverhead);
  read(map.Optional("copy_overhead"), ReadCopyOverhead);
  read(map.Optional("copy_bandwidth"), ReadCopyBandwidth);
  read(map.Optional("unsupported"), ReadUnsupported);
  if (const YamlNode* cost = map.Optional("cost")) {
    ReadCostParameters(map.reader(), *cost, device.cost);
  }
}

}  // namespace opyard::sim
