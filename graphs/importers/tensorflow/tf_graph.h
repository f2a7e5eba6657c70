// A graph of TensorFlow ops, whichever form of file it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphs/builder/shape.h"
#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/tensorflow/tf_attributes.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

struct TfTensor {
  std::optional<Shape> shape;  // nothing where it is not static
  sim::DType dtype = sim::DType::kF32;
  Bytes bytes;  // 0 where not even the number of elements is known
};

struct TfInput {
  std::size_t node = 0;
  std::size_t port = 0;
};

struct TfNode {
  std::string name;
  std::string type;
  std::vector<TfInput> inputs;        // in argument order
  std::vector<std::size_t> controls;  // nodes
  std::vector<TfTensor> outputs;      // at least as many as are read
  TfAttributes attributes;            // none in files with costs
  std::string colocate_with;          // a node's name, from _class "loc:@NAME"; "" for none
  std::int64_t times = 1;             // how often it runs: in loops that are not unrolled
  std::optional<double> seconds;      // given by the file
};

struct TfGraph {
  std::vector<TfNode> nodes;                        // in any order
  bool has_costs = false;                           // `seconds` stand for arithmetic and traffic
  std::shared_ptr<const void> attributes_of_calls;  // what attributes refer to, beside the file
};

// Moves the ops of `graph` into `builder`, in topological order:
//   A resource (captured Placeholder, VarHandleOp, VariableV2) is a Variable as large as what is
//     read from it or written to it, on one device with its reads and updates; reads alias it.
//   `Identity`, `IdentityN`, `StopGradient` and `PreventGradient` without control inputs, `NoOp` at
//     the end and constants up to 1 KiB become nothing; larger constants stay, and stay resident.
//   `Reshape`, `Squeeze` and `ExpandDims` alias their input and cost nothing.
//   The phase follows from the scopes gradient_tape/ and gradients/: what depends on them and leads
//     to none of them is the update.
// Adds a cycle to `diagnostics`. O((nodes + edges) · log nodes).
void LowerTfGraph(const TfGraph& graph,
                  const std::string& place,
                  sim::OpGraphBuilder& builder,
                  ImportSummary& summary,
                  Diagnostics& diagnostics);

}  // namespace opyard::graphs
