// The reward of an episode: a figure that compares across graphs and machines.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// Out of memory, or an action that is no plan.
inline constexpr double kFailureReward = -10.0;

// The ratio of a plan that does not complete, for which kSqrt gives kFailureReward.
inline constexpr double kFailureRatio = 100.0;

// The reward as a function of the ratio r = score / reference score. The first four depend on the
// plan of the episode's end alone; the last two on that before a step, too, and add up to what the
// episode gains over the plan that it began with.
enum class RewardKind : std::uint8_t {
  kSqrt,         // −sqrt(r), the published default
  kLinear,       // −r
  kLog,          // −log(1 + r)
  kLogSpeedup,   // log(1 / r)
  kImprovement,  // r before − r after: Placeto's (Addanki et al., NeurIPS 2019, section 3.1), over
                 // T_ref
  kShaped,  // sqrt(r before) − sqrt(r after): potential-based (Ng et al., ICML 1999)
};

// True for the last two: each step is simulated and rewarded.
[[nodiscard]] bool RewardsEachStep(RewardKind kind);

// "sqrt", "linear", "log", "log_speedup", "improvement", "shaped". Throws InputError for another
// name.
[[nodiscard]] RewardKind RewardKindOf(const std::string& name);
[[nodiscard]] const char* NameOf(RewardKind kind);

// score / reference_score; kFailureRatio if the plan did not complete. With the objective makespan,
// it is makespan / T_ref. REQUIRES: reference_score > 0.
[[nodiscard]] double RatioOf(const Evaluation& evaluation, double reference_score);

// The reward of an evaluated plan; kFailureReward if it did not complete. REQUIRES: reference_score
// > 0; the kind depends on one plan alone.
[[nodiscard]] double Reward(RewardKind kind, const Evaluation& evaluation, double reference_score);

// The same for every kind, after a plan whose ratio was `ratio_before`.
[[nodiscard]] double StepReward(RewardKind kind,
                                double ratio_before,
                                const Evaluation& evaluation,
                                double reference_score);

// The reference of the plans of `problem`: ProblemSpec::reference if there is one, else the best of
// BaselinePlans, a fixed list, so that a new agent shifts no reward. Its makespan and score are at
// least one unit (1 ps, 1 byte), so that ratios exist.
[[nodiscard]] Reference FindReference(const Problem& problem);

// The least makespan and score of the feasible `candidates`, whatever the problem's own reference.
// If none is feasible, they are those of a run as long as the problem bound that fills the largest
// device. At least one unit, as above.
[[nodiscard]] Reference FindReference(const Problem& problem,
                                      std::span<const sim::Plan> candidates);

// T_ref alone: the makespan of the best feasible plan of `candidates`, else that of the
// problem's ObjectiveScale.
[[nodiscard]] SimTime ReferenceMakespan(const Problem& problem,
                                        std::span<const sim::Plan> candidates);

}  // namespace opyard::env
