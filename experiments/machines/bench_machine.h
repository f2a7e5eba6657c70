// The machine on which the simulator is measured.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// `num_devices` equal accelerators around one switch: 16 GB/s and 10 us per link, full duplex, so
// much memory that it never runs out, though it is counted.
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> StarMachine(
    std::size_t num_devices, const sim::ChannelKinds& channels);

}  // namespace opyard::experiments
