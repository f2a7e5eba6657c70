// Building blocks of the cases of the engine's goldens.
#pragma once

#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "tests/sim/engine/golden_case.h"

namespace opyard::testing {

using GoldenCases = std::vector<GoldenCase>;

// Three devices with latencies of 1 us.
[[nodiscard]] sim::HardwareProfile Star();
[[nodiscard]] sim::HardwareProfile Mesh();

// Plans of MixedGraph on three devices: w, x, a, … i; first come first served, or by priorities.
[[nodiscard]] sim::Plan MixedPlan();
[[nodiscard]] sim::Plan PrioritisedPlan();

[[nodiscard]] GoldenCase Mixed(std::string name,
                               sim::HardwareProfile machine,
                               sim::Plan plan = MixedPlan());

// LayeredGraph of `num_layers`, its ops scattered over the devices. Large ones are summed up.
[[nodiscard]] GoldenCase Layered(std::string name,
                                 sim::HardwareProfile machine,
                                 std::int64_t num_layers = 4);

// `machine` with one rule more.
[[nodiscard]] sim::HardwareProfile With(sim::HardwareProfile machine, sim::Rules rules);
[[nodiscard]] sim::HardwareProfile With(sim::HardwareProfile machine, sim::Sharing sharing);
[[nodiscard]] sim::HardwareProfile With(sim::HardwareProfile machine, sim::OnePer one_per);
[[nodiscard]] sim::HardwareProfile With(sim::HardwareProfile machine, sim::ChannelKinds channels);
[[nodiscard]] sim::HardwareProfile With(sim::HardwareProfile machine,
                                        sim::ExecutionRules execution);
[[nodiscard]] sim::HardwareProfile WithGapAfterTransfers(sim::HardwareProfile machine, SimTime gap);
[[nodiscard]] sim::HardwareProfile WithMemory(sim::HardwareProfile machine,
                                              sim::OnExceed on_exceed,
                                              std::int64_t bytes);

}  // namespace opyard::testing
