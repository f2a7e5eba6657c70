#include "agents/learned/hdp/search.h"

#include <algorithm>

namespace opyard::agents::hdp {

Sizes Fitted(Sizes sizes, const View& view) {
  sizes.num_devices = view.units.num_devices;
  sizes.num_units = sizes.grouper == GrouperKind::kRandom ? view.units.num_groups : 0;
  if (sizes.num_groups == 0) {
    sizes.num_groups = std::min(PublishedGroups(view.num_accelerators), view.units.num_groups);
  }
  return sizes;
}

bool SearchTraits::HasChoice(const env::Problem& problem, const TrainingOptions& /*options*/) {
  return problem.tasks().placement && UnitsOf(problem).has_choice();
}

Sizes SearchTraits::SizesOf(const Checkpoint& found, const std::filesystem::path& path) {
  return hdp::SizesOf(found, path);
}

View SearchTraits::MakeView(const env::Problem& problem,
                            const TrainingOptions& options,
                            const Sizes& sizes,
                            torch::Device device) {
  return hdp::MakeView(problem, options.units, sizes, device);
}

Sizes SearchTraits::Fitted(const Sizes& sizes, const View& view) {
  return hdp::Fitted(sizes, view);
}

std::int64_t SearchTraits::NumDecisions(const View& view) {
  return view.units.num_groups;
}

std::optional<Rollout> SearchTraits::Sample(Learner& learner,
                                            const View& view,
                                            std::int64_t num_samples,
                                            std::int64_t num_updates,
                                            env::Evaluator& evaluator,
                                            Rng& rng) {
  return learner.Sample(
      view, num_samples, evaluator, rng, learner.SamplingAt(num_updates, num_samples));
}

torch::Tensor SearchTraits::Choices(const Rollout& samples) {
  return samples.device_of_unit;
}

}  // namespace opyard::agents::hdp

namespace opyard::agents {

template class LearningSearch<hdp::SearchTraits>;

}  // namespace opyard::agents
