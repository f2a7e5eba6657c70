// Arithmetic and traffic of TensorFlow's ops, from their shapes and attributes.
#pragma once

#include <span>
#include <string_view>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/tensorflow/tf_graph.h"

namespace opyard::graphs {

struct TfWork {
  enum class Source {
    kRule,      // by the rules of the graph builder
    kAssumed,   // one operation per element: an elementwise op without a rule
    kNoRule,    // no FLOPs, memory traffic alone
    kNoShapes,  // the same, because a shape is missing or does not fit
  };
  OpWork work;
  Source source = Source::kRule;
};

// `type` in the words of the graph builder: AssignAddVariableOp is AssignAdd, Add is AddV2.
[[nodiscard]] std::string_view BuilderType(std::string_view type);

// True for products, convolutions and recurrent layers, whose work decides how long a graph takes.
[[nodiscard]] bool IsTfHeavy(std::string_view type);

// The work of one run of `node`; `arguments` are all its inputs, folded constants included.
[[nodiscard]] TfWork TfWorkOf(const TfNode& node, std::span<const TfTensor* const> arguments);

}  // namespace opyard::graphs
