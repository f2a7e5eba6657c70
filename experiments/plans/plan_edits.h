// Changes of a plan that a user writes down.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "experiments/explain/plan_change.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// The change that "OP=DEVICE" stands for, of the op and of all that share its label of co-location.
// A name may have "=" in it: the last one counts. Throws InputError, which begins with `option`,
// for a text without "=", and names that the graph or the machine lacks.
[[nodiscard]] DeviceChange ReadDeviceChange(const std::string& text,
                                            const std::string& option,
                                            const sim::OpGraph& graph,
                                            const sim::HardwareProfile& hardware,
                                            const sim::Plan& plan);

// The op and the priority of "OP=NUMBER". Throws InputError likewise, and for a number that is not
// whole or beyond ± kLargestPriority.
[[nodiscard]] std::pair<OpId, std::int64_t> ReadOpPriority(const std::string& text,
                                                           const std::string& option,
                                                           const sim::OpGraph& graph);

// Gives `op` that priority. A plan of queue kFifo becomes one of kPriority, whose other ops have
// 0. Throws InputError, which begins with `option`, where devices have streams.
void SetOpPriority(OpId op, std::int64_t priority, const std::string& option, sim::Plan& plan);

}  // namespace opyard::experiments
