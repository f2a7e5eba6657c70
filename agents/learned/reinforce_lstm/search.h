// ColocRL on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/learning_search.h"
#include "agents/learned/reinforce_lstm/learner.h"
#include "agents/learned/reinforce_lstm/settings.h"
#include "agents/learned/reinforce_lstm/view.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents::reinforce_lstm {

// `sizes` for a problem: of its groups and devices where the network is made for so many.
[[nodiscard]] Sizes Fitted(Sizes sizes, const View& view);

// ColocRL's part of a search; LearningSearch says what each function does.
struct SearchTraits {
  using Options = TrainingOptions;
  using Sizes = reinforce_lstm::Sizes;
  using View = reinforce_lstm::View;
  using Learner = reinforce_lstm::Learner;
  using Rollout = reinforce_lstm::Rollout;

  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const TrainingOptions& options);
  [[nodiscard]] static Sizes SizesOf(const Checkpoint& found, const std::filesystem::path& path);
  [[nodiscard]] static View MakeView(const env::Problem& problem,
                                     const TrainingOptions& options,
                                     const Sizes& sizes,
                                     torch::Device device);
  [[nodiscard]] static Sizes Fitted(const Sizes& sizes, const View& view);
  [[nodiscard]] static std::int64_t NumDecisions(const View& view);
  [[nodiscard]] static std::optional<Rollout> Sample(Learner& learner,
                                                     const View& view,
                                                     std::int64_t num_samples,
                                                     std::int64_t num_updates,
                                                     env::Evaluator& evaluator,
                                                     Rng& rng);
  [[nodiscard]] static torch::Tensor Choices(const Rollout& samples);
};

using Search = LearningSearch<SearchTraits>;

}  // namespace opyard::agents::reinforce_lstm

namespace opyard::agents {

extern template class LearningSearch<reinforce_lstm::SearchTraits>;

}  // namespace opyard::agents
