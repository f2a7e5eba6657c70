#include "agents/learned/common/feature_tensors.h"

#include <algorithm>

#include "sim/base/check.h"

namespace opyard::agents {

std::int64_t ColumnOf(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  OPYARD_CHECK(found != names.end(), "no column of an observation has such a name");
  return found - names.begin();
}

torch::Tensor DeviceMask(const GroupSequence& sequence) {
  return torch::tensor(sequence.device_mask, torch::kByte)
      .view({sequence.num_groups, sequence.num_devices})
      .to(torch::kBool);
}

}  // namespace opyard::agents
