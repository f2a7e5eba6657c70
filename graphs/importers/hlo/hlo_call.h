// One instruction as work: what it is, what it reads, and which of its tensors it really makes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "graphs/importers/common/op_work.h"
#include "graphs/importers/hlo/hlo_module.h"

namespace opyard::graphs {

struct HloWork {
  OpWork work;
  // Instructions, also inside of what is called, whose arithmetic has no rule: it is not counted.
  std::size_t num_unknown = 0;
};

inline constexpr std::size_t kOneUnknown = 1;

struct HloCall {
  const HloComputation& computation;
  const HloInstruction& instruction;

  // Without "-start": the pair's first half does the work, its "-done" names the result.
  [[nodiscard]] std::string_view opcode() const;
  // custom_call_target, without quotes; "" of other instructions.
  [[nodiscard]] std::string_view target() const;
  // The tensors of the instruction that it makes: neither operands that a "-start" repeats, nor
  // contexts of transfers, nor the workspace of a library's kernel.
  [[nodiscard]] TensorRange made() const;
  // Bytes of the workspace that a library's kernel lists among its results.
  [[nodiscard]] Bytes workspace() const;
  // Null if there is no such operand, or if it makes no tensor or several.
  [[nodiscard]] const TensorType* Operand(std::size_t index) const;
  // Null if the instruction makes no tensor.
  [[nodiscard]] const TensorType* Result() const;
  [[nodiscard]] std::string_view Attribute(std::string_view key) const;
};

[[nodiscard]] bool IsFloating(sim::DType dtype);

}  // namespace opyard::graphs
