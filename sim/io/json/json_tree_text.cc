#include "sim/io/json/json_tree_text.h"

#include <string_view>

#include <nlohmann/json.hpp>

namespace opyard::sim {
namespace {

std::string QuotedJson(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void AppendValue(const JsonTree& tree, std::uint32_t index, std::string& text);

// Appends what lies below an array or an object, with commas between.
void AppendParts(const JsonTree& tree, std::uint32_t index, std::string& text) {
  const JsonNode& parent = tree.nodes[index];
  for (std::uint32_t i = index + 1; i < parent.end; i = tree.nodes[i].end) {
    if (i > index + 1) {
      text += ',';
    }
    if (parent.kind == JsonKind::kObject) {
      text += QuotedJson(tree.View(tree.nodes[i].key)) + ':';
    }
    AppendValue(tree, i, text);
  }
}

void AppendValue(const JsonTree& tree, std::uint32_t index, std::string& text) {
  const JsonNode& node = tree.nodes[index];
  switch (node.kind) {
    case JsonKind::kNull:
      text += "null";
      return;
    case JsonKind::kBool:
      text += node.integer != 0 ? "true" : "false";
      return;
    case JsonKind::kInteger:
      text += std::to_string(node.integer);
      return;
    case JsonKind::kBigInteger:
    case JsonKind::kFloat:
      text += nlohmann::json(node.number).dump();
      return;
    case JsonKind::kString:
      text += QuotedJson(tree.View(node.text));
      return;
    case JsonKind::kArray:
    case JsonKind::kObject:
      break;
  }
  const bool is_array = node.kind == JsonKind::kArray;
  text += is_array ? '[' : '{';
  AppendParts(tree, index, text);
  text += is_array ? ']' : '}';
}

}  // namespace

std::string JsonTextOf(const JsonTree& tree, std::uint32_t index) {
  std::string text;
  AppendValue(tree, index, text);
  return text;
}

}  // namespace opyard::sim
