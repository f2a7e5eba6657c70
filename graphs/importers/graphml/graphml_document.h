// A GraphML file as a list of nodes and of edges with named values.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "graphs/importers/xml/xml_document.h"
#include "sim/base/error.h"

namespace opyard::graphs {

// The value of a <data> element, or the default of a <key> that has none here. `name` is attr.name
// of its key: "" where that stands for a picture alone.
struct GraphmlValue {
  std::string_view name;
  std::string_view text;
};

// A node, an edge or the graph itself; what does not apply is empty.
struct GraphmlElement {
  std::size_t offset = 0;  // of the element in the file
  std::string_view id;
  std::string_view source;
  std::string_view target;
  bool is_directed = true;
  bool has_port = false;
  std::vector<GraphmlValue> values;
};

// Refers to the text that it is made of. Views that it hands out live as long as it does. Const
// methods are thread-safe.
class GraphmlDocument {
 public:
  // Parses it, within a GiB of memory. Throws InputError "`place`:LINE:COLUMN: …" for what is no
  // XML or no flat, single graph. That includes nested graphs, hyperedges, a document type with
  // declarations of its own, a character reference to NUL; also more than 256 MiB, 64 levels,
  // 65,536 keys or 256 defaults. Entities other than XML's five stay as they are written.
  // REQUIRES: EnsureUtf8(bytes).
  GraphmlDocument(std::string_view bytes, std::string place);

  // "FILE:LINE:COLUMN".
  [[nodiscard]] std::string PlaceOf(std::size_t offset) const { return xml_.PlaceOf(offset); }

  using Visit = std::function<void(const GraphmlElement&)>;
  // In the file's order. What is wrong with one element is added to `diagnostics`; its value is
  // left out then.
  void VisitGraph(Diagnostics& diagnostics, const Visit& visit) const;
  void VisitNodes(Diagnostics& diagnostics, const Visit& visit) const;
  void VisitEdges(Diagnostics& diagnostics, const Visit& visit) const;

 private:
  struct Key {
    std::string_view name;
    std::string_view domain;  // node, edge, graph, all
  };

  void FindGraph();
  void ReadKeys(const pugi::xml_node& root);
  void EnsureFlat() const;

  void VisitAll(std::string_view what, Diagnostics& diagnostics, const Visit& visit) const;
  void Fill(const pugi::xml_node& node,
            std::string_view domain,
            GraphmlElement& element,
            Diagnostics& diagnostics) const;

  XmlDocument xml_;
  pugi::xml_node graph_;
  bool is_directed_ = true;
  std::map<std::string_view, Key> keys_;  // by id
  std::vector<std::pair<Key, std::string_view>> defaults_;
};

}  // namespace opyard::graphs
