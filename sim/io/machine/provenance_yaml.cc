#include "sim/io/machine/provenance_yaml.h"

#include <algorithm>
#include <array>

#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

std::string FirstWord(const std::string& path) {
  return path.substr(0, path.find('.'));
}

// The part of `node` called `word`: the value of a key, or the list item of that name.
const YamlNode* FindPart(const YamlNode& node, std::string_view word) {
  if (node.kind == YamlNode::Kind::kMap) {
    return node.Find(word);
  }
  for (const YamlNode& item : node.items) {
    const YamlNode* name = item.Find("name");
    if (name != nullptr && name->text == word) {
      return &item;
    }
  }
  return nullptr;
}

bool HasPath(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    node = FindPart(*node, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node != nullptr;
}

// Any scalar: dates and versions may read as numbers.
std::string ReadWords(YamlReader& reader, const YamlNode* node) {
  if (node == nullptr) {
    return "";
  }
  if (node->kind != YamlNode::Kind::kScalar || node->text.empty()) {
    reader.Problem(*node, "found " + Describe(*node) + ", expected text");
  }
  return node->text;
}

ProvenanceKind ReadKind(YamlReader& reader, const YamlNode& node) {
  const std::vector<std::string> names = {"datasheet", "measured", "fitted", "assumed"};
  const std::optional<std::string> name = reader.Choice(node, names);
  const auto found = std::ranges::find(names, name.value_or("assumed"));
  return static_cast<ProvenanceKind>(found - names.begin());
}

Provenance ReadEntry(YamlReader& reader, const std::string& key, const YamlNode& node) {
  Provenance entry;
  entry.key = key;
  YamlMap map(reader, node, "provenance of " + ShownText(key));
  if (const YamlNode* kind = map.Required("kind")) {
    entry.kind = ReadKind(reader, *kind);
  }
  entry.source = ReadWords(reader, map.Required("source"));
  entry.date = ReadWords(reader, map.Optional("date"));
  entry.software = ReadWords(reader, map.Optional("software"));
  if (const YamlNode* error = map.Optional("median_error")) {
    entry.median_error = reader.Double(*error, 0.0, 1e3);
  }
  map.Finish();
  return entry;
}

// Nothing, and a problem, for a key that is none of the file's `keys`.
std::optional<Provenance> ReadPart(const YamlMap& file,
                                   const YamlNode::Entry& part,
                                   const std::vector<std::string>& keys) {
  YamlReader& reader = file.reader();
  const std::string name = "\"" + ShownText(part.key) + "\"";
  const std::string first = FirstWord(part.key);
  if (std::ranges::find(keys, first) == keys.end()) {
    reader.ProblemAt(
        part.line,
        part.column,
        "provenance of " + name + ", which is no key of this file" + DidYouMean(first, keys));
    return std::nullopt;
  }
  Provenance entry = ReadEntry(reader, part.key, part.value);
  if (!HasPath(file.node(), part.key)) {
    reader.WarnOfSource(part.value, "provenance of " + name + ", which this file does not give");
  }
  if (entry.kind == ProvenanceKind::kAssumed) {
    reader.WarnOfSource(part.value, name + " is assumed: " + ShownText(entry.source, 200));
  }
  return entry;
}

void WarnAboutMissing(YamlReader& reader,
                      const YamlNode& root,
                      const std::vector<std::string>& expected,
                      const std::vector<Provenance>& entries) {
  for (const std::string& key : expected) {
    const YamlNode* value = root.Find(key);
    const bool is_covered = std::ranges::any_of(
        entries, [&](const Provenance& entry) { return FirstWord(entry.key) == key; });
    const bool is_empty =
        value != nullptr && value->kind == YamlNode::Kind::kSequence && value->items.empty();
    if (value != nullptr && !is_covered && !is_empty) {
      reader.WarnOfSource(*value, "no provenance says where \"" + key + "\" comes from");
    }
  }
}

}  // namespace

std::vector<Provenance> ReadProvenance(YamlMap& file,
                                       const std::vector<std::string>& keys,
                                       const std::vector<std::string>& expected) {
  std::vector<Provenance> entries;
  const YamlNode* node = file.Optional("provenance");
  if (node != nullptr && node->kind != YamlNode::Kind::kMap) {
    file.reader().Problem(*node, "found " + Describe(*node) + ", expected a map: provenance");
  } else if (node != nullptr) {
    for (const YamlNode::Entry& part : node->entries) {
      if (const std::optional<Provenance> entry = ReadPart(file, part, keys)) {
        entries.push_back(*entry);
      }
    }
  }
  WarnAboutMissing(file.reader(), file.node(), expected, entries);
  return entries;
}

}  // namespace opyard::sim
