#include "agents/learned/regal/proposal.h"

#include <cstddef>
#include <cstdint>

namespace opyard::agents {

std::vector<BetaShape> ShapesOf(const RegalView& view,
                                const GeneLayout& layout,
                                const torch::Tensor& middles) {
  std::vector<BetaShape> shapes(layout.num_genes());
  const auto middle = middles.accessor<double, 1>();
  const auto num_columns = static_cast<std::size_t>(view.num_columns());
  const auto shape_at = [&](std::size_t group, std::size_t column) {
    const auto first = static_cast<std::int64_t>(2 * (group * num_columns + column));
    return BetaOfMean(middle[first], middle[first + 1]);
  };
  for (std::size_t group = 0; group < layout.num_groups; ++group) {
    const std::size_t row = group * layout.num_devices;
    for (std::size_t device = 0; view.proposes_devices && device < layout.num_devices; ++device) {
      shapes[row + device] = shape_at(group, device);
    }
    if (!view.proposes_priorities) {
      continue;
    }
    const BetaShape priority = shape_at(group, num_columns - 1);
    shapes[layout.first_priority() + group] = priority;
    for (std::size_t device = 0; layout.num_transfers > 0 && device < layout.num_devices;
         ++device) {
      shapes[layout.first_transfer() + row + device] = priority;
    }
  }
  return shapes;
}

double EliteBiasOf(const torch::Tensor& middles) {
  return 0.5 + 0.5 * middles[-1].item<double>();
}

}  // namespace opyard::agents
