// Differences between two sets of results, line by line.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace opyard::experiments {

// Each difference once, in the order in which they are found.
class Differences {
 public:
  // The words of the lines for either side: "the results were made with", "the experiment says".
  Differences(std::string before_first, std::string before_second)
      : before_first_(std::move(before_first)), before_second_(std::move(before_second)) {}

  // "`key`: BEFORE_FIRST `first`, BEFORE_SECOND `second`".
  void Add(const std::string& key, const std::string& first, const std::string& second);
  // Compares the values of maps key by key.
  void AddJson(const std::string& key, const nlohmann::json& first, const nlohmann::json& second);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  // Throws InputError with `headline` and all lines after it, if there are any, each behind
  // `place`.
  void ThrowIfAny(const std::string& place, const std::string& headline) const;

 private:
  std::string before_first_;
  std::string before_second_;
  std::set<std::string> seen_;
  std::vector<std::string> lines_;
};

// JSON that may come from anywhere: nothing nested deeper than what opyard writes, and text that is
// no JSON stands for itself.
[[nodiscard]] nlohmann::json ParseStored(const std::string& text);

// A value as a line shows it: "none" for null.
[[nodiscard]] std::string TextOf(const nlohmann::json& value);

}  // namespace opyard::experiments
