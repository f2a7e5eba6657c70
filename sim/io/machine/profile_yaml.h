// Reads hardware profiles: devices/*.yaml and machines/*.yaml (docs/formats.md, "Device").
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {

// A device file: the device (its `name` and `type` are the file's `name`) and where its numbers
// come from.
struct DeviceProfile {
  Device device;
  std::vector<Provenance> provenance;
};

// A profile as it was read, and what is odd about it although it is legal.
struct MachineReading {
  std::shared_ptr<const HardwareProfile> machine;
  // "FILE:LINE:COL: …": of this file, then of its device types, once for each.
  std::vector<std::string> warnings;
  std::vector<std::string> oddities;  // those of them that matter to who uses the machine
};
struct DeviceReading {
  DeviceProfile device;
  std::vector<std::string> warnings;
  std::vector<std::string> oddities;
};

// Each throws InputError listing every problem of the file as "FILE:LINE:COL: found, expected".
// Device types of a machine file X/machines/m.yaml come from X/devices/, else from the shipped
// devices.
[[nodiscard]] MachineReading ReadMachineFile(const std::filesystem::path& path);
[[nodiscard]] DeviceReading ReadDeviceFile(const std::filesystem::path& path);

// Either of them, read once: a file with a list of devices is a machine.
using ProfileReading = std::variant<DeviceReading, MachineReading>;
[[nodiscard]] ProfileReading ReadProfileFile(const std::filesystem::path& path);

// A machine whose devices are whole, as WriteMachineText (machine_yaml_write.h) writes it; no other
// file is read. `place` stands for the file name in messages. Refuses texts beyond 16 MiB.
[[nodiscard]] std::shared_ptr<const HardwareProfile> ReadMachineText(std::string_view text,
                                                                     const std::string& place);

// A machine given as values that stand in no file; `place` stands for the file name in messages.
// Device types are the shipped ones; a device that gives kind, memory, memory_bandwidth and
// peak_flops may name any other type, too. Throws as ReadMachineFile.
[[nodiscard]] MachineReading ReadMachineValues(const YamlTree& values, const std::string& place);

// The machine that `reference` names: a path (ends in .yaml, holds a slash or is "-"; tried from
// the current folder, then from `folder` if that is not empty), or the name of a shipped one.
// Throws InputError, with the names that exist, if there is none.
[[nodiscard]] std::shared_ptr<const HardwareProfile> LoadMachine(
    const std::string& reference, const std::filesystem::path& folder = {});
// The same with its warnings.
[[nodiscard]] MachineReading LoadMachineReading(const std::string& reference,
                                                const std::filesystem::path& folder = {});

// The shipped profiles, sorted by name.
struct ShippedProfile {
  std::string name;
  bool is_machine = false;
  std::filesystem::path path;
};
[[nodiscard]] std::vector<ShippedProfile> ListShippedProfiles();

}  // namespace opyard::sim
