// Reads XLA's HLO text, as jax.jit(step).lower(...) prints it before or after the compiler's
// passes.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// Treatment of the instructions of ENTRY and of what it calls (hlo_expansion.h: calls, loops and
// conditionals are opened; a fusion is one op, with the FLOPs of what it calls):
//   `tuple`, `get-tuple-element`, barriers, the second half of a start and its done, and marks for
//     the compiler become nothing. Edges name the output they read, and what the root gives back is
//     kept.
//   `constant`: becomes nothing up to 1 KiB; larger ones stay resident.
//   `reshape` and `bitcast` alias their input and cost nothing.
//   `parameter`: a Variable if it is state (hlo_parameters.h), else a Placeholder; one that is a
//     tuple is an op for each tensor, NAME/0, NAME/1, ….
//   Slices and their updates move the slice, updates in place where nobody reads the old value.
//   The phase follows from op_name, where it is given: transpose(jvp(…)) is backward, jvp(…)
//     forward.
// Options: unroll, the most trips of a loop that is unrolled (256); dim, the extent that each ? of
// a shape stands for, as N or ?=N. StableHLO and serialised modules are recognised, and refused by
// a line that says how to write HLO text.
class HloTextImporter final : public Importer {
 public:
  [[nodiscard]] std::string name() const override { return "hlo"; }
  [[nodiscard]] std::string summary() const override {
    return "XLA's HLO text, from JAX or others";
  }
  [[nodiscard]] bool Recognises(const ImportFile& file, std::string_view path) const override;
  [[nodiscard]] ImportedGraph Import(const ImportFile& file, Options& options) const override;
};

}  // namespace opyard::graphs
