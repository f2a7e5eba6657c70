// Element types by the names that other tools give them.
#pragma once

#include <optional>
#include <string_view>

#include "sim/graph/op.h"

namespace opyard::graphs {

// NumPy's and PyTorch's ("float32", "torch.float32"), and XLA's ("f32", "s64", "pred"). Nothing for
// a name that stands for no element type of ours: strings, resources, types of one or three bits.
[[nodiscard]] std::optional<sim::DType> DTypeNamed(std::string_view name);

}  // namespace opyard::graphs
