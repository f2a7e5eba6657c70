#include "graphs/importers/tensorflow/cost_graph.h"

#include <cmath>
#include <unordered_map>

#include "graphs/importers/tensorflow/proto_text.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostEdges = std::size_t{1} << 23U;  // and outputs

struct InputInfo {
  std::int64_t node = 0;  // id
  std::int64_t port = 0;
};

struct OutputInfo {
  std::int64_t size = 0;
  std::int64_t alias_input = 0;  // −1 for none
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

InputInfo ReadInput(ProtoText& text) {
  InputInfo input;
  std::string_view field;
  text.EnterMessage();
  while (text.NextField(field)) {
    if (field == "preceding_node") {
      input.node = text.Integer();
    } else if (field == "preceding_port") {
      input.port = text.Integer();
    } else {
      text.Skip();
    }
  }
  return input;
}

OutputInfo ReadOutput(ProtoText& text) {
  OutputInfo output;
  std::string_view field;
  text.EnterMessage();
  while (text.NextField(field)) {
    if (field == "size") {
      output.size = text.Integer();
    } else if (field == "alias_input_port") {
      output.alias_input = text.Integer();
    } else {
      text.Skip();
    }
  }
  return output;
}

CostNode ReadNode(ProtoText& text) {
  CostNode node;
  std::string_view field;
  text.EnterMessage();
  while (text.NextField(field)) {
    if (field == "name") {
      node.name = text.Text();
    } else if (field == "id") {
      node.id = text.Integer();
    } else if (field == "input_info") {
      node.inputs.push_back(ReadInput(text));
    } else if (field == "output_info") {
      node.outputs.push_back(ReadOutput(text));
    } else if (field == "control_input") {
      node.controls.push_back(text.Integer());
    } else if (field == "compute_cost") {
      node.cost = text.Integer();
    } else if (field == "temporary_memory_size") {
      node.temporary = text.Integer();
    } else if (field == "persistent_memory_size") {
      node.persistent = text.Integer();
    } else if (field == "is_final") {
      node.is_final = text.Bool();
    } else {
      node.has_device |= field == "device";
      text.Skip();
    }
  }
  return node;
}

class CostGraphReader {
 public:
  CostGraphReader(const ImportFile& file, const Units& units, ImportSummary& summary)
      : file_(file), units_(units), summary_(summary) {}

  void Run(sim::OpGraphBuilder& builder, ProblemList& problems) {
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
    problems.Append(problems_);
  }

 private:
  void ReadNodes() {
    ProtoText text(file_.bytes, file_.place);
    std::string_view field;
    while (text.NextField(field)) {
      if (field != "node") {
        text.Skip();
        continue;
      }
      CostNode node = ReadNode(text);
      num_edges_ += node.inputs.size() + node.outputs.size() + node.controls.size();
      if (nodes_.size() == kMostImportedNodes || num_edges_ > kMostEdges) {
        throw InputError(file_.place +
                         ": found a graph too large to read, expected at most 1048576 nodes and "
                         "8388608 inputs and outputs");
      }
      if (node.name.empty()) {
        node.name = "node_" + std::to_string(node.id);
      }
      if (!index_of_.try_emplace(node.id, nodes_.size()).second) {
        problems_.Add(Place(nodes_.size()),
                      "found the id " + std::to_string(node.id) + " again, expected it once");
      }
      nodes_.push_back(std::move(node));
    }
    summary_.nodes_read = nodes_.size();
    problems_.ThrowIfAny();
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

  sim::OpSpec Lower(std::size_t i) {
    const CostNode& node = nodes_[i];
    sim::OpSpec op{.name = node.name, .type = "CostGraphOp"};
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
      problems_.Add(Place(i) + "/compute_cost",
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
      problems_.Add(Place(i) + "/input_info",
                    "found the port " + std::to_string(input.port) + " of node " +
                        std::to_string(input.node) + ", expected one of its " +
                        std::to_string(nodes_[*source].outputs.size()) + " outputs");
      return;
    }
    op.inputs.push_back({.op = op_of_[*source], .output = input.port});
  }

  void AddOutput(std::size_t i, const OutputInfo& output, sim::OpSpec& op) {
    sim::OutputSpec spec{.bytes = SizeOf(i, "output_info/size", output.size)};
    spec.keep = nodes_[i].is_final;
    if (output.alias_input >= 0 &&
        static_cast<std::uint64_t>(output.alias_input) < op.inputs.size()) {
      spec.alias = sim::Alias::kInput;
      spec.alias_input = static_cast<std::int32_t>(output.alias_input);
    }
    op.outputs.push_back(spec);
  }

  Bytes SizeOf(std::size_t i, const char* field, std::int64_t size) {
    constexpr double kMost = 1e15;
    const double bytes = std::round(static_cast<double>(size) * units_.bytes_per_size);
    if (!(bytes >= 0.0 && bytes <= kMost)) {
      problems_.Add(Place(i) + "/" + field,
                    "found " + std::to_string(size) + ", expected 0 to 1e15 bytes");
      return {};
    }
    return Bytes{static_cast<std::int64_t>(bytes)};
  }

  std::optional<std::size_t> IndexOf(std::size_t i, std::int64_t id) {
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
      problems_.Add(Place(i), "found the id " + std::to_string(id) + ", expected that of a node");
      return std::nullopt;
    }
    return found->second;
  }

  const ImportFile& file_;
  const Units& units_;
  ImportSummary& summary_;
  ProblemList problems_;
  std::vector<CostNode> nodes_;
  std::unordered_map<std::int64_t, std::size_t> index_of_;
  std::vector<std::int64_t> op_of_;  // [nodes]; −1 for none
  std::int64_t num_ops_ = 0;
  std::size_t num_edges_ = 0;
};

}  // namespace

std::string CostGraphImporter::summary() const {
  return "text form of TensorFlow's CostGraphDef (options seconds_per_cost, bytes_per_size)";
}

bool CostGraphImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  const std::string_view head = HeadOf(file);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head.substr(first).starts_with("node") &&
         head.find('{') != std::string_view::npos;
}

ImportedGraph CostGraphImporter::Import(const ImportFile& file, Options& options) const {
  sim::EnsureUtf8(file.bytes, file.place);
  const Units units{.seconds_per_cost = options.Double("seconds_per_cost", 1e-6, 0.0, 1e6),
                    .bytes_per_size = options.Double("bytes_per_size", 1.0, 0.0, 1e12)};
  ImportedGraph imported;
  sim::OpGraphBuilder builder(file.stem, "CostGraphDef");
  ProblemList problems;
  CostGraphReader(file, units, imported.summary).Run(builder, problems);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(problems));
  return imported;
}

}  // namespace opyard::graphs
