#include "graphs/importers/torch/torch_json.h"

#include <array>
#include <unordered_map>

#include "graphs/importers/common/dtype_names.h"
#include "graphs/importers/common/json_nodes.h"
#include "graphs/importers/torch/torch_graph.h"
#include "sim/base/quote.h"
#include "sim/io/json/json_cursor.h"

namespace opyard::graphs {
namespace {

using sim::JsonCursor;
using sim::JsonField;

constexpr std::int64_t kLargest = std::int64_t{1} << 50;  // bytes of a tensor, or an extent
constexpr std::size_t kMostEdges = std::size_t{1} << 22U;
constexpr std::size_t kMostOutputs = 1024;                 // of one node
constexpr std::size_t kMostReads = std::size_t{1} << 23U;  // of tensors, over all edges

struct NodeReading {
  TorchNode node;
  std::int64_t id = 0;
};

struct OutputReading {
  sim::OutputSpec output;
  std::string dtype;
};

constexpr auto kOutputFields = std::to_array<JsonField<OutputReading>>({
    {"shape",
     [](const JsonCursor& value, OutputReading& out) {
       value.ForEachItem([&out](const JsonCursor& extent) {
         out.output.shape.push_back(extent.IntegerIn(0, kLargest).value_or(0));
       });
     },
     true},
    {"dtype",
     [](const JsonCursor& value, OutputReading& out) { out.dtype = value.Name().value_or(""); },
     true},
    {"bytes",
     [](const JsonCursor& value, OutputReading& out) {
       out.output.bytes.count = value.IntegerIn(0, kLargest).value_or(0);
     },
     true},
});

void ReadOutput(const JsonCursor& value, NodeReading& out) {
  OutputReading reading;
  sim::ReadFields<OutputReading>(value, kOutputFields, reading);
  const std::optional<sim::DType> dtype = DTypeNamed(reading.dtype);
  if (!dtype.has_value() && !reading.dtype.empty()) {
    value.Report("found the element type " + Quoted(reading.dtype) +
                 ", expected one of PyTorch's, such as torch.float32");
  }
  reading.output.dtype = dtype.value_or(sim::DType::kOther);
  out.node.outputs.push_back(std::move(reading.output));
}

std::optional<TorchNode::Kind> FindKind(std::string_view name) {
  using enum TorchNode::Kind;
  if (name == "placeholder") {
    return kPlaceholder;
  }
  if (name == "call_function") {
    return kCall;
  }
  if (name == "get_attr") {
    return kGetAttr;
  }
  return name == "output" ? std::optional(kOutput) : std::nullopt;
}

constexpr auto kNodeFields = std::to_array<JsonField<NodeReading>>({
    {"id",
     [](const JsonCursor& value, NodeReading& out) { out.id = value.Integer().value_or(0); },
     true},
    {"name",
     [](const JsonCursor& value, NodeReading& out) { out.node.name = value.Name().value_or(""); },
     true},
    {"kind",
     [](const JsonCursor& value, NodeReading& out) {
       out.node.kind = sim::ReadEnum<TorchNode::Kind>(
                           value, FindKind, "placeholder, call_function, get_attr, output")
                           .value_or(TorchNode::Kind::kCall);
     },
     true},
    {"op",
     [](const JsonCursor& value, NodeReading& out) { out.node.op = value.Name().value_or(""); },
     true},
    {"outputs",
     [](const JsonCursor& value, NodeReading& out) {
       value.ForEachItem([&out](const JsonCursor& output) { ReadOutput(output, out); });
     },
     true},
});

// Reads nodes one by one, then the edges, which name them by id.
class TorchReader {
 public:
  explicit TorchReader(const ImportFile& file) : file_(file) {}

  TorchGraph Run() {
    ReadJsonNodes(
        file_,
        diagnostics_,
        {.take_node = [this](const JsonCursor& node, std::size_t i) { return Take(node, i); },
         .read_root = [this](const JsonCursor& root) { ReadRoot(root); }});
    return std::move(graph_);
  }

