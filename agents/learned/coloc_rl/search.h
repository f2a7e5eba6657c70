// ColocRL on one problem: trains its policy as long as the budget lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <torch/torch.h>

#include "agents/learned/coloc_rl/learner.h"
#include "agents/learned/coloc_rl/settings.h"
#include "agents/learned/coloc_rl/view.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/learning_search.h"
#include "env/evaluator.h"

namespace opyard::agents {

// `sizes` for a problem: of its groups and devices where the network is made for so many.
[[nodiscard]] ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view);

// ColocRL's part of a search; LearningSearch says what each function does.
struct ColocRlTraits {
  using Options = ColocRlOptions;
  using Sizes = ColocRlSizes;
  using View = ColocRlView;
  using Learner = ColocRlLearner;
  using Rollout = ColocRlRollout;

  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const ColocRlOptions& options);
  [[nodiscard]] static ColocRlSizes SizesOf(const Checkpoint& found,
                                            const std::filesystem::path& path);
  [[nodiscard]] static ColocRlView MakeView(const env::Problem& problem,
                                            const ColocRlOptions& options,
                                            const ColocRlSizes& sizes,
                                            torch::Device device);
  [[nodiscard]] static ColocRlSizes Fitted(const ColocRlSizes& sizes, const ColocRlView& view);
  [[nodiscard]] static std::int64_t NumDecisions(const ColocRlView& view);
  [[nodiscard]] static std::optional<ColocRlRollout> Sample(ColocRlLearner& learner,
                                                            const ColocRlView& view,
                                                            std::int64_t num_samples,
                                                            std::int64_t num_updates,
                                                            env::Evaluator& evaluator,
                                                            Rng& rng);
  [[nodiscard]] static torch::Tensor Choices(const ColocRlRollout& samples);
};

extern template class LearningSearch<ColocRlTraits>;
using ColocRlSearch = LearningSearch<ColocRlTraits>;

}  // namespace opyard::agents
