#include "graphs/importers/tensorflow/tf_definitions.h"

#include "graphs/importers/common/importer.h"
#include "graphs/importers/tensorflow/proto_wire.h"
#include "sim/base/quote.h"
#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

constexpr std::size_t kMostInputs = std::size_t{1} << 20U;  // of a node
constexpr std::size_t kMostDefinedEdges = std::size_t{1} << 23U;
constexpr std::size_t kMostAttributes = 1024;  // of a node

class DefinitionReader {
 public:
  DefinitionReader(std::string_view bytes, const std::string& place)
      : bytes_(bytes), place_(place) {}

  TfGraphDefinition Run() {
    node_place_ = place_ + "#/node/";
    try {
      ReadGraph();
    } catch (const protozero::exception& damage) {
      throw InputError(At() + ": found damaged data (" + damage.what() +
                       "), expected a GraphDef in Protocol Buffers' wire format");
    }
    if (graph_.nodes.empty()) {
      diagnostics_.AddError(place_, "found no node, expected a GraphDef with at least one");
    }
    diagnostics_.ThrowIfAny();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] std::string At() const { return node_place_ + std::to_string(node_index_); }

  void ReadGraph() {
    pbf_reader message(bytes_.data(), bytes_.size());
    while (message.next()) {
      if (message.tag_and_type() == tag_and_type(1, kBytes)) {
        node_place_ = place_ + "#/node/";
        node_index_ = graph_.nodes.size();
        graph_.nodes.push_back(ReadNode(message.get_message()));
      } else if (message.tag_and_type() == tag_and_type(2, kBytes)) {
        ReadLibrary(message.get_message());
      } else {
        message.skip();
      }
    }
    node_place_ = place_ + "#/node/";
    node_index_ = graph_.nodes.size();
  }

  // FunctionDefLibrary.
  void ReadLibrary(pbf_reader message) {
    while (message.next()) {
      if (message.tag_and_type() == tag_and_type(1, kBytes)) {
        ReadFunction(View(message.get_view()));
      } else {
        message.skip();
      }
    }
  }

  void ReadFunction(std::string_view bytes) {
    TfFunctionDefinition function;
    std::string_view name;
    pbf_reader signature_first(bytes.data(), bytes.size());
    while (signature_first.next(1, kBytes)) {
      name = ReadSignature(signature_first.get_message(), function);
    }
    node_place_ = place_ + "#/library/function/" + std::string(name) + "/node/";
    pbf_reader message(bytes.data(), bytes.size());
    while (message.next()) {
      switch (message.tag_and_type()) {
        case tag_and_type(3, kBytes):
          node_index_ = function.nodes.size();
          function.nodes.push_back(ReadNode(message.get_message()));
          break;
        case tag_and_type(4, kBytes):
          function.returns.insert(ReadTexts(message.get_message()));
          break;
        case tag_and_type(6, kBytes):
          function.control_returns.push_back(ReadTexts(message.get_message()).second);
          break;
        default:
          message.skip();
      }
    }
    graph_.library.emplace(name, std::move(function));
  }

  // OpDef: name 1, input_arg 2, output_arg 3, whose names are field 1.
  std::string_view ReadSignature(pbf_reader message, TfFunctionDefinition& function) {
    std::string_view name;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case tag_and_type(1, kBytes):
          name = View(message.get_view());
          CheckText(name);
          break;
        case tag_and_type(2, kBytes):
          function.arguments.push_back(ReadTexts(message.get_message()).first);
          break;
        case tag_and_type(3, kBytes):
          function.results.push_back(ReadTexts(message.get_message()).first);
          break;
        default:
          message.skip();
      }
    }
    return name;
  }

  // The fields 1 and 2 of a message, both texts.
  static std::pair<std::string_view, std::string_view> ReadTexts(pbf_reader message) {
    std::pair<std::string_view, std::string_view> texts;
    while (message.next()) {
      if (message.tag_and_type() == tag_and_type(1, kBytes)) {
        texts.first = View(message.get_view());
      } else if (message.tag_and_type() == tag_and_type(2, kBytes)) {
        texts.second = View(message.get_view());
      } else {
        message.skip();
      }
    }
    return texts;
  }

  TfNodeDefinition ReadNode(pbf_reader message) {
    if (++num_nodes_ > kMostImportedNodes) {
      throw InputError(At() + ": found more nodes than can be read, expected at most 1048576");
    }
    TfNodeDefinition node;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case tag_and_type(1, kBytes):
          node.name = View(message.get_view());
          break;
        case tag_and_type(2, kBytes):
          node.type = View(message.get_view());
          break;
        case tag_and_type(3, kBytes):
          node.inputs.push_back(View(message.get_view()));
          break;
        case tag_and_type(5, kBytes):
          node.attributes.push_back(ReadTfAttribute(View(message.get_view())));
          break;
        default:
          message.skip();
      }
      CheckSizes(node);
    }
    num_edges_ += node.inputs.size();
    CheckText(node.name);
    CheckText(node.type);
    return node;
  }

  void CheckSizes(const TfNodeDefinition& node) const {
    if (node.inputs.size() > kMostInputs || num_edges_ > kMostDefinedEdges ||
        node.attributes.size() > kMostAttributes) {
      throw InputError(At() +
                       ": found a graph too large to read, expected at most 1048576 inputs and "
                       "1024 attributes of a node, and 8388608 edges");
    }
  }

  void CheckText(std::string_view text) {
    if (text.empty() || sim::FindTextFlaw(text).has_value()) {
      diagnostics_.AddError(At(),
                            "found the name or op " + Quoted(std::string(text)) +
                                ", expected UTF-8 text that is not empty");
    }
  }

  std::string_view bytes_;
  const std::string& place_;
  Diagnostics diagnostics_;
  TfGraphDefinition graph_;
  std::string node_place_;
  std::size_t node_index_ = 0;
  std::size_t num_nodes_ = 0;
  std::size_t num_edges_ = 0;
};

}  // namespace

TfGraphDefinition ReadTfGraphDefinition(std::string_view bytes, const std::string& place) {
  return DefinitionReader(bytes, place).Run();
}

}  // namespace opyard::graphs
