// Reads YAML strictly: a tree of values that know their line and column, and readers that say what
// was found and what was expected. Units stand with the value (units_text.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace opyard::sim {

// One value of a YAML file and where it begins. Aliases (*name) have become copies of their
// anchors.
struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text;             // of a scalar
  bool is_quoted = false;       // "12" is text, 12 a number
  int line = 1;                 // from 1
  int column = 1;               // from 1
  std::vector<YamlNode> items;  // of a sequence
  std::vector<Entry> entries;   // of a map, in file order, without duplicates

  // The value of `key` in a map, or null.
  [[nodiscard]] const YamlNode* Find(std::string_view key) const;
};

struct YamlNode::Entry {
  std::string key;
  int line = 1;
  int column = 1;
  YamlNode value;
};

// Values that stand in no text, and where each of them is instead: `line` of a value or of an entry
// is the index of its JSON pointer ("/devices/0/memory").
struct YamlTree {
  YamlNode root;
  std::vector<std::string> pointers;
};

// Limits of one file: past them it is refused, however it is written.
struct YamlLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 32;
  std::size_t values = 200'000;                   // after the aliases are written out
  std::size_t text_bytes = std::size_t{4} << 20;  // the same for the text of all values
};

// Parses exactly one document. Returns nothing, and adds a problem at "`place`:LINE:COL", on broken
// syntax, NUL, invalid UTF-8, an empty file, a second document, tags, and past the limits.
// Duplicate keys and keys that are not text become errors, too, but the tree is returned without
// them.
[[nodiscard]] std::optional<YamlNode> ParseYaml(std::string_view text,
                                                const std::string& place,
                                                Diagnostics& diagnostics,
                                                const YamlLimits& limits = {});

// Which of our YAML files is expected; kProfile: a machine or a device.
enum class YamlFile : std::uint8_t { kAny, kMachine, kDevice, kProfile, kExperiment };

// The same for the text at `path` (ReadInputFile: a file, a pipe, a device; "-" is standard input).
// It is a problem, the only one then, that it is missing, a folder, unreadable, too large, one of
// our JSON files, or another program's file or another of ours than `expected` (other_format.h).
[[nodiscard]] std::optional<YamlNode> ReadYamlFile(const std::filesystem::path& path,
                                                   Diagnostics& diagnostics,
                                                   YamlFile expected = YamlFile::kAny);

// Turns the values of one file into numbers and words. What is wrong goes to the diagnostics
// as "FILE:LINE:COL: found, expected", and the reading function returns nothing.
class YamlReader {
 public:
  // REQUIRES: `diagnostics` outlives the reader.
  YamlReader(std::string file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(&diagnostics) {}
  // The same for values of a YamlTree: places are "FILE#POINTER".
  YamlReader(std::string file, std::vector<std::string> pointers, Diagnostics& diagnostics)
      : file_(std::move(file)), pointers_(std::move(pointers)), diagnostics_(&diagnostics) {}

  void Problem(const YamlNode& node, const std::string& message);
  void ProblemAt(int line, int column, const std::string& message);
  // Odd, but legal.
  void Warn(const YamlNode& node, const std::string& message);
  // Legal, too; what matters to who keeps the file, not to who uses it: where numbers come from.
  void WarnOfSource(const YamlNode& node, const std::string& message);
  [[nodiscard]] std::string Place(int line, int column) const;
  [[nodiscard]] const std::string& file() const { return file_; }
  // All, in order.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Those of Warn alone.
  [[nodiscard]] const std::vector<std::string>& oddities() const { return oddities_; }
  [[nodiscard]] bool has_errors() const { return !diagnostics_->empty(); }

  // Text that is not empty. A number or a truth value must be quoted to be text.
  [[nodiscard]] std::optional<std::string> Text(const YamlNode& node);
  // A name: text without spaces, slashes, quotes or control characters, at most 128 bytes.
  [[nodiscard]] std::optional<std::string> Name(const YamlNode& node);
  // One of `allowed`.
  [[nodiscard]] std::optional<std::string> Choice(const YamlNode& node,
                                                  const std::vector<std::string>& allowed);
  [[nodiscard]] std::optional<bool> Bool(const YamlNode& node);
  // Both ends belong to the range.
  [[nodiscard]] std::optional<std::int64_t> Int(const YamlNode& node,
                                                std::int64_t low,
                                                std::int64_t high);
  [[nodiscard]] std::optional<double> Double(const YamlNode& node, double low, double high);

  // Quantities with their unit; see units_text.h.
  [[nodiscard]] std::optional<Bytes> Size(const YamlNode& node);
  [[nodiscard]] std::optional<double> BytesPerSecond(const YamlNode& node);
  [[nodiscard]] std::optional<double> FlopsPerSecond(const YamlNode& node);
  [[nodiscard]] std::optional<double> Seconds(const YamlNode& node);
  [[nodiscard]] std::optional<SimTime> Time(const YamlNode& node);

  // The items of a sequence; nothing, and a problem, for any other value. `what` names the value:
  // "links".
  [[nodiscard]] const std::vector<YamlNode>* Items(const YamlNode& node, const std::string& what);

 private:
  [[nodiscard]] bool IsPlainScalar(const YamlNode& node) const;

  std::string file_;
  std::vector<std::string> pointers_;  // empty for a text
  Diagnostics* diagnostics_;
  std::vector<std::string> warnings_;
  std::vector<std::string> oddities_;
};

// The description of a value for messages: `text "abc"`, `a list`, `a map`, `nothing`.
[[nodiscard]] std::string Describe(const YamlNode& node);

// Reads the keys of one map. Each key that is asked for counts as known; Finish reports the others.
class YamlMap {
 public:
  // Adds a problem if `node` is not a map; then every key is absent. `what` names the map in
  // messages: "link". REQUIRES: both outlive this.
  YamlMap(YamlReader& reader, const YamlNode& node, std::string what);

  // The value of `key`, or null if it is not given.
  [[nodiscard]] const YamlNode* Optional(const std::string& key);
  // The same; adds a problem if it is not given.
  [[nodiscard]] const YamlNode* Required(const std::string& key);
  // Reports the keys that nobody asked for.
  void Finish();

  [[nodiscard]] bool is_map() const { return node_->kind == YamlNode::Kind::kMap; }
  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] YamlReader& reader() const { return *reader_; }

 private:
  YamlReader* reader_;
  const YamlNode* node_;
  std::string what_;
  std::set<std::string> known_;
};

}  // namespace opyard::sim
