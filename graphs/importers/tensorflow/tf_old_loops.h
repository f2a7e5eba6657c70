// Loops of TensorFlow 1: Enter, Merge, LoopCond, Switch, NextIteration and Exit.
#pragma once

#include <cstddef>
#include <span>

#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/tensorflow/tf_flat_graph.h"

namespace opyard::graphs {

// The way back of a loop, which the flat graph lacks.
struct TfLoopBack {
  std::size_t merge = 0;  // node
  TfInput next;           // what it reads from the second iteration on
};

// The ops of a loop stand once in `flat`; they are given the work of all iterations, also of the
// loops around theirs, if constants say how many there are. What is not known is counted in
// `summary`. Also freeze_graph and convert_variables_to_constants_v2 leave such loops.
void RepeatOldLoops(std::span<const TfLoopBack> backs, TfFlatGraph& flat, ImportSummary& summary);

}  // namespace opyard::graphs
