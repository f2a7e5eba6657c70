// Values of settings in one form for all places that users write them at (problem_fields.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/options.h"

namespace opyard::env {

// One weight of a weighted objective where it is written by name.
struct WrittenWeight {
  std::string name;   // "makespan" or "peak_memory"
  OptionValue value;  // whatever was found
  std::string place;
  friend bool operator==(const WrittenWeight&, const WrittenWeight&) = default;
};

// The map {"weighted": {"makespan": 1, "peak_memory": 0.1}}. No name stands twice.
struct WrittenWeights {
  std::vector<WrittenWeight> weights;
  std::string place;  // of the inner map
  friend bool operator==(const WrittenWeights&, const WrittenWeights&) = default;
};

// Nothing, yes or no, a whole number, a word, a list of names, or weights.
using SettingValue = std::variant<std::monostate,
                                  bool,
                                  std::int64_t,
                                  std::string,
                                  std::vector<std::string>,
                                  WrittenWeights>;

// The value on one line, as a command line has it: "placement,fusion", "weighted:1:0.1"; "" for
// nothing.
[[nodiscard]] std::string SettingText(const SettingValue& value);

// The parts of `text` between separators; none in an empty text.
[[nodiscard]] std::vector<std::string> SplitText(const std::string& text, char separator);
[[nodiscard]] std::vector<std::string> SplitNames(const std::string& text);  // at the commas

// "a,b"
[[nodiscard]] std::string JoinedNames(const std::vector<std::string>& names);

}  // namespace opyard::env
