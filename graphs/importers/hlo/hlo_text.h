// Reads XLA's HLO text, as jax.jit(step).lower(...) prints it before or after the compiler's
// passes.
#pragma once

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// ENTRY only: a fusion or a call is one op whose FLOPs are the sum over what it calls. What becomes
// of the instructions:
//  * tuple and get-tuple-element become nothing: edges name the output they read, and what the root
//    gives back is kept; constants up to 1 KiB become nothing, larger ones stay resident;
//  * reshape and bitcast alias their input and cost nothing;
//  * a parameter is a Variable if the root's element of the same number has its shape, as have all
//    before it: a step gives back the state it updates in the order in which it takes it. Others
//    are Placeholders;
//  * the phase follows from op_name, where it is given: transpose(jvp(…)) is backward, jvp(…)
//  forward.
// Takes no options.
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
