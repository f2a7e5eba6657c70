// The cost models by their names.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/cost/cost_model.h"

namespace opyard::sim {

inline constexpr const char* kDefaultCostModel = "roofline";

struct CostModelEntry {
  const char* name;     // as users write it; unique
  const char* summary;  // a phrase: lower case, no full stop
  std::unique_ptr<const CostModel> (*make)();
};

// All of them, the default first.
[[nodiscard]] std::span<const CostModelEntry> CostModels();
[[nodiscard]] std::vector<std::string> CostModelNames();

// Throws InputError with the known names if there is none of this name.
[[nodiscard]] std::unique_ptr<const CostModel> MakeCostModel(const std::string& name);

}  // namespace opyard::sim
