#include "agents/learned/coloc_rl/search.h"

namespace opyard::agents {

ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view) {
  sizes.num_groups = sizes.has_adjacency_rows() ? view.sequence.num_groups : 0;
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

bool ColocRlTraits::HasChoice(const env::Problem& problem, const ColocRlOptions& options) {
  return problem.tasks().placement && MakeGroupSequence(problem, options.groups).has_choice();
}

ColocRlSizes ColocRlTraits::SizesOf(const Checkpoint& found, const std::filesystem::path& path) {
  return agents::SizesOf(found, path);
}

ColocRlView ColocRlTraits::MakeView(const env::Problem& problem,
                                    const ColocRlOptions& options,
                                    const ColocRlSizes& sizes,
                                    torch::Device device) {
  return agents::View(problem, options.groups, sizes, device);
}

ColocRlSizes ColocRlTraits::Fitted(const ColocRlSizes& sizes, const ColocRlView& view) {
  return agents::Fitted(sizes, view);
}

std::int64_t ColocRlTraits::NumDecisions(const ColocRlView& view) {
  return view.sequence.num_groups;
}

std::optional<ColocRlRollout> ColocRlTraits::Sample(ColocRlLearner& learner,
                                                    const ColocRlView& view,
                                                    std::int64_t num_samples,
                                                    std::int64_t /*num_updates*/,
                                                    env::Evaluator& evaluator,
                                                    Rng& rng) {
  return learner.Sample(view, num_samples, evaluator, rng);
}

torch::Tensor ColocRlTraits::Choices(const ColocRlRollout& samples) {
  return samples.devices.to(torch::kCPU);
}

template class LearningSearch<ColocRlTraits>;

}  // namespace opyard::agents
