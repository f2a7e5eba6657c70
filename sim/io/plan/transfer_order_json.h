// The orders of channels of plans in JSON (docs/formats.md, "Plan": transfer_order).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/io/json/json_cursor.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Nothing, once reported, if an entry is of the wrong form.
[[nodiscard]] std::optional<std::vector<ChannelOrder>> ReadTransferOrder(
    const JsonCursor& value, const OpGraph& graph, const HardwareProfile& hardware);

// {"cable>": [{"op": 3, "output": 0, "device": "gpu1"}], …}
[[nodiscard]] std::string TransferOrderText(const Plan& plan,
                                            const OpGraph& graph,
                                            const HardwareProfile& hardware);

}  // namespace opyard::sim
