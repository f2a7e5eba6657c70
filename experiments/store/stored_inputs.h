// The graphs and machines that a store holds, so that it replays without the files they came from.
#pragma once

#include <memory>
#include <string>

#include "experiments/store/result_store.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

// Adds what the store does not hold yet. The digests are those of fingerprint.h.
void KeepGraph(ResultStore& store, const std::string& sha256, const sim::OpGraph& graph);
void KeepMachine(ResultStore& store,
                 const std::string& sha256,
                 const sim::HardwareProfile& machine);

// The graph or machine of that digest; null if the store has none, as stores before schema version
// 3. Throws InputError if what it has is damaged, or has another digest.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> FindGraph(ResultStore& store,
                                                            const std::string& sha256);
[[nodiscard]] std::shared_ptr<const sim::HardwareProfile> FindMachine(ResultStore& store,
                                                                      const std::string& sha256);

}  // namespace opyard::experiments
