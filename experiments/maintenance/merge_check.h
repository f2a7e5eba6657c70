// Check that the results of several stores are of one experiment.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/store/result_store.h"

namespace opyard::experiments {

// Compares stores, one after the other, with all those before. What has been seen of each agent,
// graph, machine, problem and cell stays until this goes.
class MergeCheck {
 public:
  // Adds a line for each conflict of `store` with what was seen.
  void Add(ResultStore& store);

  // Throws InputError with all of them, if there are any.
  void ThrowIfAny() const;

 private:
  // A value, and the store that it was first seen in.
  struct Seen {
    nlohmann::json value;
    std::string place;
  };
  void Compare(const std::string& key, const nlohmann::json& value, const std::string& place);
  void AddRun(const RunRecord& record, const std::string& place);

  std::map<std::string, Seen> seen_;
  std::vector<std::string> lines_;
};

}  // namespace opyard::experiments
