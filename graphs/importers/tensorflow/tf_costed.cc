#include "graphs/importers/tensorflow/tf_costed.h"

#include "graphs/importers/common/json_nodes.h"
#include "graphs/importers/tensorflow/tf_graph.h"
#include "sim/io/json/json_cursor.h"

namespace opyard::graphs {
namespace {

using sim::JsonCursor;

constexpr std::int64_t kLargestBytes = std::int64_t{1} << 50;
constexpr std::int64_t kMostPort = 65'535;
constexpr std::size_t kMostCostedOutputs = std::size_t{1} << 22U;  // of all nodes
constexpr std::size_t kMostCostedEdges = std::size_t{1} << 22U;

class CostedReader {
 public:
  explicit CostedReader(const ImportFile& file) : file_(file) {}

  TfGraph Run() {
    graph_.has_costs = true;
    ReadJsonNodes(file_,
                  diagnostics_,
                  {.take_node = [this](const JsonCursor& node, std::size_t) { return Take(node); },
                   .read_root = [this](const JsonCursor& root) { ReadRoot(root); }});
    return std::move(graph_);
  }

 private:
  bool Take(const JsonCursor& cursor) {
    TfNode node;
    std::size_t field = 0;
    const bool is_array =
        cursor.ForEachItem([&](const JsonCursor& value) { ReadField(field++, value, node); });
    if (is_array && field != 4) {
      cursor.Report("found " + std::to_string(field) +
                    " items, expected [name, op, cost in ns, [bytes of outputs]]");
    }
    num_outputs_ += node.outputs.size();
    if (num_outputs_ > kMostCostedOutputs) {
      cursor.Report("found too many outputs, expected at most 4194304 in all");
      return false;
    }
    graph_.nodes.push_back(std::move(node));
    return true;
  }

  static void ReadField(std::size_t field, const JsonCursor& value, TfNode& node) {
    if (field == 0) {
      node.name = value.Name().value_or("");
    } else if (field == 1) {
      node.type = value.Name().value_or("");
    } else if (value.kind() == sim::JsonKind::kNull) {
      return;
    } else if (field == 2) {
      const double seconds = value.Number().value_or(0.0) * 1e-9;
      if (FitsInSimTime(seconds)) {
        node.seconds = seconds;
      } else {
        value.ReportExpected("nanoseconds from 0 to 4.6e15");
      }
    } else if (field == 3) {
      value.ForEachItem([&node](const JsonCursor& bytes) {
        node.outputs.push_back({.bytes = Bytes{bytes.IntegerIn(0, kLargestBytes).value_or(0)}});
      });
    }
  }

  void ReadRoot(const JsonCursor& root) {
    bool has_edges = false;
    root.ForEachMember([&](std::string_view key, const JsonCursor& value) {
      if (key == "edges") {
        has_edges = true;
        std::size_t count = 0;
        value.ForEachItem([&](const JsonCursor& edge) {
          if (++count <= kMostCostedEdges) {
            ReadEdge(edge);
          }
        });
        if (count > kMostCostedEdges) {
          value.Report("found more edges than can be read, expected at most 4194304");
        }
      }
    });
    if (!has_edges) {
      root.Report("found no key \"edges\", expected it");
    }
  }

  void ReadEdge(const JsonCursor& edge) {
    const auto last = static_cast<std::int64_t>(graph_.nodes.size()) - 1;
    std::vector<std::optional<std::int64_t>> items;
    const bool is_array = edge.ForEachItem([&](const JsonCursor& item) {
      if (items.size() < 4) {
        items.push_back(items.size() == 1 ? item.IntegerIn(-1, kMostPort)
                                          : item.IntegerIn(0, last));
      }
    });
    if (!is_array) {
      return;
    }
    if (items.size() != 3) {
      edge.Report("found another number of items, expected [source, port, destination]");
      return;
    }
    if (items[0].has_value() && items[1].has_value() && items[2].has_value()) {
      AddEdge(edge,
              static_cast<std::size_t>(*items[0]),
              *items[1],
              static_cast<std::size_t>(*items[2]));
    }
  }

  // A node whose outputs the file does not list has those that are read.
  void AddEdge(const JsonCursor& edge, std::size_t from, std::int64_t port, std::size_t to) {
    TfNode& node = graph_.nodes[to];
    if (port < 0) {
      node.controls.push_back(from);
      return;
    }
    const auto index = static_cast<std::size_t>(port);
    std::vector<TfTensor>& outputs = graph_.nodes[from].outputs;
    if (index >= outputs.size()) {
      num_outputs_ += index + 1 - outputs.size();
      if (num_outputs_ > kMostCostedOutputs) {
        edge.Report("found too many outputs, expected at most 4194304 in all");
        return;
      }
      outputs.resize(index + 1);
    }
    node.inputs.push_back({.node = from, .port = index});
  }

  const ImportFile& file_;
  Diagnostics diagnostics_;
  TfGraph graph_;
  std::size_t num_outputs_ = 0;
};

}  // namespace

std::string TfCostedImporter::summary() const {
  return "JSON of TensorFlow ops with the costs of its analytical estimator";
}

bool TfCostedImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  return HeadOf(file).find("\"node_fields\"") != std::string_view::npos;
}

ImportedGraph TfCostedImporter::Import(const ImportFile& file, Options& /*options*/) const {
  const TfGraph graph = CostedReader(file).Run();
  ImportedGraph imported;
  imported.summary.nodes_read = graph.nodes.size();
  sim::OpGraphBuilder builder(file.stem, "TensorFlow graph with estimated costs");
  Diagnostics diagnostics;
  LowerTfGraph(graph, file.place + "#/nodes", builder, imported.summary, diagnostics);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(diagnostics));
  return imported;
}

}  // namespace opyard::graphs
