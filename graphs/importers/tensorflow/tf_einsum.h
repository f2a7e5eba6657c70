// The extents of an Einsum, and its arithmetic as a batch of products.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "graphs/importers/common/op_work.h"

namespace opyard::graphs {

struct TfEinsum {
  Shape result;
  OpWork work;
};

// `equation` in the form "bhqd,bhkd->bhqk", of one or two tensors; "..." stands for any axes, which
// broadcast. An axis of one tensor alone that the result lacks is summed first, one FLOP per
// element. Nothing where the shapes do not fit.
[[nodiscard]] std::optional<TfEinsum> ParseEinsum(std::string_view equation,
                                                  std::span<const Shape> shapes);

}  // namespace opyard::graphs
