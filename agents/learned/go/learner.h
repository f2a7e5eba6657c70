// GO's policy and how one update changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
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
  SampledActions drawn;                      // of rows
  torch::Tensor actions;                     // int64 [K, T, G]: of groups, on the CPU
  std::vector<env::Evaluation> evaluations;  // [K]
};

// What is learnt of a problem beside the network.
struct GoMemory {
  // So many best plans, and no tables.
  explicit GoMemory(std::int64_t most) : elites(most) {}
  // Tables of `view`, on its device, unless the options want none.
  GoMemory(const GoView& view, const GoOptions& options, torch::Device device);
  Elites elites;
  std::shared_ptr<GroupTables> tables;                      // null: the network learns alone
  std::unique_ptr<torch::optim::Adam> optimiser_of_tables;  // null without them
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
  // plans of `memory`, if there is one, which these join; with the entropy held to that of a
  // training of which `used_share` is behind. `rng` deals the plans.
  UpdateReport Learn(const GoView& view,
                     const JudgedGoSamples& samples,
                     double used_share,
                     RewardBaseline& baseline,
                     GoMemory* memory,
                     Rng& rng);

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
  // Of the samples `share`, int64 [S], with `elites`, int64 [E, T, R] of the rows of that level, if
  // there are any. `entropy` gets that of a decision of each task.
  [[nodiscard]] JudgedShare Judge(const GoScene& scene,
                                  const SampledActions& drawn,
                                  const torch::Tensor& share,
                                  const torch::Tensor& elites,
                                  std::vector<double>& entropy);

  // One step of the policy, and of the tables, if there are any. Returns the norm of the policy's
  // gradient.
  double Step(const torch::Tensor& loss, GoMemory* memory);

  GoOptions options_;
  std::shared_ptr<GoPolicy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
  EntropyControl control_;
};

// The sizes of the network that weights belong to. Throws InputError if they are another agent's or
// version's.
[[nodiscard]] GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path);

}  // namespace opyard::agents
