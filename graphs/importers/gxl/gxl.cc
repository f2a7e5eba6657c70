#include "graphs/importers/gxl/gxl.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <pugixml.hpp>

#include "graphs/importers/xml/xml_document.h"
#include "sim/base/quote.h"
#include "sim/io/json/json_text.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

using pugi::xml_node;

constexpr std::string_view kWeight = "Weight";
constexpr std::size_t kMostGxlEdges = std::size_t{1} << 22U;
constexpr double kLargestSize = 1e15;

// The units of weights.
struct Units {
  double seconds_per_cost = 1e-3;
  double bytes_per_size = 1e6;
};

class GxlReader {
 public:
  GxlReader(const ImportFile& file, const Units& units, ImportSummary& summary)
      : xml_(file.bytes, file.place, "GXL"), units_(units), summary_(summary) {}

  std::vector<sim::OpSpec> Run() {
    const xml_node graph = FindGraph();
    for (const xml_node& node : graph) {
      if (LocalName(node) == "node") {
        ReadNode(node);
      } else if (LocalName(node) == "rel") {
        xml_.Refuse(node, "found a relation, expected edges between two nodes");
      }
    }
    for (const xml_node& node : graph) {
      if (LocalName(node) == "edge") {
        ReadEdge(node);
      }
    }
    diagnostics_.ThrowIfAny();
    return std::move(ops_);
  }

 private:
  xml_node FindGraph() {
    const xml_node root = xml_.root();
    if (LocalName(root) != "gxl") {
      xml_.Refuse(root, "found <" + std::string(root.name()) + ">, expected <gxl>");
    }
    xml_node graph;
    for (const xml_node& node : root) {
      if (LocalName(node) == "graph" && graph) {
        xml_.Refuse(node, "found a second graph, expected one; write one file for each");
      }
      graph = LocalName(node) == "graph" ? node : graph;
    }
    if (!graph) {
      xml_.Refuse(root, "found no graph, expected one <graph>");
    }
    is_directed_ = !std::string_view(graph.attribute("edgemode").value()).ends_with("undirected");
    return graph;
  }

  void ReadNode(const xml_node& node) {
    if (ops_.size() == kMostImportedNodes) {
      xml_.Refuse(node, "found more nodes than can be read, expected at most 1048576");
    }
    const std::string_view id = xml_.AttributeOf(node, "id", diagnostics_);
    if (id.empty()) {
      diagnostics_.AddError(xml_.PlaceOf(node), "found a node without id, expected one");
    } else if (!index_of_.try_emplace(id, ops_.size()).second) {
      diagnostics_.AddError(xml_.PlaceOf(node),
                            "found the id " + Quoted(id) + " again, expected it once");
    }
    sim::OpSpec op{.name = std::string(id), .type = "Task"};
    const auto weight = ReadWeight(node, kLargestSeconds / units_.seconds_per_cost);
    op.seconds.push_back({.where = "*", .seconds = weight.value_or(0) * units_.seconds_per_cost});
    ops_.push_back(std::move(op));
  }

  void ReadEdge(const xml_node& edge) {
    if (++num_edges_ > kMostGxlEdges) {
      xml_.Refuse(edge, "found more edges than can be read, expected at most 4194304");
    }
    if (!edge.attribute("isdirected").as_bool(is_directed_)) {
      xml_.Refuse(edge, "found an undirected edge, expected directed ones");
    }
    const auto source = IndexOf(edge, "from");
    const auto target = IndexOf(edge, "to");
    const auto weight = ReadWeight(edge, kLargestSize / units_.bytes_per_size);
    if (source.has_value() && target.has_value() && weight.has_value()) {
      std::vector<sim::OutputSpec>& outputs = ops_[*source].outputs;
      ops_[*target].inputs.push_back({.op = static_cast<std::int64_t>(*source),
                                      .output = static_cast<std::int64_t>(outputs.size())});
      const double bytes = std::ceil(*weight * units_.bytes_per_size);
      outputs.push_back({.bytes = Bytes{static_cast<std::int64_t>(bytes)}});
    }
  }

  std::optional<std::size_t> IndexOf(const xml_node& edge, const char* end) {
    const std::string_view id = xml_.AttributeOf(edge, end, diagnostics_);
    const auto found = index_of_.find(id);
    if (found == index_of_.end()) {
      diagnostics_.AddError(xml_.PlaceOf(edge) + ": " + end,
                            "found " + Quoted(id) + ", expected the id of a node");
      return std::nullopt;
    }
    return found->second;
  }

  // The weight of a node or an edge, from 0 to `most`; else nothing, and a problem.
  std::optional<double> ReadWeight(const xml_node& element, double most) {
    std::optional<xml_node> weight;
    for (const xml_node& child : element) {
      if (LocalName(child) == "graph") {
        xml_.Refuse(child, "found a graph within a node, expected a flat one");
      }
      if (LocalName(child) != "attr") {
        continue;
      }
      const std::string_view name = xml_.AttributeOf(child, "name", diagnostics_);
      if (name != kWeight) {
        summary_.unknown.Add("attribute without a meaning here, not used", name);
      } else if (weight.has_value()) {
        diagnostics_.AddError(xml_.PlaceOf(child), "found a second Weight, expected one");
      } else {
        weight = child;
      }
    }
    if (!weight.has_value()) {
      diagnostics_.AddError(xml_.PlaceOf(element), "found no <attr name=\"Weight\">, expected one");
      return std::nullopt;
    }
    return ReadNumber(*weight, most);
  }

  // The number in <int>, <float> or the like within `attribute`.
  std::optional<double> ReadNumber(const xml_node& attribute, double most) {
    const std::string_view text = xml_.TextOf(attribute.first_child(), diagnostics_);
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc() || stop != end || !(number >= 0.0) || number > most) {
      diagnostics_.AddError(xml_.PlaceOf(attribute),
                            "found the Weight " + Quoted(text) + ", expected a number from 0 to " +
                                sim::NumberText(most));
      return std::nullopt;
    }
    return number;
  }

  XmlDocument xml_;
  Units units_;
  ImportSummary& summary_;
  Diagnostics diagnostics_;
  bool is_directed_ = true;
  std::vector<sim::OpSpec> ops_;
  std::unordered_map<std::string_view, std::size_t> index_of_;  // by id
  std::size_t num_edges_ = 0;
};

}  // namespace

bool GxlImporter::Recognises(const ImportFile& file, std::string_view /*path*/) const {
  const std::string_view head = HeadOf(file);
  const std::size_t first = head.find('<');
  return first != std::string_view::npos && first < head.find_first_of("{\"") &&
         head.find("<gxl", first) != std::string_view::npos;
}

ImportedGraph GxlImporter::Import(const ImportFile& file, Options& options) const {
  sim::EnsureUtf8(file.bytes, file.place);
  const Units units{.seconds_per_cost = options.Double("seconds_per_cost", 1e-3, 1e-12, 1e6),
                    .bytes_per_size = options.Double("bytes_per_size", 1e6, 1e-3, 1e12)};
  ImportedGraph imported;
  sim::OpGraphBuilder builder(file.stem, "GXL");
  for (sim::OpSpec& op : GxlReader(file, units, imported.summary).Run()) {
    ++imported.summary.nodes_read;
    builder.AddOp(std::move(op));
  }
  imported.graph = builder.Build(file.place + ": imported graph");
  return imported;
}

}  // namespace opyard::graphs
