// The nodes of a graph or of a library function with their inputs resolved, in an order in which
// they can run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graphs/importers/tensorflow/tf_definitions.h"

namespace opyard::graphs {

inline constexpr std::size_t kMostTfPort = 65'535;

struct TfBodyInput {
  std::int64_t node = 0;  // index in `nodes`; −1 − k for argument k
  std::size_t port = 0;
};

// A Merge that reads what NextIteration gives.
struct TfBodyLoop {
  std::size_t merge = 0;  // node
  TfBodyInput next;
};

struct TfBody {
  const std::vector<TfNodeDefinition>* nodes = nullptr;  // never null
  std::string place;                                     // "FILE#/node/": then the index of a node
  std::vector<std::vector<TfBodyInput>> inputs;          // [nodes][inputs]
  std::vector<std::vector<std::int64_t>> controls;       // [nodes]: indices as above
  std::vector<std::int32_t> order;
  std::size_t num_arguments = 0;
  std::vector<TfBodyInput> returns;
  std::vector<std::size_t> control_returns;  // nodes
  std::vector<TfBodyLoop> loops;  // of TensorFlow 1, by merge; their ways back are left out
  std::vector<bool> needed;       // [nodes]: for the results, or because they change
                                  // variables; empty for all
  bool has_signature = true;
};

// Marks in `nodes` what `source` needs, with itself, and in `arguments`, as far as they go, those
// that it reads. What is marked before is not followed again.
void MarkNeeded(const TfBody& body,
                const TfBodyInput& source,
                std::vector<bool>& nodes,
                std::vector<bool>& arguments);

// Throws InputError with all inputs that name nothing, and with the cycles, at `place`#/node/….
[[nodiscard]] TfBody PrepareTfGraph(const TfGraphDefinition& graph, const std::string& place);

// The same for the function `name` of the library. Where its signature lists no arguments, names
// that no node bears are arguments, in the order in which they are met; where it lists no results,
// the outputs of its last node are.
[[nodiscard]] TfBody PrepareTfFunction(const TfGraphDefinition& graph,
                                       std::string_view name,
                                       const std::string& place);

}  // namespace opyard::graphs
