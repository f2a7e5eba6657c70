#include "graphs/importers/graphml/graphml.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "graphs/importers/graphml/graphml_edges.h"
#include "graphs/importers/graphml/graphml_node.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

constexpr std::string_view kOurFormat = "opyard-graph/1";
constexpr std::int64_t kMostPort = 65'535;
constexpr std::size_t kMostGraphmlEdges = std::size_t{1} << 22U;

class GraphmlReader {
 public:
  GraphmlReader(const ImportFile& file, const GraphmlUnits& units, ImportSummary& summary)
      : file_(file),
        document_(file.bytes, file.place),
        name_(file.stem),
        reading_{.units = units, .summary = summary, .diagnostics = diagnostics_} {}

  std::shared_ptr<const sim::OpGraph> Run() {
    document_.VisitGraph(diagnostics_, [this](const GraphmlElement& graph) { ReadGraph(graph); });
    document_.VisitNodes(diagnostics_, [this](const GraphmlElement& node) { TakeNode(node); });
    document_.VisitEdges(diagnostics_, [this](const GraphmlElement& edge) { TakeEdge(edge); });
    diagnostics_.ThrowIfAny();
    reading_.summary.nodes_read = nodes_.size();
    ConnectGraphml(edges_, document_, nodes_, reading_);
    diagnostics_.ThrowIfAny();
    sim::OpGraphBuilder builder(name_, origin_);
    builder.SetMeasured(measured_);
    for (GraphmlNode& node : nodes_) {
      builder.AddOp(std::move(node.op));
    }
    return builder.Build(file_.place + ": imported graph");
  }

 private:
  void ReadGraph(const GraphmlElement& graph) {
    origin_ = "GraphML";
    for (const GraphmlValue& value : graph.values) {
      if (value.name == "format" && value.text == kOurFormat) {
        reading_.is_ours = true;
        origin_.clear();
      } else if (value.name == "format" && value.text.starts_with("opyard-graph/")) {
        diagnostics_.AddError(document_.PlaceOf(graph.offset),
                              "found the format " + Quoted(value.text) + ", expected \"" +
                                  std::string(kOurFormat) + "\"");
      }
    }
    for (const GraphmlValue& value : graph.values) {
      if (value.name == "name" && !value.text.empty()) {
        name_ = value.text;
      } else if (value.name == "origin") {
        origin_ = value.text;
      } else if (value.name == "measured") {
        ReadMeasured(value, graph);
      }
    }
  }

  // In a file of other programs the word may mean anything.
  void ReadMeasured(const GraphmlValue& value, const GraphmlElement& graph) {
    const auto measured = sim::FindMeasured(value.text);
    if (!measured.has_value() && reading_.is_ours) {
      diagnostics_.AddError(
          document_.PlaceOf(graph.offset) + ": measured",
          "found " + Quoted(value.text) + ", expected one of with_launch, kernel");
    }
    measured_ = measured.value_or(measured_);
  }

  void TakeNode(const GraphmlElement& node) {
    const std::string place = document_.PlaceOf(node.offset);
    if (nodes_.size() == kMostImportedNodes) {
      throw InputError(place + ": found more nodes than can be read, expected at most 1048576");
    }
    if (node.id.empty()) {
      diagnostics_.AddError(place, "found a node without id, expected one");
    } else if (!index_of_.try_emplace(node.id, nodes_.size()).second) {
      diagnostics_.AddError(place, "found the id " + Quoted(node.id) + " again, expected it once");
    }
    nodes_.push_back(ReadGraphmlNode(node, place, reading_));
    if (!reading_.is_ours) {
      MakeNameUnique(nodes_.back().op.name, node.id);
    }
  }

  // Labels of others are repeated, ids are not.
  void MakeNameUnique(std::string& name, std::string_view id) {
    if (names_.insert(name).second) {
      return;
    }
    reading_.summary.unknown.Add("name that several nodes bear: the id is added to it", name);
    name += "_" + std::string(id);
    while (!names_.insert(name).second) {
      name += "_";
    }
  }

