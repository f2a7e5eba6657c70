// A machine as plain Python values and back, so that it can be pickled.
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "sim/hardware/hardware_profile.h"

namespace opyard::bindings {

// Nested tuples of numbers and texts: every field of every part, in order.
[[nodiscard]] pybind11::tuple StateOf(const sim::HardwareProfile& machine);

// The machine of such a state. Throws InputError for one that another version of opyard wrote. The
// values themselves are not checked: who loads a pickle trusts it.
[[nodiscard]] std::shared_ptr<sim::HardwareProfile> MachineOf(const pybind11::tuple& state);

}  // namespace opyard::bindings
