// Machines, loaded with warnings of what is odd about their figures.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/base/notice.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// "" for no oddities; else each on a line of its own (sim::MachineReading::oddities).
[[nodiscard]] std::string MachineWarning(const std::vector<std::string>& oddities);

// sim::LoadMachine, with that warning.
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> LoadMachine(
    const std::string& reference,
    const NoticeListener& notices,
    const std::filesystem::path& folder = {});

}  // namespace opyard::experiments
