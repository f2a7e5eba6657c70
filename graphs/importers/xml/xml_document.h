// An XML file of strangers, parsed within bounds: what formats of graphs that are XML share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "sim/base/error.h"

namespace opyard::graphs {

// The name of an element without the prefix of its namespace.
[[nodiscard]] std::string_view LocalName(const pugi::xml_node& node);

// Refers to the text that it is made of. Views that it hands out live as long as it does. Const
// methods are thread-safe.
class XmlDocument {
 public:
  // Parses it, within a GiB of memory. `format` names what was expected: "GraphML". Throws
  // InputError "`place`:LINE:COLUMN: …" for what is no XML, a document type with declarations of
  // its own, a character reference to NUL; also beyond 256 MiB or 64 levels. Entities other than
  // XML's five stay as they are written. REQUIRES: EnsureUtf8(bytes).
  XmlDocument(std::string_view bytes, std::string place, const std::string& format);

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }

  // The offset of the element in the file.
  [[nodiscard]] static std::size_t OffsetOf(const pugi::xml_node& node);
  // "FILE:LINE:COLUMN".
  [[nodiscard]] std::string PlaceOf(std::size_t offset) const;
  [[nodiscard]] std::string PlaceOf(const pugi::xml_node& node) const;
  // Throws InputError: `message` at the place of `node`.
  [[noreturn]] void Refuse(const pugi::xml_node& node, const std::string& message) const;

  // The plain text within `node`, up to 1 MiB; else "" and a problem.
  [[nodiscard]] std::string_view TextOf(const pugi::xml_node& node, Diagnostics& diagnostics) const;
  // "" for an attribute that is not there, or, with a problem, holds control characters.
  [[nodiscard]] std::string_view AttributeOf(const pugi::xml_node& node,
                                             const char* name,
                                             Diagnostics& diagnostics) const;

 private:
  void Parse(const std::string& format);
  void EnsureShallow() const;

  std::string_view bytes_;
  std::string place_;
  std::vector<std::size_t> line_starts_;
  pugi::xml_document document_;
};

}  // namespace opyard::graphs
