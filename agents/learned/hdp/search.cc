#include "agents/learned/hdp/search.h"

#include <algorithm>

namespace opyard::agents {

HdpSizes Fitted(HdpSizes sizes, const HdpView& view) {
  sizes.num_devices = view.units.num_devices;
  sizes.num_units = sizes.grouper == GrouperKind::kRandom ? view.units.num_groups : 0;
  if (sizes.num_groups == 0) {
    sizes.num_groups = std::min(PublishedGroups(view.num_accelerators), view.units.num_groups);
  }
  return sizes;
}

bool HdpTraits::HasChoice(const env::Problem& problem, const HdpOptions& /*options*/) {
  return problem.tasks().placement && UnitsOf(problem).has_choice();
}

HdpSizes HdpTraits::SizesOf(const Checkpoint& found, const std::filesystem::path& path) {
  return HdpSizesOf(found, path);
}

HdpView HdpTraits::MakeView(const env::Problem& problem,
                            const HdpOptions& options,
                            const HdpSizes& sizes,
                            torch::Device device) {
  return agents::View(problem, options.units, sizes, device);
}

HdpSizes HdpTraits::Fitted(const HdpSizes& sizes, const HdpView& view) {
  return agents::Fitted(sizes, view);
}

std::int64_t HdpTraits::NumDecisions(const HdpView& view) {
  return view.units.num_groups;
}

std::optional<HdpRollout> HdpTraits::Sample(HdpLearner& learner,
                                            const HdpView& view,
                                            std::int64_t num_samples,
                                            std::int64_t num_updates,
                                            env::Evaluator& evaluator,
                                            Rng& rng) {
  return learner.Sample(
      view, num_samples, evaluator, rng, learner.SamplingAt(num_updates, num_samples));
}

torch::Tensor HdpTraits::Choices(const HdpRollout& samples) {
  return samples.device_of_unit;
}

template class LearningSearch<HdpTraits>;

}  // namespace opyard::agents
