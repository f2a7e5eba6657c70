#include "graphs/importers/tensorflow/cost_graph.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "graphs/importers/tensorflow/proto_wire.h"
#include "graphs/importers/tensorflow/tf_document.h"
#include "graphs/importers/tensorflow/tf_types.h"
#include "graphs/importers/tensorflow/tf_value.h"
#include "sim/base/error.h"
#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

constexpr std::size_t kMostCostGraphEdges = std::size_t{1} << 23U;  // and outputs

struct InputInfo {
  std::int64_t node = 0;  // id
  std::int64_t port = 0;
};

constexpr std::int64_t kNotRecorded = -1;

struct OutputInfo {
  std::int64_t size = 0;
  std::int64_t alias_input = 0;  // −1 for none
  TfExtents extents;
  std::int64_t type = 0;
};

struct CostNode {
  std::string name;
  std::int64_t id = 0;
  std::vector<InputInfo> inputs;
  std::vector<OutputInfo> outputs;
  std::vector<std::int64_t> controls;  // ids
  std::int64_t cost = 0;
  std::int64_t temporary = 0;
  std::int64_t persistent = 0;
  bool is_final = false;
  bool has_device = false;
};

struct Units {
  double seconds_per_cost = 1e-6;
  double bytes_per_size = 1.0;
};

InputInfo ReadInput(pbf_reader message) {
  InputInfo input;
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(1, kVarint)) {
      input.node = message.get_int64();
    } else if (message.tag_and_type() == tag_and_type(2, kVarint)) {
      input.port = message.get_int64();
    } else {
      message.skip();
    }
  }
  return input;
}

OutputInfo ReadOutput(pbf_reader message) {
  OutputInfo output;
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(1, kVarint)) {
      output.size = message.get_int64();
    } else if (message.tag_and_type() == tag_and_type(2, kVarint)) {
      output.alias_input = message.get_int64();
    } else if (message.tag_and_type() == tag_and_type(3, kBytes)) {
      const auto shape = message.get_view();
      output.extents = ReadTfExtents({shape.data(), shape.size()});
    } else if (message.tag_and_type() == tag_and_type(4, kVarint)) {
      output.type = message.get_enum();
    } else {
      message.skip();
    }
  }
  return output;
}

// The fields of a node that are numbers; false for another.
bool ReadNumber(pbf_reader& message, CostNode& node) {
  switch (message.tag_and_type()) {
    case tag_and_type(3, kVarint):
      node.id = message.get_int64();
      return true;
    case tag_and_type(6, kVarint):
      node.temporary = message.get_int64();
      return true;
    case tag_and_type(7, kVarint):
      node.is_final = message.get_bool();
      return true;
    case tag_and_type(8, kVarint):
      node.controls.push_back(message.get_int64());
      return true;
    case tag_and_type(9, kVarint):
      node.cost = message.get_int64();
      return true;
    case tag_and_type(12, kVarint):
      node.persistent = message.get_int64();
      return true;
    default:
      return false;
  }
}

CostNode ReadNode(pbf_reader message) {
  CostNode node;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes):
        node.name = message.get_string();
        break;
      case tag_and_type(2, kBytes):
        node.has_device |= message.get_view().size() > 0;
        break;
      case tag_and_type(4, kBytes):
        node.inputs.push_back(ReadInput(message.get_message()));
        break;
      case tag_and_type(5, kBytes):
        node.outputs.push_back(ReadOutput(message.get_message()));
        break;
      case tag_and_type(8, kBytes): {
        const auto controls = message.get_packed_int32();
        node.controls.insert(node.controls.end(), controls.begin(), controls.end());
        break;
      }
      default:
        if (!ReadNumber(message, node)) {
          message.skip();
        }
    }
  }
  return node;
}

class CostGraphReader {
 public:
  CostGraphReader(const ImportFile& file, const Units& units, ImportSummary& summary)
      : file_(file), units_(units), summary_(summary) {}

  void Run(sim::OpGraphBuilder& builder, Diagnostics& diagnostics) {
    ReadNodes();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (IsTerminal(i)) {
        summary_.folded.Add("_SOURCE or _SINK", nodes_[i].name);
        op_of_.push_back(-1);
      } else {
        op_of_.push_back(num_ops_++);
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (op_of_[i] >= 0) {
        builder.AddOp(Lower(i));
      }
    }
    diagnostics.Append(diagnostics_);
  }

