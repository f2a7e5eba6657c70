// The heads of the engine's goldens: what a run was given, one line each.
#pragma once

#include <string>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

// The word at the place of `value` in a list of machine_words.h.
template <class Words, class Enumerator>
[[nodiscard]] std::string Word(const Words& words, Enumerator value) {
  return std::string(words.at(static_cast<std::size_t>(value)));
}

// The number of devices, and every rule that is not plain.
[[nodiscard]] std::string MachineLine(const sim::HardwareProfile& machine);

// Every decision.
[[nodiscard]] std::string PlanLine(const sim::Plan& plan);

// The releases of the ops, in picoseconds; "" without any.
[[nodiscard]] std::string ReleaseLine(const sim::OpGraph& graph);

}  // namespace opyard::testing
