// A GraphDef as it stands in the file: its nodes and the functions of its library.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_attributes.h"
#include "sim/base/error.h"

namespace opyard::graphs {

// NodeDef. All views are of the file's bytes.
struct TfNodeDefinition {
  std::string_view name;
  std::string_view type;
  std::vector<std::string_view> inputs;
  std::vector<TfAttributes::Entry> attributes;
};

// FunctionDef.
struct TfFunctionDefinition {
  std::vector<std::string_view> arguments;  // of the signature
  std::vector<std::string_view> results;
  std::vector<TfNodeDefinition> nodes;
  std::map<std::string_view, std::string_view> returns;  // result: "node:output:0"
  std::vector<std::string_view> control_returns;         // names of nodes
};

struct TfGraphDefinition {
  std::vector<TfNodeDefinition> nodes;
  std::map<std::string_view, TfFunctionDefinition> library;  // by name
};

// `bytes` in Protocol Buffers' wire format live longer than the result. Throws InputError
// "`place`#/node/3: …" for damaged data, names that are no text, and more than
// kMostImportedNodes.
[[nodiscard]] TfGraphDefinition ReadTfGraphDefinition(std::string_view bytes,
                                                      const std::string& place);

}  // namespace opyard::graphs