 private:
  bool Take(const JsonCursor& cursor, std::size_t index) {
    NodeReading reading;
    sim::ReadFields<NodeReading>(cursor, kNodeFields, reading);
    if (!index_of_.try_emplace(reading.id, index).second) {
      cursor.Report("found the id " + std::to_string(reading.id) + " again, expected it once");
    }
    if (reading.node.outputs.size() > kMostOutputs) {
      cursor.Report("found " + std::to_string(reading.node.outputs.size()) +
                    " outputs, expected at most 1024");
    }
    graph_.nodes.push_back(std::move(reading.node));
    return true;
  }

  void ReadRoot(const JsonCursor& root) {
    bool has_edges = false;
    bool has_nodes = false;
    root.ForEachMember([&](std::string_view key, const JsonCursor& value) {
      has_nodes |= key == "nodes";
      if (key == "edges") {
        has_edges = true;
        ReadEdges(value);
      } else if (key == "meta") {
        value.ForEachMember(
            [this](std::string_view name, const JsonCursor& entry) { ReadMeta(name, entry); });
      }
    });
    if (!has_edges || !has_nodes) {
      root.Report("found no \"nodes\" or no \"edges\", expected both");
    }
  }

  void ReadMeta(std::string_view key, const JsonCursor& value) {
    if (key == "route") {
      graph_.route = value.Text().value_or("");
    } else if (key == "gradients_to_parameters") {
      graph_.num_parameters = value.IntegerIn(0, static_cast<std::int64_t>(kMostImportedNodes));
    }
  }

  void ReadEdges(const JsonCursor& edges) {
    std::size_t count = 0;
    edges.ForEachItem([&](const JsonCursor& edge) {
      if (++count <= kMostEdges) {
        ReadEdge(edge);
      }
    });
    if (count > kMostEdges || num_reads_ > kMostReads) {
      edges.Report(
          "found more edges than can be read, expected at most 4194304 that read 8388608 tensors");
    }
  }

  void ReadEdge(const JsonCursor& edge) {
    std::vector<std::optional<std::size_t>> ends;
    const bool is_array = edge.ForEachItem([&](const JsonCursor& end) {
      if (ends.size() < 3) {
        ends.push_back(IndexOf(end));
      }
    });
    if (!is_array || ends.size() != 2) {
      if (is_array) {
        edge.Report("found another number of items, expected [source id, destination id]");
      }
      return;
    }
    if (!ends[0].has_value() || !ends[1].has_value()) {
      return;
    }
    if (*ends[0] >= *ends[1]) {
      edge.Report("found an edge to the same or an earlier node, expected topological order");
      return;
    }
    num_reads_ += graph_.nodes[*ends[0]].outputs.size();
    graph_.nodes[*ends[1]].inputs.push_back(*ends[0]);
  }

  std::optional<std::size_t> IndexOf(const JsonCursor& value) const {
    const std::optional<std::int64_t> id = value.Integer();
    if (!id.has_value()) {
      return std::nullopt;
    }
    const auto found = index_of_.find(*id);
    if (found == index_of_.end()) {
      value.ReportExpected("the id of a node");
      return std::nullopt;
    }
    return found->second;
  }

  const ImportFile& file_;
  Diagnostics diagnostics_;
  TorchGraph graph_;
  std::unordered_map<std::int64_t, std::size_t> index_of_;
  std::size_t num_reads_ = 0;
};

}  // namespace

std::string TorchJsonImporter::summary() const {
  return "JSON of ATen ops from torch.export or a joint graph of forward and backward";
}

bool TorchJsonImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  const std::string_view head = HeadOf(file);
  return head.find("\"nodes\"") != std::string_view::npos &&
         head.find("\"kind\"") != std::string_view::npos &&
         head.find("\"outputs\"") != std::string_view::npos;
}

ImportedGraph TorchJsonImporter::Import(const ImportFile& file, Options& /*options*/) const {
  ImportedGraph imported;
  const TorchGraph graph = TorchReader(file).Run();
  imported.summary.nodes_read = graph.nodes.size();
  sim::OpGraphBuilder builder(file.stem, graph.route);
  Diagnostics diagnostics;
  LowerTorchGraph(graph, file.place + "#/nodes", builder, imported.summary, diagnostics);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(diagnostics));
  return imported;
}

}  // namespace opyard::graphs
