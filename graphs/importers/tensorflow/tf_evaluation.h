// The outputs of one op, from its inputs and from what the file says of them.
#pragma once

#include <optional>
#include <vector>

#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

struct TfEvaluation {
  std::vector<TfValue> outputs;
  // A Placeholder, an iterator or the like with an extent that only a run knows, and no size for
  // it.
  bool needs_dim = false;
  // The size for unknown extents was used where no source of data has them.
  bool assumes_dim = false;
  // The size was used at all.
  bool uses_dim = false;
};

// The shapes in _output_shapes count where they are complete, then those that follow from the
// inputs, then, with `dim`, the file's with that in place of unknown extents. Throws InputError
// without a place for unknown element types and for more elements than int64 holds.
[[nodiscard]] TfEvaluation EvaluateTfOp(const TfOp& op, std::optional<std::int64_t> dim);

}  // namespace opyard::graphs
