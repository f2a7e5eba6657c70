// The description of an agent in listings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/options.h"

namespace opyard::agents {

// kPython: written in Python by a user, whatever it does.
enum class AgentKind : std::uint8_t { kClassical, kSearch, kLearned, kPython };

// "classical", "search", "learned" or "python".
[[nodiscard]] const char* NameOf(AgentKind kind);

// The least and the greatest legal value, both of the option's type.
struct OptionRange {
  OptionValue low;
  OptionValue high;
};

// One option of an agent, as its table (option_table.h) describes it.
struct OptionInfo {
  std::string name;  // snake_case, unique in its agent
  OptionValue default_value;
  std::optional<OptionRange> range;  // of a number; none: any
  std::vector<OptionValue> allowed;  // the legal words or flags; empty for a number and for a text
  std::string meaning;               // a phrase: lower case, no full stop, the unit in it
  std::string paper;                 // the published value, or "" where none is known
};

// The shared library that brought an agent (plugin.h), as it was when it was loaded.
struct PluginFile {
  std::string path;    // as it was given
  std::string sha256;  // 64 hexadecimal digits
  friend bool operator==(const PluginFile&, const PluginFile&) = default;
};

struct AgentInfo {
  std::string name;  // snake_case, unique
  AgentKind kind = AgentKind::kClassical;
  std::vector<std::string> tasks;  // of "placement", "scheduling", "fusion": what it decides
  // Where its search begins, at the defaults (search_start.h); "" if it builds its plan.
  std::string start;
  // Samples nothing: with every seed the same search, whatever the options.
  bool is_deterministic = false;
  std::string paper;                    // "authors, venue year", or "" for none
  std::string summary;                  // one sentence
  std::vector<std::string> deviations;  // from the paper, whatever the options: a sentence each
  std::vector<OptionInfo> options;      // in the order of the table; MakeEntry fills it in
  std::optional<PluginFile> plugin;     // none of opyard's own; who loads the plugin fills it in
};

}  // namespace opyard::agents
