// Kernels of libraries that compilers call by name: products, convolutions, attention, solvers.
#pragma once

#include "graphs/importers/hlo/hlo_call.h"

namespace opyard::graphs {

// The work and the type of a custom call.
struct CustomCall {
  HloWork work;
  std::string_view type;  // of the op: "dot", "convolution", "Attention"; else "custom-call"
  bool is_heavy = false;
};

// REQUIRES: an instruction custom-call. A target without a rule is unknown work.
[[nodiscard]] CustomCall ReadCustomCall(const HloCall& call);

// True for a target that only marks its operand: shardings, and notes for the compiler.
[[nodiscard]] bool IsAnnotation(std::string_view target);

}  // namespace opyard::graphs