  void TakeEdge(const GraphmlElement& element) {
    const std::string place = document_.PlaceOf(element.offset);
    if (edges_.size() == kMostGraphmlEdges) {
      throw InputError(place + ": found more edges than can be read, expected at most 4194304");
    }
    if (!element.is_directed) {
      throw InputError(
          place +
          ": found an undirected edge, expected directed ones (edgedefault=\"directed\"; "
          "in networkx, write a DiGraph)");
    }
    GraphmlEdge edge{.offset = element.offset};
    const auto source = IndexOf(element.source, place + ": source");
    const auto target = IndexOf(element.target, place + ": target");
    if (source.has_value() && target.has_value()) {
      edge.source = *source;
      edge.target = *target;
      for (const GraphmlValue& value : element.values) {
        ReadValue(value, place, edge);
      }
      if (element.has_port) {
        reading_.summary.unknown.Add("port of an edge, not used", element.source);
      }
      edges_.push_back(edge);
    }
  }

  std::optional<std::size_t> IndexOf(std::string_view id, const std::string& place) {
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
      diagnostics_.AddError(place, "found " + Quoted(id) + ", expected the id of a node");
      return std::nullopt;
    }
    return found->second;
  }

  void ReadValue(const GraphmlValue& value, const std::string& place, GraphmlEdge& edge) {
    if (value.name == "output") {
      edge.output = ReadPort(value, place);
    } else if (value.name == "input") {
      edge.input = ReadPort(value, place);
    } else if (value.name == "control") {
      edge.is_control = ReadBool(value, place);
    } else if (value.name == "bytes" || value.name == "size" || value.name == "weight") {
      if (!edge.bytes.has_value()) {
        edge.bytes = ReadGraphmlSize(value, place, reading_);
      }
    } else if (value.name != "tensor") {  // which follows from the source and its output
      reading_.summary.unknown.Add("attribute of edges without a meaning here, not used",
                                   value.name);
    }
  }

  std::optional<std::int64_t> ReadPort(const GraphmlValue& value, const std::string& place) {
    const auto number =
        ReadGraphmlNumber(value, static_cast<double>(kMostPort), place, diagnostics_);
    if (!number.has_value() || std::trunc(*number) != *number) {
      if (number.has_value()) {
        diagnostics_.AddError(place + ": " + std::string(value.name),
                              "found " + Quoted(value.text) + ", expected a whole number");
      }
      return std::nullopt;
    }
    return static_cast<std::int64_t>(*number);
  }

  bool ReadBool(const GraphmlValue& value, const std::string& place) {
    const bool is_true = value.text == "true" || value.text == "True" || value.text == "1";
    if (!is_true && value.text != "false" && value.text != "False" && value.text != "0") {
      diagnostics_.AddError(place + ": " + std::string(value.name),
                            "found " + Quoted(value.text) + ", expected true or false");
    }
    return is_true;
  }

  const ImportFile& file_;
  GraphmlDocument document_;
  std::string name_;
  std::string origin_;
  sim::Measured measured_ = sim::Measured::kWithLaunch;
  Diagnostics diagnostics_;
  GraphmlReading reading_;
  std::vector<GraphmlNode> nodes_;
  std::vector<GraphmlEdge> edges_;
  std::unordered_map<std::string_view, std::size_t> index_of_;
  std::unordered_set<std::string> names_;
};

}  // namespace

bool GraphmlImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  const std::string_view head = HeadOf(file);
  const std::size_t first = head.find('<');
  return first != std::string_view::npos && first < head.find_first_of("{\"") &&
         head.find("graphml", first) != std::string_view::npos;
}

ImportedGraph GraphmlImporter::Import(const ImportFile& file, Options& options) const {
  sim::EnsureUtf8(file.bytes, file.place);
  const GraphmlUnits units{.seconds_per_cost = options.Double("seconds_per_cost", 1e-6, 1e-15, 1e6),
                           .bytes_per_size = options.Double("bytes_per_size", 1.0, 1e-6, 1e12)};
  ImportedGraph imported;
  imported.graph = GraphmlReader(file, units, imported.summary).Run();
  return imported;
}

}  // namespace opyard::graphs
