// HDP on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/learning_search.h"
#include "agents/learned/hdp/learner.h"
#include "agents/learned/hdp/settings.h"
#include "agents/learned/hdp/view.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents::hdp {

// `sizes` for a problem: as many devices as it has and, unless set, as many groups as the paper
// says but no more than units.
[[nodiscard]] Sizes Fitted(Sizes sizes, const View& view);

// HDP's part of a search; LearningSearch says what each function does.
struct SearchTraits {
  using Options = TrainingOptions;
  using Sizes = hdp::Sizes;
  using View = hdp::View;
  using Learner = hdp::Learner;
  using Rollout = hdp::Rollout;

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

}  // namespace opyard::agents::hdp

namespace opyard::agents {

extern template class LearningSearch<hdp::SearchTraits>;

}  // namespace opyard::agents
