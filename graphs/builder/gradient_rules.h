// Differentiation of ops: one rule per type.
//
// A rule writes the ops that turn the gradients of an op's outputs into those of the inputs that
// want one. To add one: write it in the file of its family and name it in that file's list.
#pragma once

#include <span>
#include <string_view>

#include "graphs/builder/gradient_context.h"

namespace opyard::graphs {

struct GradientRule {
  std::string_view type;
  void (*apply)(GradientContext&) = nullptr;  // null: nothing flows through ops of this type
};

// By family; each sorted by type.
[[nodiscard]] std::span<const GradientRule> ElementwiseGradients();
[[nodiscard]] std::span<const GradientRule> HeavyGradients();
[[nodiscard]] std::span<const GradientRule> ReductionGradients();
[[nodiscard]] std::span<const GradientRule> MovementGradients();

// Null if there is no rule for `type`.
[[nodiscard]] const GradientRule* FindGradientRule(std::string_view type);

}  // namespace opyard::graphs
