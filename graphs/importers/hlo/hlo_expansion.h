// Opens what ENTRY calls, until every op is one that a device runs.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphs/importers/common/import_summary.h"
#include "graphs/importers/hlo/hlo_buffers.h"
#include "graphs/importers/hlo/hlo_op.h"
#include "graphs/importers/hlo/hlo_parameters.h"
#include "graphs/importers/hlo/hlo_work.h"

namespace opyard::graphs {

// Where instructions are lowered to: inside of which opened ones, and how often that runs.
struct HloScope {
  std::string prefix;                       // of names: "while/3/"
  double times = 1.0;                       // runs that one op stands for
  std::size_t budget = 0;                   // instructions and results that may yet be opened in it
  sim::Phase phase = sim::Phase::kUnknown;  // of what says none itself
  // Ops that decide whether this runs. All in it wait for them; what reads an op from `first_op` on
  // waits already.
  std::vector<std::int64_t> waits_for;
  std::size_t first_op = 0;
};

// Lowers a module. An opened instruction hands its operands to the computation that it calls, and
// its value is what that gives back. The op that makes the last of that keeps the instruction's
// name; the others are NAME/inner, in a loop NAME/ITERATION/inner.
//   `call`, `async-start`: opened.
//   `while`: unrolled if its trips are known, at most `most_trips`; else its body stands once,
//     doing its work as often as it runs, or once if nobody knows.
//   `conditional`: the branch that its predicate says where that is known, else the dearest.
//   Anything that would open to more than 2^20 instructions and results stays closed, one op with
//     the work of all of it.
// The summary counts all of that.
class HloExpansion {
 public:
  HloExpansion(const std::string& place,
               const HloModule& module,
               std::int64_t most_trips,
               ImportSummary& summary);

  // Throws InputError for instructions that do not fit their operands.
  [[nodiscard]] std::vector<sim::OpSpec> Run();

 private:
  // A computation that is being lowered.
  struct Frame {
    const HloComputation& computation;
    const std::vector<const HloValues*>& arguments;  // empty for ENTRY
    const HloScope& scope;
    std::vector<HloValues> values;  // [instructions][tensors of the result]
  };

  HloValues Lower(const HloComputation& computation,
                  const std::vector<const HloValues*>& arguments,
                  const HloScope& scope);
  void LowerInstruction(Frame& frame, std::size_t i);
  // True if the instruction becomes no op: tuples, selections, names, small constants.
  bool LowerWithoutOp(Frame& frame, std::size_t i);
  bool LowerCalls(Frame& frame, std::size_t i);
  void LowerParameter(Frame& frame, std::size_t i);
  void AddParameter(const Frame& frame, std::size_t i);
  void LowerConstant(Frame& frame, std::size_t i);
  void LowerTuple(Frame& frame, std::size_t i);
  void LowerSelection(Frame& frame, std::size_t i);
  void LowerDone(Frame& frame, std::size_t i);
  bool LowerScalar(Frame& frame, std::size_t i);
  void LowerOp(Frame& frame, std::size_t i);

  void OpenCall(Frame& frame, std::size_t i);
  void OpenConditional(Frame& frame, std::size_t i);
  void OpenLoop(Frame& frame, std::size_t i);
  HloValues Unroll(const Frame& frame, std::size_t i, std::int64_t trips);
  HloValues RunBodyOnce(const Frame& frame, std::size_t i, std::optional<std::int64_t> trips);
  // Names the op that makes the last of `values`, if it was made since `first_op`.
  void NameLast(const Frame& frame, std::size_t i, const HloValues& values, std::size_t first_op);

  [[nodiscard]] HloScope Inner(const Frame& frame, std::size_t i, const std::string& more) const;
  [[nodiscard]] bool Fits(const Frame& frame, std::size_t computation, std::int64_t times) const;
  void AddOp(const HloScope& scope, sim::OpSpec op);
  [[nodiscard]] std::vector<const HloValues*> OperandsOf(const Frame& frame, std::size_t i) const;
  [[nodiscard]] std::string NameOf(const Frame& frame, std::size_t i) const;
  void CheckSizes() const;
  void NeedTensors(const HloInstruction& instruction,
                   std::size_t found,
                   std::size_t expected) const;
  [[noreturn]] void Refuse(const HloInstruction& instruction,
                           const std::string& found,
                           const std::string& expected) const;

  const std::string& place_;
  const HloModule& module_;
  std::int64_t most_trips_;
  ImportSummary& summary_;
  HloCosts costs_;
  HloState state_;
  HloOpMaker maker_;
  std::vector<sim::OpSpec> ops_;
  std::vector<HloUpdate> updates_;
  std::unordered_map<const HloInstruction*, HloValues> constants_;  // large ones, made once
  std::size_t left_ = 0;  // instructions and results that may yet be opened
  std::size_t num_inputs_ = 0;
};

}  // namespace opyard::graphs
