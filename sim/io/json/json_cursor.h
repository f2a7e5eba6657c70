// Strict reading of JSON trees: every wrong value is reported with its place, what was found and
// what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"
#include "sim/io/json/json_tree.h"

namespace opyard::sim {

// A JSON pointer, spelt out only when a message needs it. Points to its parent, which must live
// longer.
class JsonPlace {
 public:
  // `root`: "FILE#".
  explicit JsonPlace(std::string_view root) : key_(root) {}
  [[nodiscard]] JsonPlace Member(std::string_view key) const { return {this, key, 0}; }
  [[nodiscard]] JsonPlace Item(std::size_t index) const { return {this, {}, index}; }

  [[nodiscard]] std::string Text() const;

 private:
  JsonPlace(const JsonPlace* parent, std::string_view key, std::size_t index)
      : parent_(parent), key_(key), index_(index) {}

  const JsonPlace* parent_ = nullptr;
  std::string_view key_;  // data() is null for an item of an array
  std::size_t index_ = 0;
};

// One value of a tree. The readers return nothing, and have reported it, if the value has another
// type.
class JsonCursor {
 public:
  JsonCursor(const JsonTree& tree, std::uint32_t node, JsonPlace place, Diagnostics& diagnostics)
      : tree_(tree), node_(node), place_(place), diagnostics_(diagnostics) {}

  [[nodiscard]] JsonKind kind() const { return node().kind; }
  [[nodiscard]] const JsonPlace& place() const { return place_; }
  [[nodiscard]] Diagnostics& diagnostics() const { return diagnostics_; }

  [[nodiscard]] std::optional<std::int64_t> Integer() const;
  [[nodiscard]] std::optional<std::int64_t> IntegerIn(std::int64_t low, std::int64_t high) const;
  // An integer within int64, or any other number.
  [[nodiscard]] std::optional<double> Number() const;
  [[nodiscard]] std::optional<bool> Bool() const;
  [[nodiscard]] std::optional<std::string_view> Text() const;
  // As above, and not empty.
  [[nodiscard]] std::optional<std::string_view> Name() const;

  // Calls `visit(item)` for each item; false if this is not an array.
  template <class Visit>
  bool ForEachItem(const Visit& visit) const {
    if (!Is(JsonKind::kArray, "an array")) {
      return false;
    }
    std::size_t index = 0;
    for (std::uint32_t child = node_ + 1; child < node().end; child = tree_.nodes[child].end) {
      visit(JsonCursor(tree_, child, place_.Item(index++), diagnostics_));
    }
    return true;
  }

  // Calls `visit(key, member)` for each member; false if this is not an object. Reports duplicate
  // keys.
  template <class Visit>
  bool ForEachMember(const Visit& visit) const {
    if (!Is(JsonKind::kObject, "an object")) {
      return false;
    }
    ReportDuplicateKeys();
    for (std::uint32_t child = node_ + 1; child < node().end; child = tree_.nodes[child].end) {
      const std::string_view key = tree_.View(tree_.nodes[child].key);
      visit(key, JsonCursor(tree_, child, place_.Member(key), diagnostics_));
    }
    return true;
  }

  // Reports "found X, expected `expected`" at this place.
  void ReportExpected(const std::string& expected) const;
  void Report(const std::string& message) const { diagnostics_.AddError(place_.Text(), message); }
  // True once further errors are only counted: no need to word them well.
  [[nodiscard]] bool is_silent() const { return diagnostics_.count() >= Diagnostics::kMostShown; }

 private:
  [[nodiscard]] const JsonNode& node() const { return tree_.nodes[node_]; }
  [[nodiscard]] bool Is(JsonKind kind, const char* expected) const;
  [[nodiscard]] std::string FoundText() const;
  void ReportDuplicateKeys() const;

  const JsonTree& tree_;
  std::uint32_t node_;
  JsonPlace place_;
  Diagnostics& diagnostics_;
};

// One key of an object, and its reader into a T.
template <class T>
struct JsonField {
  std::string_view key;
  void (*read)(const JsonCursor& value, T& out);
  bool is_required = false;
};

// Reports the key of `member` as unknown, with the keys that exist.
void ReportUnknownKey(const JsonCursor& object,
                      std::string_view key,
                      const std::vector<std::string>& known);

// Reads the members of `object` by `fields` (at most 64); unknown and missing keys are reported.
template <class T>
void ReadFields(const JsonCursor& object, std::span<const JsonField<T>> fields, T& out) {
  std::uint64_t given = 0;
  const bool is_object = object.ForEachMember([&](std::string_view key, const JsonCursor& value) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].key == key) {
        given |= std::uint64_t{1} << i;
        fields[i].read(value, out);
        return;
      }
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < fields.size() && !object.is_silent(); ++i) {
      known.emplace_back(fields[i].key);
    }
    ReportUnknownKey(object, key, known);
  });
  for (std::size_t i = 0; is_object && i < fields.size(); ++i) {
    if (fields[i].is_required && (given >> i & 1U) == 0) {
      object.Report("found no key \"" + std::string(fields[i].key) + "\", expected it");
    }
  }
}

// The value of an enumeration that `find` knows by name; `names` lists all for the message.
template <class Enum>
std::optional<Enum> ReadEnum(const JsonCursor& value,
                             std::optional<Enum> (*find)(std::string_view),
                             const char* names) {
  const std::optional<std::string_view> text = value.Text();
  const std::optional<Enum> found = text.has_value() ? find(*text) : std::nullopt;
  if (text.has_value() && !found.has_value()) {
    value.ReportExpected(std::string("one of ") + names);
  }
  return found;
}

}  // namespace opyard::sim
