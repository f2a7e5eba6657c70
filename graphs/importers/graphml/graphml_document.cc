#include "graphs/importers/graphml/graphml_document.h"

#include <algorithm>
#include <span>

#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

using pugi::xml_node;

constexpr std::size_t kMostKeys = std::size_t{1} << 16U;
constexpr std::size_t kMostDefaults = 256;  // each is asked for at each element

}  // namespace

GraphmlDocument::GraphmlDocument(std::string_view bytes, std::string place)
    : xml_(bytes, std::move(place), "GraphML") {
  FindGraph();
  EnsureFlat();
}

void GraphmlDocument::FindGraph() {
  const xml_node root = xml_.root();
  if (LocalName(root) != "graphml") {
    xml_.Refuse(root, "found <" + std::string(root.name()) + ">, expected <graphml>");
  }
  for (const xml_node& node : root) {
    if (LocalName(node) == "graph") {
      if (graph_) {
        xml_.Refuse(node, "found a second graph, expected one; write one file for each");
      }
      graph_ = node;
    }
  }
  if (!graph_) {
    xml_.Refuse(root, "found no graph, expected one <graph>");
  }
  is_directed_ = std::string_view(graph_.attribute("edgedefault").value()) != "undirected";
  ReadKeys(root);
}

void GraphmlDocument::ReadKeys(const xml_node& root) {
  for (const xml_node& node : root) {
    if (LocalName(node) != "key") {
      continue;
    }
    const Key key{.name = node.attribute("attr.name").value(),
                  .domain = node.attribute("for").value()};
    for (const xml_node& child : node) {
      if (LocalName(child) == "default") {
        Diagnostics diagnostics;
        defaults_.emplace_back(key, xml_.TextOf(child, diagnostics));
        diagnostics.ThrowIfAny();
      }
    }
    if (keys_.size() == kMostKeys || defaults_.size() > kMostDefaults) {
      xml_.Refuse(node, "found more than 65536 keys or 256 defaults, expected fewer");
    }
    if (!keys_.emplace(node.attribute("id").value(), key).second) {
      xml_.Refuse(
          node,
          "found the key " + Quoted(node.attribute("id").value()) + " again, expected it once");
    }
  }
}

void GraphmlDocument::EnsureFlat() const {
  for (const xml_node& node : graph_) {
    const std::string_view name = LocalName(node);
    if (name == "hyperedge") {
      xml_.Refuse(node, "found a hyperedge, expected edges between two nodes");
    }
    for (const xml_node& child : node) {
      if (LocalName(child) == "graph") {
        xml_.Refuse(child, "found a graph within a node, expected a flat one; ungroup the nodes");
      }
    }
  }
}

void GraphmlDocument::VisitGraph(Diagnostics& diagnostics, const Visit& visit) const {
  GraphmlElement element;
  Fill(graph_, "graph", element, diagnostics);
  visit(element);
}

void GraphmlDocument::VisitNodes(Diagnostics& diagnostics, const Visit& visit) const {
  VisitAll("node", diagnostics, visit);
}

void GraphmlDocument::VisitEdges(Diagnostics& diagnostics, const Visit& visit) const {
  VisitAll("edge", diagnostics, visit);
}

void GraphmlDocument::VisitAll(std::string_view what,
                               Diagnostics& diagnostics,
                               const Visit& visit) const {
  GraphmlElement element;
  for (const xml_node& node : graph_) {
    if (LocalName(node) == what) {
      Fill(node, what, element, diagnostics);
      visit(element);
    }
  }
}

void GraphmlDocument::Fill(const xml_node& node,
                           std::string_view domain,
                           GraphmlElement& element,
                           Diagnostics& diagnostics) const {
  element.offset = XmlDocument::OffsetOf(node);
  element.id = xml_.AttributeOf(node, "id", diagnostics);
  element.source = xml_.AttributeOf(node, "source", diagnostics);
  element.target = xml_.AttributeOf(node, "target", diagnostics);
  element.is_directed = node.attribute("directed").as_bool(is_directed_);
  element.has_port = node.attribute("sourceport") || node.attribute("targetport");
  element.values.clear();
  for (const xml_node& data : node) {
    if (LocalName(data) != "data") {
      continue;
    }
    const auto key = keys_.find(data.attribute("key").value());
    if (key == keys_.end()) {
      diagnostics.AddError(xml_.PlaceOf(data),
                           "found the key " + Quoted(data.attribute("key").value()) +
                               ", expected the id of a <key> of the file");
    } else if (key->second.name.empty()) {
      element.values.push_back({});
    } else {
      element.values.push_back({.name = key->second.name, .text = xml_.TextOf(data, diagnostics)});
    }
  }
  const std::size_t num_given = element.values.size();
  for (const auto& [key, usual] : defaults_) {
    const auto given = std::span(element.values).first(num_given);
    if ((key.domain == domain || key.domain == "all") &&
        std::ranges::find(given, key.name, &GraphmlValue::name) == given.end()) {
      element.values.push_back({.name = key.name, .text = usual});
    }
  }
}

}  // namespace opyard::graphs
