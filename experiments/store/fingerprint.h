// Digests of the inputs of a run, to check whether a result still means the same.
#pragma once

#include <string>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// SHA-256 of the graph as opyard writes it, without modules, which say how a search decides and not
// what a plan is worth: the same for a file, its packed twin and a generator.
[[nodiscard]] std::string Fingerprint(const sim::OpGraph& graph);

// SHA-256 of everything the simulator reads of a machine; comments, order of keys and provenance of
// its files change nothing.
[[nodiscard]] std::string Fingerprint(const sim::HardwareProfile& hardware);

}  // namespace opyard::experiments
