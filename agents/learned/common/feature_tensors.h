// Tensors that several views make of an observation and of a sequence of groups.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <torch/torch.h>

#include "agents/planning/grouping/group_sequence.h"

namespace opyard::agents {

// The place of a column in `names`, those of env/features/columns.h. REQUIRES: it is among them.
[[nodiscard]] std::int64_t ColumnOf(std::span<const std::string_view> names, std::string_view name);

// Where each group may go, bool [G, D].
[[nodiscard]] torch::Tensor DeviceMask(const GroupSequence& sequence);

}  // namespace opyard::agents
