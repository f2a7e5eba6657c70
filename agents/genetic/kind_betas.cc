#include "agents/genetic/kind_betas.h"

#include <algorithm>
#include <vector>

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {
namespace {

OptionRow<KindBetas> Row(const char* name, double KindBetas::*member, const char* meaning) {
  return {.name = name, .field = Real(member, 0.01, 100.0), .meaning = meaning};
}

// The shape of the affinity to each device.
std::vector<BetaShape> DeviceShapes(const env::Problem& problem, const KindBetas& betas) {
  std::vector<BetaShape> shapes(problem.hardware().num_devices(),
                                {.alpha = betas.host_alpha, .beta = betas.host_beta});
  for (const DeviceId device : MainDevices(problem)) {
    shapes[device.index()] = {};
  }
  shapes[problem.first_accelerator().index()] = {.alpha = betas.first_device_alpha,
                                                 .beta = betas.first_device_beta};
  return shapes;
}

}  // namespace

OptionTable<KindBetas> KindBetaTable() {
  return OptionTable<KindBetas>(
      {Row("first_device_alpha",
           &KindBetas::first_device_alpha,
           "of the Beta distribution that new affinities to the first accelerator have; 1 and 1 "
           "is uniform"),
       Row("first_device_beta", &KindBetas::first_device_beta, "its other parameter"),
       Row("host_alpha",
           &KindBetas::host_alpha,
           "of new affinities to devices of another kind than the first accelerator"),
       Row("host_beta", &KindBetas::host_beta, "its other parameter"),
       Row("fusion_alpha", &KindBetas::fusion_alpha, "of new fusion genes"),
       Row("fusion_beta", &KindBetas::fusion_beta, "its other parameter")});
}

GeneSampler SamplerOf(const env::Problem& problem,
                      const GeneLayout& layout,
                      const KindBetas& betas) {
  std::vector<BetaShape> shapes(layout.num_genes());
  const std::vector<BetaShape> of_device = DeviceShapes(problem, betas);
  for (std::size_t i = 0; i < layout.num_affinities; ++i) {
    shapes[i] = of_device[i % layout.num_devices];
  }
  const BetaShape fusion{.alpha = betas.fusion_alpha, .beta = betas.fusion_beta};
  std::fill_n(shapes.begin() + static_cast<std::ptrdiff_t>(layout.first_fusion()),
              layout.num_fusions,
              fusion);
  const bool is_uniform =
      std::ranges::all_of(shapes, [](const BetaShape& shape) { return shape == BetaShape{}; });
  return is_uniform ? GeneSampler() : GeneSampler(shapes);
}

}  // namespace opyard::agents
