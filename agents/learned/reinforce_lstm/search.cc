#include "agents/learned/reinforce_lstm/search.h"

namespace opyard::agents::reinforce_lstm {

Sizes Fitted(Sizes sizes, const View& view) {
  sizes.num_groups = sizes.has_adjacency_rows() ? view.sequence.num_groups : 0;
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

bool SearchTraits::HasChoice(const env::Problem& problem, const TrainingOptions& options) {
  return problem.tasks().placement && MakeGroupSequence(problem, options.groups).has_choice();
}

Sizes SearchTraits::SizesOf(const Checkpoint& found, const std::filesystem::path& path) {
  return reinforce_lstm::SizesOf(found, path);
}

View SearchTraits::MakeView(const env::Problem& problem,
                            const TrainingOptions& options,
                            const Sizes& sizes,
                            torch::Device device) {
  return reinforce_lstm::MakeView(problem, options.groups, sizes, device);
}

Sizes SearchTraits::Fitted(const Sizes& sizes, const View& view) {
  return reinforce_lstm::Fitted(sizes, view);
}

std::int64_t SearchTraits::NumDecisions(const View& view) {
  return view.sequence.num_groups;
}

std::optional<Rollout> SearchTraits::Sample(Learner& learner,
                                            const View& view,
                                            std::int64_t num_samples,
                                            std::int64_t /*num_updates*/,
                                            env::Evaluator& evaluator,
                                            Rng& rng) {
  return learner.Sample(view, num_samples, evaluator, rng);
}

torch::Tensor SearchTraits::Choices(const Rollout& samples) {
  return samples.devices.to(torch::kCPU);
}

}  // namespace opyard::agents::reinforce_lstm

namespace opyard::agents {

template class LearningSearch<reinforce_lstm::SearchTraits>;

}  // namespace opyard::agents
