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

namespace opyard::agents {

// `sizes` for a problem: as many devices as it has and, unless set, as many groups as the paper
// says but no more than units.
[[nodiscard]] HdpSizes Fitted(HdpSizes sizes, const HdpView& view);

// HDP's part of a search; LearningSearch says what each function does.
struct HdpTraits {
  using Options = HdpOptions;
  using Sizes = HdpSizes;
  using View = HdpView;
  using Learner = HdpLearner;
  using Rollout = HdpRollout;

  [[nodiscard]] static bool HasChoice(const env::Problem& problem, const HdpOptions& options);
  [[nodiscard]] static HdpSizes SizesOf(const Checkpoint& found, const std::filesystem::path& path);
  [[nodiscard]] static HdpView MakeView(const env::Problem& problem,
                                        const HdpOptions& options,
                                        const HdpSizes& sizes,
                                        torch::Device device);
  [[nodiscard]] static HdpSizes Fitted(const HdpSizes& sizes, const HdpView& view);
  [[nodiscard]] static std::int64_t NumDecisions(const HdpView& view);
  [[nodiscard]] static std::optional<HdpRollout> Sample(HdpLearner& learner,
                                                        const HdpView& view,
                                                        std::int64_t num_samples,
                                                        std::int64_t num_updates,
                                                        env::Evaluator& evaluator,
                                                        Rng& rng);
  [[nodiscard]] static torch::Tensor Choices(const HdpRollout& samples);
};

extern template class LearningSearch<HdpTraits>;
using HdpSearch = LearningSearch<HdpTraits>;

}  // namespace opyard::agents
