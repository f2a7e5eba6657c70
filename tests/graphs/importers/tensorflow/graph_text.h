// GraphDefs in their text form, in the making.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "graphs/importers/tensorflow/tf_document.h"
#include "graphs/importers/tensorflow/tf_expansion.h"
#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {

using Integers = std::vector<std::int64_t>;

inline std::string Attr(const std::string& key, const std::string& value) {
  return "attr { key: \"" + key + "\" value { " + value + " } } ";
}

inline std::string Join(const Integers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return text;
}

inline std::string ShapeText(const Integers& extents) {
  std::string text = "{ ";
  for (const std::int64_t extent : extents) {
    text += "dim { size: " + std::to_string(extent) + " } ";
  }
  return text + "}";
}

inline std::string ListAttr(const std::string& key, const Integers& numbers) {
  return Attr(key, "list { i: [" + Join(numbers) + "] }");
}

inline std::string TextAttr(const std::string& key, const std::string& text) {
  return Attr(key, "s: \"" + text + "\"");
}

inline std::string IntegerAttr(const std::string& key, std::int64_t number) {
  return Attr(key, "i: " + std::to_string(number));
}

inline std::string FunctionAttr(const std::string& key, const std::string& name) {
  return Attr(key, "func { name: \"" + name + "\" }");
}

// `field` is "node", or "node_def" within a function.
inline std::string Node(const std::string& name,
                        const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::string& attributes = "",
                        const std::string& field = "node") {
  std::string text = field + " { name: \"" + name + "\" op: \"" + op + "\" ";
  for (const std::string& input : inputs) {
    text += "input: \"" + input + "\" ";
  }
  return text + attributes + "}\n";
}

inline std::string Placeholder(const std::string& name,
                               const Integers& extents,
                               const std::string& type = "DT_FLOAT") {
  return Node(name,
              "Placeholder",
              {},
              Attr("dtype", "type: " + type) + Attr("shape", "shape " + ShapeText(extents)));
}

// A list of int32, or a scalar.
inline std::string ConstAttrs(const Integers& numbers, bool is_scalar = false) {
  const Integers extents =
      is_scalar ? Integers() : Integers{static_cast<std::int64_t>(numbers.size())};
  return Attr("dtype", "type: DT_INT32") +
         Attr("value",
              "tensor { dtype: DT_INT32 tensor_shape " + ShapeText(extents) + " int_val: [" +
                  Join(numbers) + "] }");
}

inline std::string List(const std::string& name, const Integers& numbers) {
  return Node(name, "Const", {}, ConstAttrs(numbers));
}

inline std::string Scalar(const std::string& name, std::int64_t number) {
  return Node(name, "Const", {}, ConstAttrs({number}, true));
}

// The nodes of `text` with its functions opened.
inline TfGraph Expanded(const std::string& text, TfExpansionOptions options = {.unroll = 128}) {
  const std::string place = "in";
  const TfGraphMessage message = ReadTfGraphMessage(text, place);
  const TfGraphDefinition definition = ReadTfGraphDefinition(message.graph, place);
  ImportSummary summary;
  TfGraph graph = ExpandTfGraph(definition, place, options, summary);
  for (TfNode& node : graph.nodes) {
    node.attributes = {};  // which refer to what ends here
  }
  return graph;
}

// The shape of output `port` of node `name`; nothing where it is not known.
inline std::optional<Shape> ShapeIn(const TfGraph& graph,
                                    const std::string& name,
                                    std::size_t port = 0) {
  for (const TfNode& node : graph.nodes) {
    if (node.name == name) {
      return port < node.outputs.size() ? node.outputs[port].shape : std::nullopt;
    }
  }
  ADD_FAILURE() << "no node " << name;
  return std::nullopt;
}

}  // namespace opyard::graphs
