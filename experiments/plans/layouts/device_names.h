// The names of a machine's devices in frameworks.
#pragma once

#include <string>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "sim/base/ids.h"

namespace opyard::experiments {

// The number of `device` among the accelerators of its machine, in their order, from 0.
[[nodiscard]] std::size_t AcceleratorIndex(const sim::HardwareProfile& hardware, DeviceId device);

[[nodiscard]] bool IsCpu(const sim::HardwareProfile& hardware, DeviceId device);

// The name that the options give `device`; else "cpu", or `prefix` and the accelerator's number.
[[nodiscard]] std::string FrameworkName(const LayoutInput& input,
                                        DeviceId device,
                                        const std::string& prefix);

// The devices that the plan places ops other than inputs on, in the order of the machine.
[[nodiscard]] std::vector<DeviceId> UsedDevices(const LayoutInput& input);

// A reason for each two devices of `devices` that have one name in the framework.
void AddSharedNames(const LayoutInput& input,
                    const std::vector<DeviceId>& devices,
                    const std::string& prefix,
                    std::vector<Inexpressible>& reasons);

// "CUDA_VISIBLE_DEVICES=2,0", which makes these devices numbers 0, 1, … in this order; "" where
// they are already, and where one of them is no GPU.
[[nodiscard]] std::string VisibleDevices(const LayoutInput& input,
                                         const std::vector<DeviceId>& devices);

// Throws InputError, which begins with `option`, for names of devices that the machine lacks.
void CheckNames(const LayoutOptions& options,
                const sim::HardwareProfile& hardware,
                const std::string& option);

}  // namespace opyard::experiments
