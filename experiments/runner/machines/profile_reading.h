// A device or a machine, by file or by name.
#pragma once

#include <string>

#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {

using sim::ProfileReading;

// Reads the file that `reference` names (it ends in .yaml, holds a slash or is "-", standard
// input), or the shipped profile of that name. A file with a list of devices is a machine. Throws
// InputError if there is none, or it is wrong.
[[nodiscard]] ProfileReading ReadProfile(const std::string& reference);

// The kind of a machine: of its first device that is not a cpu, else cpu.
[[nodiscard]] sim::DeviceKind KindOf(const sim::HardwareProfile& machine);

}  // namespace opyard::experiments