 private:
  void ReadNodes() {
    const TfGraphMessage message = ReadTfCostGraphMessage(file_.bytes, file_.place);
    try {
      pbf_reader reader(message.graph.data(), message.graph.size());
      while (reader.next(1, kBytes)) {
        TakeNode(ReadNode(reader.get_message()));
      }
    } catch (const protozero::exception& damage) {
      throw InputError(Place(nodes_.size()) + ": found damaged data (" + damage.what() +
                       "), expected a CostGraphDef in Protocol Buffers' wire format");
    }
    summary_.nodes_read = nodes_.size();
    diagnostics_.ThrowIfAny();
  }

  void TakeNode(CostNode node) {
    num_edges_ += node.inputs.size() + node.outputs.size() + node.controls.size();
    if (nodes_.size() == kMostImportedNodes || num_edges_ > kMostCostGraphEdges) {
      throw InputError(file_.place +
                       ": found a graph too large to read, expected at most 1048576 nodes and "
                       "8388608 inputs and outputs");
    }
    if (const auto flaw = sim::FindTextFlaw(node.name)) {
      diagnostics_.AddError(Place(nodes_.size()),
                            "found a name with " + flaw->what + ", expected UTF-8 text");
    }
    if (node.name.empty()) {
      node.name = "node_" + std::to_string(node.id);
    }
    if (!index_of_.try_emplace(node.id, nodes_.size()).second) {
      diagnostics_.AddError(Place(nodes_.size()),
                            "found the id " + std::to_string(node.id) + " again, expected it once");
    }
    nodes_.push_back(std::move(node));
  }

  [[nodiscard]] std::string Place(std::size_t node) const {
    return file_.place + "#/node/" + std::to_string(node);
  }

  // Neither reads nor makes anything: it is there for the order alone.
  [[nodiscard]] bool IsTerminal(std::size_t i) const {
    const CostNode& node = nodes_[i];
    return (node.name == "_SOURCE" || node.name == "_SINK") && node.inputs.empty() &&
           node.outputs.empty();
  }

  // Each device of a step has nodes of the same name.
  std::string UniqueName(const CostNode& node) {
    if (names_.insert(node.name).second) {
      return node.name;
    }
    std::string name = node.name + "_" + std::to_string(node.id);
    while (!names_.insert(name).second) {
      name += "_";
    }
    summary_.unknown.Add("name that several nodes bear: the id is added to it", node.name);
    return name;
  }

  sim::OpSpec Lower(std::size_t i) {
    const CostNode& node = nodes_[i];
    sim::OpSpec op{.name = UniqueName(node), .type = "CostGraphOp"};
    summary_.unknown.Add("op type, which the format does not hold: opaque", node.name);
    if (node.has_device) {
      summary_.unknown.Add("device of a node, not used", node.name);
    }
    for (const InputInfo& input : node.inputs) {
      AddInput(i, input, op);
    }
    for (const std::int64_t id : node.controls) {
      const std::optional<std::size_t> source = IndexOf(i, id);
      if (source.has_value() && op_of_[*source] >= 0) {
        op.control_inputs.push_back(op_of_[*source]);
      }
    }
    for (const OutputInfo& output : node.outputs) {
      AddOutput(i, output, op);
    }
    op.param_bytes = SizeOf(i, "persistent_memory_size", node.persistent);
    op.workspace_bytes = SizeOf(i, "temporary_memory_size", node.temporary);
    const double seconds = static_cast<double>(node.cost) * units_.seconds_per_cost;
    if (FitsInSimTime(seconds)) {
      op.seconds.push_back({.where = "*", .seconds = seconds});
    } else {
      diagnostics_.AddError(Place(i) + "/compute_cost",
                            "found " + std::to_string(node.cost) + ", expected 0 to 4.6e6 seconds");
    }
    return op;
  }

  void AddInput(std::size_t i, const InputInfo& input, sim::OpSpec& op) {
    const std::optional<std::size_t> source = IndexOf(i, input.node);
    if (!source.has_value()) {
      return;
    }
    if (input.port < 0 ||
        static_cast<std::uint64_t>(input.port) >= nodes_[*source].outputs.size()) {
      diagnostics_.AddError(Place(i) + "/input_info",
                            "found the port " + std::to_string(input.port) + " of node " +
                                std::to_string(input.node) + ", expected one of its " +
                                std::to_string(nodes_[*source].outputs.size()) + " outputs");
      return;
    }
    op.inputs.push_back({.op = op_of_[*source], .output = input.port});
  }

  void AddOutput(std::size_t i, const OutputInfo& output, sim::OpSpec& op) {
    sim::OutputSpec spec{.bytes = OutputSizeOf(i, output)};
    spec.keep = nodes_[i].is_final;
    if (output.alias_input >= 0 &&
        static_cast<std::uint64_t>(output.alias_input) < op.inputs.size()) {
      spec.alias = sim::Alias::kInput;
      spec.alias_input = static_cast<std::int32_t>(output.alias_input);
    }
    op.outputs.push_back(spec);
  }

  // A size that was not recorded follows from the shape, or else is that of the largest input.
  Bytes OutputSizeOf(std::size_t i, const OutputInfo& output) {
    if (output.size != kNotRecorded) {
      return SizeOf(i, "output_info/size", output.size);
    }
    if (const auto shape = StaticShape(output.extents); shape && HasTfElements(output.type)) {
      return BytesOf({*shape, TfDType(output.type)});
    }
    summary_.unknown.Add("size that was not recorded (-1), taken as that of the op's largest input",
                         nodes_[i].name);
    std::int64_t largest = 0;
    for (const InputInfo& input : nodes_[i].inputs) {
      const auto found = index_of_.find(input.node);
      if (found != index_of_.end() && input.port >= 0 &&
          static_cast<std::uint64_t>(input.port) < nodes_[found->second].outputs.size()) {
        largest = std::max(
            largest, nodes_[found->second].outputs[static_cast<std::size_t>(input.port)].size);
      }
    }
    return SizeOf(i, "output_info/size", largest);
  }

  Bytes SizeOf(std::size_t i, const char* field, std::int64_t size) {
    constexpr double kMost = 1e15;
    if (size == kNotRecorded) {
      summary_.unknown.Add("memory that was not recorded (-1), taken as 0 bytes", nodes_[i].name);
      return {};
    }
    const double bytes = std::round(static_cast<double>(size) * units_.bytes_per_size);
    if (!(bytes >= 0.0 && bytes <= kMost)) {
      diagnostics_.AddError(Place(i) + "/" + field,
                            "found " + std::to_string(size) + ", expected 0 to 1e15 bytes");
      return {};
    }
    return Bytes{static_cast<std::int64_t>(bytes)};
  }

  std::optional<std::size_t> IndexOf(std::size_t i, std::int64_t id) {
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
      diagnostics_.AddError(Place(i),
                            "found the id " + std::to_string(id) + ", expected that of a node");
      return std::nullopt;
    }
    return found->second;
  }

  const ImportFile& file_;
  const Units& units_;
  ImportSummary& summary_;
  Diagnostics diagnostics_;
  std::vector<CostNode> nodes_;
  std::unordered_map<std::int64_t, std::size_t> index_of_;
  std::unordered_set<std::string> names_;
  std::vector<std::int64_t> op_of_;  // [nodes]; −1 for none
  std::int64_t num_ops_ = 0;
  std::size_t num_edges_ = 0;
};

}  // namespace

std::string CostGraphImporter::summary() const {
  return "TensorFlow's CostGraphDef, text or binary, alone or in RunMetadata (options "
         "seconds_per_cost, bytes_per_size)";
}

bool CostGraphImporter::Recognises(const ImportFile& file, std::string_view path) const {
  return FindTfDocument(file.bytes, path) == TfDocument::kCostGraph;
}

ImportedGraph CostGraphImporter::Import(const ImportFile& file, Options& options) const {
  const Units units{.seconds_per_cost = options.Double("seconds_per_cost", 1e-6, 0.0, 1e6),
                    .bytes_per_size = options.Double("bytes_per_size", 1.0, 0.0, 1e12)};
  ImportedGraph imported;
  sim::OpGraphBuilder builder(file.stem, "CostGraphDef");
  Diagnostics diagnostics;
  CostGraphReader(file, units, imported.summary).Run(builder, diagnostics);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(diagnostics));
  return imported;
}

}  // namespace opyard::graphs
