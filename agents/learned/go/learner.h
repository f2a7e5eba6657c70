// GO's policy and how one update changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/update_report.h"
#include "agents/learned/go/elites.h"
#include "agents/learned/go/entropy_control.h"
#include "agents/learned/go/group_tables.h"
#include "agents/learned/go/policy.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Plans that a policy drew on a level, judged.
struct JudgedGoSamples {
  std::size_t level = 0;
  SampledActions drawn;                      // of rows, drafts included
  torch::Tensor actions;                     // int64 [K, T, G]: of groups, on the CPU
  std::vector<env::Evaluation> evaluations;  // [K]
};

// What is learnt of a problem beside the network.
struct GoMemory {
  // Best plans and weights of entropies, and no tables.
  explicit GoMemory(const GoOptions& options) : elites(options.elites), entropy(options.entropy) {}
  // Tables of `view`, on its device, unless the options want none.
  GoMemory(const GoView& view, const GoOptions& options, torch::Device device);
  Elites elites;
  EntropyControl entropy;
  std::shared_ptr<GroupTables> tables;                      // null: the network learns alone
  std::unique_ptr<torch::optim::Adam> optimiser_of_tables;  // null without them
};

// What a network learns from of one problem, among others of a minibatch.
struct GoLesson {
  const GoView* view = nullptr;
  GoMemory* memory = nullptr;
  std::size_t level = 0;
  std::optional<JudgedGoSamples> samples;  // none: its best plans alone are imitated
  std::vector<double> advantages;          // of the samples, [K]
};

// Used by one thread at a time.
class GoLearner {
 public:
  // With weights drawn from `rng`, on `device`; views must be made for it.
  GoLearner(const GoOptions& options,
            const GoSizes& sizes,
            Rng& rng,
            torch::Device device = torch::kCPU);

  // Draws so many plans and has them judged. Nothing if not all of them were: the budget ended.
  [[nodiscard]] std::optional<JudgedGoSamples> Sample(const GoView& view,
                                                      std::size_t level,
                                                      std::int64_t num_samples,
                                                      const GoMemory* memory,
                                                      env::Evaluator& evaluator,
                                                      Rng& rng);
  // Has the likeliest plan of the network alone judged. Nothing if it was not: the budget ended.
  std::optional<env::Evaluation> JudgeLikeliest(const GoView& view,
                                                std::size_t level,
                                                env::Evaluator& evaluator);
  // How likely each group is placed where, [G · D], a row per group; empty where placement is no
  // task.
  [[nodiscard]] std::vector<double> DeviceAffinity(const GoView& view,
                                                   std::size_t level,
                                                   const GoMemory* memory);
  // Steps by PPO along the plans' advantages over `baseline`, which moves on, and towards the best
  // plans of `memory`, which these join; with the entropy held to that of a training of which
  // `used_share` is behind. `rng` deals the plans and draws drafts.
  UpdateReport Learn(const GoView& view,
                     const JudgedGoSamples& samples,
                     double used_share,
                     RewardBaseline& baseline,
                     GoMemory& memory,
                     Rng& rng);
  // Of a training over many problems: one step along the mean gradient over `lessons` by imitation
  // where none has samples; else an epoch over them by PPO and imitation for each of the options'
  // epochs, unless the mean KL divergence ends it. Fills in the report's figures of the steps.
  // REQUIRES: some lesson; each has samples or best plans.
  void LearnTogether(std::span<GoLesson> lessons,
                     double used_share,
                     Rng& rng,
                     UpdateReport& report);
  // Of each plan, [K], and what the report says of them; the baseline moves on. The best plans of
  // `memory` are joined by those.
  [[nodiscard]] std::vector<double> Remember(const GoView& view,
                                             const JudgedGoSamples& samples,
                                             RewardBaseline& baseline,
                                             GoMemory& memory,
                                             UpdateReport& report) const;

  [[nodiscard]] GoPolicy& policy() { return *policy_; }

  // The weights, and what they serve; and all that later updates depend on.
  [[nodiscard]] Checkpoint ToWeights() const;
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // Takes what ToState() wrote. REQUIRES: the checkpoint has it (RequireMatch).
  void TakeState(const Checkpoint& found);

 private:
  // What the network is asked, with the tables of `memory`, if there are any.
  [[nodiscard]] GoScene SceneOf(const GoView& view,
                                std::size_t level,
                                const GoMemory* memory) const;
  // Of each plan, [K], and what the report says of them; the baseline moves on.
  [[nodiscard]] std::vector<double> AdvantagesOf(const GoView& view,
                                                 const JudgedGoSamples& samples,
                                                 RewardBaseline& baseline,
                                                 UpdateReport& report) const;
  // Of the samples `share`, int64 [S], and of `elites`, int64 [E, T, R] of the rows of that level,
  // if there are any. `entropy` gets that of a decision of each task, unless it has it already.
  [[nodiscard]] JudgedShare Judge(const GoScene& scene,
                                  const JudgedGoSamples& samples,
                                  const torch::Tensor& share,
                                  const torch::Tensor& elites,
                                  const GoMemory& memory,
                                  Rng& rng,
                                  std::vector<double>& entropy);
  // The mean log-probability of a decision of `elites`; in a training over many problems, of where
  // rows go, if that is decided: of the orders and fusions that a search ends with many are as
  // good.
  [[nodiscard]] torch::Tensor LogProbOf(const GoScene& scene,
                                        const EncodedScene& encoded,
                                        const torch::Tensor& elites,
                                        Rng& rng);
  // Adds the gradient of a lesson, divided by `num_lessons`, and its figures to the report's sums.
  // Returns the KL divergence of a decision; 0 without samples.
  double AddGradient(const GoLesson& lesson,
                     double num_lessons,
                     std::vector<double>& entropy,
                     Rng& rng,
                     UpdateReport& report);
  void MoveEntropy(const GoView& view,
                   std::size_t level,
                   const std::vector<double>& entropy,
                   double used_share,
                   GoMemory& memory) const;

  // One step of the policy, and of the tables, if there are any. Returns the norm of the policy's
  // gradient.
  double Step(const torch::Tensor& loss, GoMemory& memory);

  GoOptions options_;
  std::shared_ptr<GoPolicy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  bool imitates_placements_ = false;  // alone
};

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents
