#include "graphs/importers/hlo/hlo_loop.h"

#include <utility>
#include <vector>

#include "graphs/importers/hlo/hlo_scalar.h"

namespace opyard::graphs {
namespace {

using MaybeInt64 = std::optional<std::int64_t>;

constexpr std::size_t kMostVisits = 4096;  // to instructions, of one search
constexpr std::size_t kDeepestRecursion = 256;

// A carried element of a loop plus an offset, or a constant. Carried elements are the tensors of
// the loop's state, nested tuples flattened, which one iteration hands to the next.
struct Term {
  std::int64_t offset = 0;             // the constant itself where there is no element
  std::optional<std::size_t> element;  // index of the carried element; none: a constant
};
using MaybeTerm = std::optional<Term>;

// A computation and the instruction that called it; the outermost frame has neither caller nor
// parent.
struct Frame {
  const HloComputation& computation;
  const HloInstruction* caller = nullptr;
  const Frame* parent = nullptr;
};

// Traces values back to constants and to carried elements, through calls and tuples. Gives up after
// kMostVisits, since the paths to a value may be exponentially many, and at kDeepestRecursion,
// which spares the stack.
class TermSearch {
 public:
  // With `parameter_is_loop_state`, the outermost frame is the body or the condition of a loop,
  // whose parameter is the state.
  TermSearch(const HloModule& module, bool parameter_is_loop_state)
      : module_(module), parameter_is_loop_state_(parameter_is_loop_state) {}

  // The term of tensor `tensor` of the result of instruction `index`.
  MaybeTerm TermOf(const Frame& frame, std::size_t index, std::size_t tensor) {
    const HloInstruction& instruction = frame.computation.instructions[index];
    if (++visits_ > kMostVisits || depth_ == kDeepestRecursion ||
        tensor >= instruction.type.tensors.size()) {
      return std::nullopt;
    }
    ++depth_;
    const MaybeTerm term = Find(frame, instruction, tensor);
    --depth_;
    return term;
  }

  // The comparison whose result instruction `index` returns, itself or through calls and copies.
  // Both sides are terms over the outermost frame.
  struct Comparison {
    std::string_view direction;  // of HLO: "LT", "LE", "GT", "GE", "EQ", "NE"
    Term left;
    Term right;
  };
  std::optional<Comparison> ComparisonOf(const Frame& frame, std::size_t index) {
    const HloInstruction& instruction = frame.computation.instructions[index];
    if (++visits_ > kMostVisits) {
      return std::nullopt;
    }
    if (IsCall(instruction)) {
      const Frame inner{module_.computations[instruction.called[0]], &instruction, &frame};
      return ComparisonOf(inner, inner.computation.root);
    }
    if (ForwardsOperand(instruction.opcode) && instruction.operands.size() == 1) {
      return ComparisonOf(frame, instruction.operands[0]);
    }
    if (instruction.opcode != "compare" || instruction.operands.size() != 2) {
      return std::nullopt;
    }
    const MaybeTerm left = TermOf(frame, instruction.operands[0], 0);
    const MaybeTerm right = TermOf(frame, instruction.operands[1], 0);
    if (!left.has_value() || !right.has_value()) {
      return std::nullopt;
    }
    return Comparison{
        FindAttribute(instruction.attributes, "direction").value_or(""), *left, *right};
  }

 private:
  static bool IsCall(const HloInstruction& instruction) {
    return (instruction.opcode == "call" || instruction.opcode == "fusion") &&
           instruction.called.size() == 1;
  }

  MaybeTerm Find(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
    const std::string_view opcode = instruction.opcode;
    if (opcode == "parameter") {
      return TermOfParameter(frame, instruction, tensor);
    }
    if (opcode == "tuple") {
      return TermOfTuple(frame, instruction, tensor);
    }
    if (opcode == "get-tuple-element") {
      return TermOfGetTupleElement(frame, instruction, tensor);
    }
    if (IsCall(instruction)) {
      const Frame inner{module_.computations[instruction.called[0]], &instruction, &frame};
      return TermOf(inner, inner.computation.root, tensor);
    }
    if ((ForwardsOperand(opcode) || opcode == "opt-barrier") && instruction.operands.size() == 1) {
      return TermOf(frame, instruction.operands[0], tensor);
    }
    return TermOfArithmetic(frame, instruction);
  }

  MaybeTerm TermOfParameter(const Frame& frame,
                            const HloInstruction& instruction,
                            std::size_t tensor) {
    if (frame.caller == nullptr) {
      return parameter_is_loop_state_ ? MaybeTerm(Term{.element = tensor}) : std::nullopt;
    }
    const std::size_t number = ParameterNumber(instruction).value_or(0);
    return number < frame.caller->operands.size()
               ? TermOf(*frame.parent, frame.caller->operands[number], tensor)
               : std::nullopt;
  }

  MaybeTerm TermOfTuple(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
    for (const std::size_t operand : instruction.operands) {
      const std::size_t count = frame.computation.instructions[operand].type.tensors.size();
      if (tensor < count) {
        return TermOf(frame, operand, tensor);
      }
      tensor -= count;
    }
    return std::nullopt;
  }

  MaybeTerm TermOfGetTupleElement(const Frame& frame,
                                  const HloInstruction& instruction,
                                  std::size_t tensor) {
    const std::vector<std::int64_t> index =
        IntegersOf(FindAttribute(instruction.attributes, "index").value_or(""));
    if (instruction.operands.size() != 1 || index.size() != 1 || index[0] < 0) {
      return std::nullopt;
    }
    const std::size_t source = instruction.operands[0];
    const std::optional<TensorRange> range = TensorsOfElement(
        frame.computation.instructions[source].type, static_cast<std::size_t>(index[0]));
    return range.has_value() ? TermOf(frame, source, range->first + tensor) : std::nullopt;
  }

  MaybeTerm TermOfArithmetic(const Frame& frame, const HloInstruction& instruction) {
    if (!IsIntegerScalar(instruction) || instruction.operands.size() > 3) {
      return std::nullopt;
    }
    std::vector<MaybeTerm> terms;
    std::vector<MaybeInt64> numbers;
    for (const std::size_t operand : instruction.operands) {
      terms.push_back(TermOf(frame, operand, 0));
      const bool is_number = terms.back().has_value() && !terms.back()->element.has_value();
      numbers.push_back(is_number ? MaybeInt64(terms.back()->offset) : std::nullopt);
    }
    if (const MaybeInt64 number = FoldScalar(instruction, numbers)) {
      return Term{.offset = *number};
    }
    if (terms.size() != 2 || !terms[0].has_value() || !terms[1].has_value()) {
      return std::nullopt;
    }
    return Sum(instruction.opcode, *terms[0], *terms[1]);
  }

  // a + b or a − b, if at most one side has a carried element, of a difference the left one.
  static MaybeTerm Sum(std::string_view opcode, Term a, Term b) {
    if (opcode == "add" && b.element.has_value()) {
      std::swap(a, b);
    }
    if (b.element.has_value() || (opcode != "add" && opcode != "subtract")) {
      return std::nullopt;
    }
    const MaybeInt64 offset =
        WithinScalarLimit(a.offset + (opcode == "add" ? b.offset : -b.offset));
    return offset.has_value() ? MaybeTerm(Term{*offset, a.element}) : std::nullopt;
  }

  const HloModule& module_;
  bool parameter_is_loop_state_;
  std::size_t visits_ = 0;
  std::size_t depth_ = 0;
};

// The iterations of `for (; value DIRECTION bound; value += step)`. Nothing if it is not known to
// end, or has kScalarLimit iterations or more.
MaybeInt64 CountIterations(std::string_view direction,
                           std::int64_t value,
                           std::int64_t step,
                           std::int64_t bound) {
  if (direction == "GT" || direction == "GE") {
    return CountIterations(direction == "GT" ? "LT" : "LE", -value, -step, -bound);
  }
  if (direction == "LE") {
    return CountIterations("LT", value, step, bound + 1);
  }
  const std::int64_t distance = bound - value;
  if (direction == "NE" && step != 0 && distance % step == 0 && distance / step >= 0) {
    return WithinScalarLimit(distance / step);
  }
  if (direction != "LT") {
    return std::nullopt;
  }
  if (distance <= 0) {
    return 0;
  }
  return step > 0 ? WithinScalarLimit((distance + step - 1) / step) : std::nullopt;
}

// The direction of the same comparison with its sides swapped.
std::string_view Mirrored(std::string_view direction) {
  return direction == "LT"   ? "GT"
         : direction == "LE" ? "GE"
         : direction == "GT" ? "LT"
         : direction == "GE" ? "LE"
                             : direction;
}

MaybeInt64 KnownTripCount(const HloInstruction& loop) {
  const auto config = FindAttribute(loop.attributes, "backend_config");
  const auto count = FindJsonMember(config.value_or(""), "known_trip_count");
  const std::vector<std::int64_t> integers = IntegersOf(count.value_or(""));
  return integers.size() == 1 && integers[0] >= 0 ? WithinScalarLimit(integers[0]) : std::nullopt;
}

// The constant that one iteration adds to carried element `element`. Nothing unless the body is
// known to return this element plus a constant.
MaybeInt64 StepOf(const HloModule& module, const HloInstruction& loop, std::size_t element) {
  const HloComputation& body = module.computations[loop.called[1]];
  const MaybeTerm next = TermSearch(module, true).TermOf({body}, body.root, element);
  return next.has_value() && next->element == element ? MaybeInt64(next->offset) : std::nullopt;
}

}  // namespace

MaybeInt64 HloLoop::TripCount(const InitialValueOf& initial_value_of) const {
  if (loop_.called.size() != 2) {
    return std::nullopt;
  }
  if (const MaybeInt64 known = KnownTripCount(loop_)) {
    return known;
  }
  const HloComputation& condition = module_.computations[loop_.called[0]];
  const auto comparison = TermSearch(module_, true).ComparisonOf({condition}, condition.root);
  if (!comparison.has_value()) {
    return std::nullopt;
  }
  std::int64_t start[2] = {};
  std::int64_t step[2] = {};
  for (const bool is_right : {false, true}) {
    const Term& term = is_right ? comparison->right : comparison->left;
    const MaybeInt64 first = term.element.has_value() ? initial_value_of(*term.element) : 0;
    const MaybeInt64 change = term.element.has_value() ? StepOf(module_, loop_, *term.element) : 0;
    if (!first.has_value() || !change.has_value()) {
      return std::nullopt;
    }
    start[is_right ? 1 : 0] = *first + term.offset;  // each within kScalarLimit
    step[is_right ? 1 : 0] = *change;
  }
  if (step[1] == 0) {
    return CountIterations(comparison->direction, start[0], step[0], start[1]);
  }
  return step[0] == 0
             ? CountIterations(Mirrored(comparison->direction), start[1], step[1], start[0])
             : std::nullopt;
}

bool HloLoop::IsLoopInvariant(std::size_t element) const {
  return loop_.called.size() == 2 && StepOf(module_, loop_, element) == 0;
}

MaybeInt64 TripCountInComputation(const HloModule& module,
                                  const HloComputation& computation,
                                  const HloInstruction& loop) {
  const auto initial_value_of = [&](std::size_t element) -> MaybeInt64 {
    if (loop.operands.size() != 1) {
      return std::nullopt;
    }
    const MaybeTerm term =
        TermSearch(module, false).TermOf({computation}, loop.operands[0], element);
    return term.has_value() ? MaybeInt64(term->offset) : std::nullopt;
  };
  return HloLoop(module, loop).TripCount(initial_value_of);
}

}  // namespace opyard::graphs
