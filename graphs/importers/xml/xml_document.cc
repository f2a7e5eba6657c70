#include "graphs/importers/xml/xml_document.h"

#include <algorithm>

#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using pugi::xml_node;

constexpr std::size_t kLargestFile = std::size_t{256} << 20U;
constexpr std::size_t kLargestDocument = std::size_t{1} << 30U;
constexpr std::size_t kLongestText = std::size_t{1} << 20U;
constexpr std::size_t kDeepest = 64;

// At least the bytes that the parser asks for: one node for each tag that opens something and for
// each stretch of text, one attribute for each equals sign.
std::size_t DocumentBytes(std::string_view bytes) {
  constexpr std::size_t kNodeBytes = 64;
  constexpr std::size_t kAttributeBytes = 40;
  std::size_t sum = 0;
  bool is_after_tag = false;  // with nothing but white space between
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char letter = bytes[i];
    if (letter == '<') {
      sum += i + 1 < bytes.size() && bytes[i + 1] == '/' ? 0 : kNodeBytes;
      is_after_tag = false;
    } else if (letter == '>') {
      is_after_tag = true;
    } else if (is_after_tag && letter != ' ' && letter != '\n' && letter != '\r' &&
               letter != '\t') {
      sum += kNodeBytes;
      is_after_tag = false;
    }
    sum += letter == '=' ? kAttributeBytes : 0;
  }
  return sum;
}

// Where a character reference to NUL stands, which would end a text early; npos if nowhere.
std::size_t FindNulReference(std::string_view bytes) {
  std::size_t at = bytes.find("&#");
  for (; at != std::string_view::npos; at = bytes.find("&#", at + 1)) {
    const std::size_t digits = at + (at + 2 < bytes.size() && bytes[at + 2] == 'x' ? 3 : 2);
    const std::size_t end = bytes.find_first_not_of('0', digits);
    if (end != std::string_view::npos && end > digits && bytes[end] == ';') {
      return at;
    }
  }
  return at;
}

}  // namespace

std::string_view LocalName(const xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

XmlDocument::XmlDocument(std::string_view bytes, std::string place, const std::string& format)
    : bytes_(bytes), place_(std::move(place)), line_starts_({0}) {
  if (bytes.size() > kLargestFile || DocumentBytes(bytes) > kLargestDocument) {
    throw InputError(place_ +
                     ": found a document too large to read, expected at most 256 MiB, or some "
                     "300000 ops; write the graph as .graph.json");
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') {
      line_starts_.push_back(i + 1);
    }
  }
  if (const std::size_t nul = FindNulReference(bytes); nul != std::string_view::npos) {
    throw InputError(PlaceOf(nul) + ": found a reference to the character NUL, expected none");
  }
  Parse(format);
  EnsureShallow();
}

void XmlDocument::Parse(const std::string& format) {
  constexpr unsigned kFlags = pugi::parse_default | pugi::parse_doctype | pugi::parse_embed_pcdata |
                              pugi::parse_ws_pcdata_single;
  const pugi::xml_parse_result result =
      document_.load_buffer(bytes_.data(), bytes_.size(), kFlags, pugi::encoding_utf8);
  if (!result) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
    throw InputError(PlaceOf(std::min(offset, bytes_.size())) + ": found wrong XML (" +
                     result.description() + "), expected " + format);
  }
  for (const xml_node& node : document_) {
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find('[') != std::string_view::npos) {
      throw InputError(place_ +
                       ": found a document type with declarations of its own, expected none; "
                       "write entities out and leave it away");
    }
  }
}

void XmlDocument::EnsureShallow() const {
  std::size_t depth = 0;
  xml_node node = document_.first_child();
  while (node) {
    if (const xml_node child = node.first_child()) {
      if (++depth > kDeepest) {
        Refuse(child, "found nesting beyond 64 levels, expected less");
      }
      node = child;
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      depth -= depth > 0 ? 1 : 0;
    }
    node = node.next_sibling();
  }
}

void XmlDocument::Refuse(const xml_node& node, const std::string& message) const {
  throw InputError(PlaceOf(node) + ": " + message);
}

std::size_t XmlDocument::OffsetOf(const xml_node& node) {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
}

std::string XmlDocument::PlaceOf(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  const auto line = static_cast<std::size_t>(next - line_starts_.begin());  // from 1
  return place_ + ":" + std::to_string(line) + ":" +
         std::to_string(offset - line_starts_[line - 1] + 1);
}

std::string XmlDocument::PlaceOf(const xml_node& node) const {
  return PlaceOf(OffsetOf(node));
}

std::string_view XmlDocument::TextOf(const xml_node& node, Diagnostics& diagnostics) const {
  const xml_node child = node.first_child();
  const bool is_simple = !child || (std::string_view(node.value()).empty() &&
                                    child.type() == pugi::node_cdata && !child.next_sibling());
  const std::string_view text = node.text().get();
  if (!is_simple) {
    diagnostics.AddError(PlaceOf(node), "found elements or parted text, expected one plain text");
  } else if (text.size() > kLongestText) {
    diagnostics.AddError(PlaceOf(node), "found a text beyond 1 MiB, expected a shorter one");
  } else if (const auto flaw = sim::FindTextFlaw(text)) {
    diagnostics.AddError(PlaceOf(node), "found " + flaw->what + " in a text, expected none");
  } else {
    return text;
  }
  return {};
}

std::string_view XmlDocument::AttributeOf(const xml_node& node,
                                          const char* name,
                                          Diagnostics& diagnostics) const {
  const std::string_view text = node.attribute(name).value();
  if (const auto flaw = sim::FindTextFlaw(text)) {
    diagnostics.AddError(PlaceOf(node),
                         "found " + flaw->what + " in the attribute " + name + ", expected none");
    return {};
  }
  return text;
}

}  // namespace opyard::graphs
