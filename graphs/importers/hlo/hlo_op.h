// The op that one HLO instruction becomes.
#pragma once

#include <string>
#include <vector>

#include "graphs/importers/hlo/hlo_bytes.h"
#include "graphs/importers/hlo/hlo_call.h"
#include "graphs/importers/hlo/hlo_work.h"

namespace opyard::graphs {

// One tensor of an instruction: the output of an op, or nothing of its own: a constant that was
// folded away, a token, a context.
struct HloValue {
  std::int64_t op = -1;  // index of the op; -1 for none
  std::int32_t output = 0;
  std::optional<std::int64_t> number;  // of a folded constant, where it is known

  [[nodiscard]] bool is_folded() const { return op < 0; }
};
using HloValues = std::vector<HloValue>;

struct HloOp {
  sim::OpSpec spec;
  std::size_t num_unknown = 0;  // parts of its work without a rule
  // The input whose storage the result takes over if nobody reads it later, and the traffic if it
  // cannot: then all of it is copied first.
  std::optional<std::size_t> updated_input;
  Bytes bytes_of_copy;
};

// Makes ops of instructions that are neither parameters nor constants.
class HloOpMaker {
 public:
  // Both live longer.
  HloOpMaker(const HloModule& module, const HloCosts& costs) : costs_(costs), traffic_(module) {}

  // `operands` are the values of the instruction's operands, [operands][tensors]. The work of one
  // run is done `times` times.
  [[nodiscard]] HloOp Make(const HloCall& call,
                           const std::vector<const HloValues*>& operands,
                           double times);

 private:
  void SetWork(const HloCall& call, double times, HloOp& op) const;
  void SetTraffic(const HloCall& call,
                  const std::vector<const HloValues*>& operands,
                  double times,
                  HloOp& op);

  const HloCosts& costs_;
  HloTrafficTable traffic_;
};

// The description of a result tensor.
[[nodiscard]] sim::OutputSpec OutputOf(const TensorType& tensor);

// Forward and backward as op_name says it: transpose(jvp(…)) is backward, jvp(…) forward.
[[nodiscard]] sim::Phase PhaseOf(const HloInstruction& instruction);

}  // namespace opyard::graphs
