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
#include "agents/learned/go/row_search.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents::go {

// Plans that a policy sampled on a resolution, evaluated.
struct Rollout {
  std::size_t resolution = 0;
  SampledActions sampled;                    // of rows, drafts included
  torch::Tensor actions;                     // int64 [K, T, G]: of groups, on the CPU
  std::vector<env::Evaluation> evaluations;  // [K]
};

// The memory that a search has of its problem beside the network.
struct Memory {
  // With tables of `view`, on its device, unless the options want none.
  Memory(const View& view, const TrainingOptions& options, torch::Device device);
  Elites elites;
  EntropyControl entropy;
  std::shared_ptr<GroupTables> tables;                      // null: the network learns alone
  std::unique_ptr<torch::optim::Adam> optimiser_of_tables;  // null without them
};

// The memory that a training over many problems has of one; no tables, which would know what the
// network is to find out.
struct ProblemMemory {
  explicit ProblemMemory(const EntropyBonus& bonus) : entropy(bonus) {}
  std::vector<RowPlan> plans;  // to be imitated, of each resolution; empty: none is known
  EntropyControl entropy;
};

// The samples or plans of one problem that a network learns from, among others of a minibatch.
struct Lesson {
  const View* view = nullptr;
  ProblemMemory* memory = nullptr;
  std::size_t resolution = 0;      // of the samples
  std::optional<Rollout> samples;  // none: plans of all resolutions are imitated
  std::vector<double> advantages;  // of the samples, [K]
};

// Adds the plan of `actions` of groups, int64 [T, G], to the best ones, unless it failed.
void AddElite(const View& view,
              const torch::Tensor& actions,
              const env::Evaluation& evaluation,
              Memory& memory);

// Used by one thread at a time.
class Learner {
 public:
  // With weights sampled from `rng`, on `device`; views must be made for it.
  Learner(const TrainingOptions& options,
          const Sizes& sizes,
          Rng& rng,
          torch::Device device = torch::kCPU);

  // Samples so many plans and has them evaluated. Nothing if not all of them were: the budget
  // ended.
  [[nodiscard]] std::optional<Rollout> Sample(const View& view,
                                              std::size_t resolution,
                                              std::int64_t num_samples,
                                              const Memory* memory,
                                              env::Evaluator& evaluator,
                                              Rng& rng);
  // Has the likeliest plan of the network alone evaluated. Nothing if it was not: the budget ended.
  std::optional<env::Evaluation> EvaluateLikeliest(const View& view,
                                                   std::size_t resolution,
                                                   env::Evaluator& evaluator);
  // The probability of each device for each group, [G · D], a row per group; empty where placement
  // is no task.
  [[nodiscard]] std::vector<double> DeviceAffinity(const View& view,
                                                   std::size_t resolution,
                                                   const Memory* memory);
  // Steps by PPO along the plans' advantages over `baseline`, which moves on, and towards the best
  // plans of `memory`, which these join; with the entropy held to that of a training of which
  // `used_share` is behind. `rng` deals the plans and samples drafts.
  UpdateReport Learn(const View& view,
                     const Rollout& samples,
                     double used_share,
                     RewardBaseline& baseline,
                     Memory& memory,
                     Rng& rng);
  // One update of a training over many problems. Where no lesson has samples, it is one step along
  // the mean gradient over `lessons` by imitation. Else it is an epoch over them by PPO and
  // imitation for each of the options' epochs, unless the mean KL divergence ends it. Fills in the
  // report's figures of the steps. REQUIRES: some lesson; each has samples or plans to imitate.
  void LearnTogether(std::span<Lesson> lessons, double used_share, Rng& rng, UpdateReport& report);
  // The advantage of each plan, [K]. Fills in the report's figures of the plans; the baseline moves
  // on.
  [[nodiscard]] std::vector<double> AdvantagesOf(const View& view,
                                                 const Rollout& samples,
                                                 RewardBaseline& baseline,
                                                 UpdateReport& report) const;

  [[nodiscard]] Policy& policy() { return *policy_; }

  // The weights, and what they serve; and all that later updates depend on.
  [[nodiscard]] Checkpoint ToWeights() const;
  [[nodiscard]] Checkpoint ToState() const;
  // Throws InputError with all reasons why `found`, read from `path`, does not fit.
  void TakeWeights(const Checkpoint& found, const std::filesystem::path& path);
  // Takes what ToState() wrote. REQUIRES: the checkpoint has it (RequireMatch).
  void TakeState(const Checkpoint& found);

 private:
  // Best plans as rows of a resolution.
  struct ImitatedRows {
    torch::Tensor plans;  // int64 [E, T, R]; undefined: none
    // Whether placements alone are imitated, in plans that place: many of the orders and fusions
    // that a search ends with are as good.
    bool placements_alone = false;
  };
  // The part of one lesson in a step: means of a decision, but for the loss.
  struct StepFigures {
    double kl = 0.0;
    double loss = 0.0;
    double entropy = 0.0;
  };
  // The input of the network, with the tables of `memory`, if there are any.
  [[nodiscard]] PolicyInput PolicyInputOf(const View& view,
                                          std::size_t resolution,
                                          const Memory* memory) const;
  // The figures of the plans `plans`, int64 [S], and of `imitated`. `entropy` gets that of a
  // decision of each task, unless it has it already.
  [[nodiscard]] MinibatchEvaluation EvaluateMinibatch(const PolicyInput& input,
                                                      const Rollout& samples,
                                                      const torch::Tensor& plans,
                                                      const ImitatedRows& imitated,
                                                      const EntropyControl& control,
                                                      Rng& rng,
                                                      std::vector<double>& entropy);
  // The mean log-probability of a decision of `imitated`. REQUIRES: there are some.
  [[nodiscard]] torch::Tensor LogProbOf(const PolicyInput& input,
                                        const EncodedInput& encoded,
                                        const ImitatedRows& imitated,
                                        Rng& rng);
  // The plan of a resolution that a lesson imitates, if it has one.
  [[nodiscard]] static ImitatedRows PlanOfResolution(const Lesson& lesson, std::size_t resolution);
  // Add the gradient of a lesson, divided by `num_lessons`: of its samples, with `entropy` as of
  // Evaluate; or of the plans of its resolutions, whose ops are encoded once.
  StepFigures AddGradient(const Lesson& lesson,
                          double num_lessons,
                          Rng& rng,
                          std::vector<double>& entropy);
  StepFigures AddGradientOfPlans(const Lesson& lesson, double num_lessons, Rng& rng);
  void MoveEntropy(const View& view,
                   std::size_t resolution,
                   const std::vector<double>& entropy,
                   double used_share,
                   EntropyControl& control) const;

  // One step of the policy, and of the tables, if there are any. Returns the norm of the policy's
  // gradient.
  double Step(const torch::Tensor& loss, Memory& memory);

  TrainingOptions options_;
  std::shared_ptr<Policy> policy_;
  std::unique_ptr<torch::optim::Adam> optimiser_;
};

}  // namespace opyard::agents::go
