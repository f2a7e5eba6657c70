#include "graphs/importers/tensorflow/tf_graphdef.h"

#include <charconv>
#include <unordered_map>

#include <protozero/pbf_reader.hpp>

#include "graphs/importers/tensorflow/tf_node.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr std::size_t kMostOutputs = std::size_t{1} << 22U;  // of all nodes
constexpr std::size_t kMostEdges = std::size_t{1} << 23U;

constexpr auto kBytes = pbf_wire_type::length_delimited;

class GraphDefReader {
 public:
  explicit GraphDefReader(const ImportFile& file) : file_(file) {}

  TfGraph Run() {
    ReadNodes();
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      graph_.nodes.push_back(std::move(readings_[i].node));
    }
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      Resolve(i);
    }
    problems_.ThrowIfAny();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] std::string Place(std::size_t node) const {
    return file_.place + "#/node/" + std::to_string(node);
  }

  void ReadNodes() {
    try {
      pbf_reader message(file_.bytes.data(), file_.bytes.size());
      while (message.next()) {
        if (message.tag_and_type() == tag_and_type(1, kBytes)) {
          ReadNode(message.get_view());
        } else {
          message.skip();
        }
      }
    } catch (const protozero::exception& damage) {
      throw InputError(Place(readings_.size()) + ": found damaged data (" + damage.what() +
                       "), expected a GraphDef in Protocol Buffers' wire format");
    } catch (const InputError& error) {
      throw InputError(Place(readings_.size()) + ": " + error.what());
    }
    if (readings_.empty()) {
      problems_.Add(file_.place, "found no node, expected a GraphDef with at least one");
    }
    problems_.ThrowIfAny();
  }

  void ReadNode(const protozero::data_view& message) {
    const std::size_t index = readings_.size();
    if (index == kMostImportedNodes) {
      throw InputError("found more nodes than can be read, expected at most 1048576");
    }
    TfNodeReading reading = ReadTfNode({message.data(), message.size()});
    CheckNames(reading.node, index);
    num_outputs_ += reading.node.outputs.size();
    num_edges_ += reading.inputs.size();
    if (num_outputs_ > kMostOutputs || num_edges_ > kMostEdges) {
      throw InputError(
          "found a graph too large to read, expected at most 4194304 outputs and "
          "8388608 edges");
    }
    readings_.push_back(std::move(reading));
  }

  void CheckNames(const TfNode& node, std::size_t index) {
    for (const std::string* text : {&node.name, &node.type, &node.attributes.colocate_with}) {
      const bool may_be_empty = text == &node.attributes.colocate_with;
      if ((text->empty() && !may_be_empty) || sim::FindTextFlaw(*text).has_value()) {
        problems_.Add(
            Place(index),
            "found the name or op " + Quoted(*text) + ", expected UTF-8 text that is not empty");
      }
    }
    if (!index_of_.try_emplace(node.name, index).second) {
      problems_.Add(Place(index),
                    "found the name " + Quoted(node.name) + " again, expected it once");
    }
  }

  void Resolve(std::size_t i) {
    TfNode& node = graph_.nodes[i];
    for (const std::string_view text : readings_[i].inputs) {
      ResolveInput(i, text, node);
    }
    std::string& other = node.attributes.colocate_with;
    if (!other.empty() && !index_of_.contains(other)) {
      other.clear();  // it was pruned away
    }
  }

  // "^node", "node" or "node:port".
  void ResolveInput(std::size_t i, std::string_view text, TfNode& node) {
    const bool is_control = text.starts_with('^');
    std::string_view name = is_control ? text.substr(1) : text;
    std::size_t port = 0;
    const std::size_t colon = name.rfind(':');
    if (!is_control && colon != std::string_view::npos) {
      const char* end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, port);
      if (error != std::errc() || stop != end || port > kMostTfPort) {
        problems_.Add(Place(i),
                      "found the input " + Quoted(text) +
                          ", expected NODE:PORT with a port up to " + std::to_string(kMostTfPort));
        return;
      }
      name = name.substr(0, colon);
    }
    const auto found = index_of_.find(std::string(name));
    if (found == index_of_.end()) {
      problems_.Add(Place(i), "found the input " + Quoted(text) + ", expected the name of a node");
      return;
    }
    if (is_control) {
      node.controls.push_back(found->second);
      return;
    }
    NeedOutput(found->second, port);
    node.inputs.push_back({.node = found->second, .port = port});
  }

  // A node without _output_shapes has the outputs that are read.
  void NeedOutput(std::size_t node, std::size_t port) {
    std::vector<TfTensor>& outputs = graph_.nodes[node].outputs;
    if (port < outputs.size()) {
      return;
    }
    num_outputs_ += port + 1 - outputs.size();
    if (num_outputs_ > kMostOutputs) {
      throw InputError(Place(node) + ": found too many outputs, expected at most 4194304 in all");
    }
    outputs.resize(port + 1, TfTensor{.dtype = readings_[node].output_dtype});
  }

  const ImportFile& file_;
  ProblemList problems_;
  std::vector<TfNodeReading> readings_;
  std::unordered_map<std::string, std::size_t> index_of_;
  TfGraph graph_;
  std::size_t num_outputs_ = 0;
  std::size_t num_edges_ = 0;
};

}  // namespace

bool TfGraphDefImporter::Recognises(const ImportFile& file, std::string_view path) const {
  if (path.ends_with(".gz")) {
    path.remove_suffix(3);
  }
  return path.ends_with(".pb") ||
         (file.bytes.starts_with('\x0a') && sim::FindTextFlaw(HeadOf(file)).has_value());
}

ImportedGraph TfGraphDefImporter::Import(const ImportFile& file, Options& /*options*/) const {
  const TfGraph graph = GraphDefReader(file).Run();
  ImportedGraph imported;
  imported.summary.nodes_read = graph.nodes.size();
  sim::OpGraphBuilder builder(file.stem, "TensorFlow GraphDef");
  ProblemList problems;
  LowerTfGraph(graph, file.place, builder, imported.summary, problems);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(problems));
  return imported;
}

}  // namespace opyard::graphs
