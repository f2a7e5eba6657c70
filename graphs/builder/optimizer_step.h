// The last part of a training step: weights change by their gradients.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "graphs/builder/autodiff.h"
#include "graphs/builder/graph_builder.h"

namespace opyard::graphs {

enum class UpdateRule : std::uint8_t { kSgd, kMomentum, kAdam, kRmsProp };

// In the order of UpdateRule.
inline constexpr std::array<std::string_view, 4> kUpdateRuleNames = {
    "sgd", "momentum", "adam", "rmsprop"};

// Throws InputError, with the names that exist.
[[nodiscard]] UpdateRule GetUpdateRule(std::string_view name);

// The granularity of the ops of an update.
enum class UpdateOps : std::uint8_t {
  kPrimitive,  // each product, sum and assignment
  kFused,      // one op per weight: "ApplyAdam"
};

struct OptimizerOptions {
  UpdateRule rule = UpdateRule::kSgd;
  UpdateOps ops = UpdateOps::kPrimitive;
  bool clips_global_norm = false;  // scales all gradients by what their common norm exceeds
  bool decays_rate = false;        // an exponential schedule over the steps counted so far
  bool decays_weights =
      false;  // adds a share of the weight to what is taken away; part of fused ops
  bool averages_weights = false;  // keeps an exponential moving average of each weight
};

// Adds the ops of phase update. For weight w, gradient g, rate r, in this order:
//   `sgd`       w −= r·g.
//   `momentum`  a = μ·a + g; w −= r·a.
//   `adam`      m += (1 − β₁)(g − m); v += (1 − β₂)(g² − v); w −= r·m / (√v + ε).
//   `rmsprop`   s += (1 − ρ)(g² − s); a = μ·a + r·g / √(s + ε); w −= a.
// Adam's rate is corrected for the bias of the first steps (Kingma & Ba, arXiv:1412.6980, end of
// §2); rmsprop is TensorFlow's, with momentum.
//
// All ops of one weight share its device and have its layer. Optimiser state is Variables of its
// own, or, with fused ops, further resident bytes of the weight's Variable. A weight changes only
// after its last reader (control edges from readers that its gradient does not wait for anyway).
void AddUpdates(GraphBuilder& builder,
                std::span<const WeightGradient> gradients,
                const OptimizerOptions& options);

// `average` += (1 − decay)(`value` − `average`), as ops of phase update.
void AddMovingAverage(GraphBuilder& builder, const VariableInfo& average, const Tensor& value);

}  // namespace opyard::graphs
