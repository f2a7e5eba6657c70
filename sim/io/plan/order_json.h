// The streams of plans in JSON (docs/formats.md, "Plan": order).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/io/json/json_cursor.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// [num_devices]: the streams under the names of the devices, none where a name is absent. Nothing,
// once reported, if an entry is of the wrong form.
[[nodiscard]] std::optional<std::vector<std::vector<Stream>>> ReadOrder(
    const JsonCursor& value, const OpGraph& graph, const HardwareProfile& hardware);

// {"gpu0": [[3, 0, 7], [5]], …}
[[nodiscard]] std::string OrderText(const Plan& plan, const HardwareProfile& hardware);

}  // namespace opyard::sim
