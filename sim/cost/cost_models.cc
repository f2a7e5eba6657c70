#include "sim/cost/cost_models.h"

#include <algorithm>
#include <array>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/peak_roofline.h"
#include "sim/cost/roofline.h"

namespace opyard::sim {
namespace {

template <class Model>
std::unique_ptr<const CostModel> Make() {
  return std::make_unique<const Model>();
}

constexpr auto kModels = std::to_array<CostModelEntry>({
    {.name = kDefaultCostModel,
     .summary = "soft roofline with the efficiencies of the device file",
     .make = Make<RooflineModel>},
    {.name = "peak_roofline",
     .summary = "roofline of the data sheet, without efficiencies: too fast",
     .make = Make<PeakRooflineModel>},
});

}  // namespace

std::span<const CostModelEntry> CostModels() {
  return kModels;
}

std::vector<std::string> CostModelNames() {
  std::vector<std::string> names;
  for (const CostModelEntry& entry : kModels) {
    names.emplace_back(entry.name);
  }
  return names;
}

std::unique_ptr<const CostModel> MakeCostModel(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kModels, [&name](const CostModelEntry& entry) { return entry.name == name; });
  if (found == kModels.end()) {
    const std::vector<std::string> known = CostModelNames();
    throw InputError("cost_model: found " + Quoted(name) + ", expected one of " + JoinNames(known) +
                     DidYouMean(name, known));
  }
  return found->make();
}

}  // namespace opyard::sim
