// A device or a machine, by file or by name.
#pragma once

#include <string>
#include <vector>

#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {

using sim::ProfileReading;

// Reads the file that `reference` names (it ends in .yaml, holds a slash or is "-", standard
// input), or the shipped profile of that name. A file with a list of devices is a machine. Throws
// InputError if there is none, or it is wrong.
[[nodiscard]] ProfileReading ReadProfile(const std::string& reference);

// The properties of what was read: its name, "device" or "machine", its kind (that of a machine is
// below), and what is odd about it although it is legal.
[[nodiscard]] const std::string& NameOf(const ProfileReading& reading);
[[nodiscard]] const char* WhatOf(const ProfileReading& reading);
[[nodiscard]] sim::DeviceKind KindOf(const ProfileReading& reading);
[[nodiscard]] const std::vector<std::string>& WarningsOf(const ProfileReading& reading);

// The kind of a machine: of its first device that is not a cpu, else cpu.
[[nodiscard]] sim::DeviceKind KindOf(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
