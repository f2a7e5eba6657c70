// Maps and lists of YAML on one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/options.h"
#include "sim/base/units.h"

namespace opyard::sim {

// Names hold neither quotes nor backslashes nor control characters; one may read as a number.
[[nodiscard]] inline std::string YamlString(const std::string& name) {
  return "\"" + name + "\"";
}

[[nodiscard]] inline std::string JoinItems(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += (text.empty() ? "" : ", ") + item;
  }
  return text;
}

[[nodiscard]] inline std::string ListOf(const std::vector<std::string>& items) {
  return "[" + JoinItems(items) + "]";
}

// A map on one line; the shortest digits that read back to the same double.
class FlowMap {
 public:
  FlowMap& Add(std::string_view key, const std::string& value) {
    entries_.push_back(std::string(key) + ": " + value);
    return *this;
  }
  FlowMap& Add(std::string_view key, double value) { return Add(key, ToText(value)); }
  FlowMap& Add(std::string_view key, double value, const char* unit) {
    return Add(key, ToText(value) + " " + unit);
  }
  FlowMap& Add(std::string_view key, SimTime time) { return Add(key, time.seconds(), "s"); }
  // Leaves an empty map out.
  FlowMap& Add(std::string_view key, const FlowMap& map) {
    return map.entries_.empty() ? *this : Add(key, map.Text());
  }
  [[nodiscard]] std::string Text() const { return "{" + JoinItems(entries_) + "}"; }

 private:
  std::vector<std::string> entries_;
};

}  // namespace opyard::sim
