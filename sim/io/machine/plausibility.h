// Which figures of a device are beyond what is built, and so are likely typed wrong: a thousand
// times too much or too little (docs/formats.md, "What is implausible").
#pragma once

#include "sim/hardware/device.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// Each warns at `node` and changes nothing.
void WarnAboutMemory(YamlReader& reader, const YamlNode& node, DeviceKind kind, Bytes memory);
void WarnAboutMemoryBandwidth(YamlReader& reader,
                              const YamlNode& node,
                              DeviceKind kind,
                              double bytes_per_s);
void WarnAboutPeak(
    YamlReader& reader, const YamlNode& node, DeviceKind kind, DType dtype, double flops_per_s);
void WarnAboutLaunchOverhead(YamlReader& reader, const YamlNode& node, double seconds);

// Checks of two figures together: FLOPs per byte, and the time that the whole memory takes to read.
void WarnAboutBalance(YamlReader& reader, const YamlNode& node, const Device& device);

}  // namespace opyard::sim
