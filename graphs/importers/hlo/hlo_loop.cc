#include "graphs/importers/hlo/hlo_loop.h"

#include <utility>
#include <vector>

#include "graphs/importers/hlo/hlo_scalar.h"

namespace opyard::graphs {
namespace {

using Number = std::optional<std::int64_t>;

constexpr std::size_t kMostSteps = 4096;  // of one search
constexpr std::size_t kDeepest = 256;

// A number, or an element of a loop's state plus one; nothing where it is neither.
struct Term {
  std::int64_t offset = 0;
  std::optional<std::size_t> element;
};
using MaybeTerm = std::optional<Term>;

// A computation and the instruction that called it, null for the first.
struct Frame {
  const HloComputation& computation;
  const HloInstruction* caller = nullptr;
  const Frame* parent = nullptr;
};

// Follows values back to numbers and to the parameter of the first frame, through calls and tuples.
class TermSearch {
 public:
  TermSearch(const HloModule& module, bool has_state) : module_(module), has_state_(has_state) {}

  MaybeTerm TermOf(const Frame& frame, std::size_t index, std::size_t tensor) {
    const HloInstruction& instruction = frame.computation.instructions[index];
    if (++steps_ > kMostSteps || depth_ == kDeepest || tensor >= instruction.type.tensors.size()) {
      return std::nullopt;
    }
    ++depth_;
    const MaybeTerm term = Find(frame, instruction, tensor);
    --depth_;
    return term;
  }

  // The comparison that `index` is or calls. Its operands are terms of the first frame.
  struct Comparison {
    std::string_view direction;
    Term left;
    Term right;
  };
  std::optional<Comparison> ComparisonOf(const Frame& frame, std::size_t index) {
    const HloInstruction& instruction = frame.computation.instructions[index];
    if (++steps_ > kMostSteps) {
      return std::nullopt;
    }
    if (Calls(instruction)) {
      const Frame inner{module_.computations[instruction.called[0]], &instruction, &frame};
      return ComparisonOf(inner, inner.computation.root);
    }
    if (HandsOn(instruction.opcode) && instruction.operands.size() == 1) {
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
  static bool Calls(const HloInstruction& instruction) {
    return (instruction.opcode == "call" || instruction.opcode == "fusion") &&
           instruction.called.size() == 1;
  }

  MaybeTerm Find(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
    const std::string_view opcode = instruction.opcode;
    if (opcode == "parameter") {
      return OfParameter(frame, instruction, tensor);
    }
    if (opcode == "tuple") {
      return OfTuple(frame, instruction, tensor);
    }
    if (opcode == "get-tuple-element") {
      return OfSelection(frame, instruction, tensor);
    }
    if (Calls(instruction)) {
      const Frame inner{module_.computations[instruction.called[0]], &instruction, &frame};
      return TermOf(inner, inner.computation.root, tensor);
    }
    if ((HandsOn(opcode) || opcode == "opt-barrier") && instruction.operands.size() == 1) {
      return TermOf(frame, instruction.operands[0], tensor);
    }
    return OfArithmetic(frame, instruction);
  }

  MaybeTerm OfParameter(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
    if (frame.caller == nullptr) {
      return has_state_ ? MaybeTerm(Term{.element = tensor}) : std::nullopt;
    }
    const std::size_t number = ParameterNumber(instruction).value_or(0);
    return number < frame.caller->operands.size()
               ? TermOf(*frame.parent, frame.caller->operands[number], tensor)
               : std::nullopt;
  }

  MaybeTerm OfTuple(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
    for (const std::size_t operand : instruction.operands) {
      const std::size_t count = frame.computation.instructions[operand].type.tensors.size();
      if (tensor < count) {
        return TermOf(frame, operand, tensor);
      }
      tensor -= count;
    }
    return std::nullopt;
  }

  MaybeTerm OfSelection(const Frame& frame, const HloInstruction& instruction, std::size_t tensor) {
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

  MaybeTerm OfArithmetic(const Frame& frame, const HloInstruction& instruction) {
    if (!IsWholeScalar(instruction) || instruction.operands.size() > 3) {
      return std::nullopt;
    }
    std::vector<MaybeTerm> terms;
    std::vector<Number> numbers;
    for (const std::size_t operand : instruction.operands) {
      terms.push_back(TermOf(frame, operand, 0));
      const bool is_number = terms.back().has_value() && !terms.back()->element.has_value();
      numbers.push_back(is_number ? Number(terms.back()->offset) : std::nullopt);
    }
    if (const Number number = FoldScalar(instruction, numbers)) {
      return Term{.offset = *number};
    }
    if (terms.size() != 2 || !terms[0].has_value() || !terms[1].has_value()) {
      return std::nullopt;
    }
    return Sum(instruction.opcode, *terms[0], *terms[1]);
  }

  // An element plus or minus a number.
  static MaybeTerm Sum(std::string_view opcode, Term a, Term b) {
    if (opcode == "add" && b.element.has_value()) {
      std::swap(a, b);
    }
    if (b.element.has_value() || (opcode != "add" && opcode != "subtract")) {
      return std::nullopt;
    }
    const Number offset = SmallNumber(a.offset + (opcode == "add" ? b.offset : -b.offset));
    return offset.has_value() ? MaybeTerm(Term{*offset, a.element}) : std::nullopt;
  }

  const HloModule& module_;
  bool has_state_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;
};

// The number of times that `value`, `step` more each time, compares true with `bound`.
Number CountSteps(std::string_view direction,
                  std::int64_t value,
                  std::int64_t step,
                  std::int64_t bound) {
  if (direction == "GT" || direction == "GE") {
    return CountSteps(direction == "GT" ? "LT" : "LE", -value, -step, -bound);
  }
  if (direction == "LE") {
    return CountSteps("LT", value, step, bound + 1);
  }
  const std::int64_t distance = bound - value;
  if (direction == "NE" && step != 0 && distance % step == 0 && distance / step >= 0) {
    return SmallNumber(distance / step);
  }
  if (direction != "LT") {
    return std::nullopt;
  }
  if (distance <= 0) {
    return 0;
  }
  return step > 0 ? SmallNumber((distance + step - 1) / step) : std::nullopt;
}

std::string_view Mirrored(std::string_view direction) {
  return direction == "LT"   ? "GT"
         : direction == "LE" ? "GE"
         : direction == "GT" ? "LT"
         : direction == "GE" ? "LE"
                             : direction;
}

Number KnownTripCount(const HloInstruction& loop) {
  const auto config = FindAttribute(loop.attributes, "backend_config");
  const auto count = FindJsonMember(config.value_or(""), "known_trip_count");
  const std::vector<std::int64_t> integers = IntegersOf(count.value_or(""));
  return integers.size() == 1 && integers[0] >= 0 ? SmallNumber(integers[0]) : std::nullopt;
}

// The increment of element `element` by one run of the body; nothing if that is no number.
Number StepOf(const HloModule& module, const HloInstruction& loop, std::size_t element) {
  const HloComputation& body = module.computations[loop.called[1]];
  const MaybeTerm next = TermSearch(module, true).TermOf({body}, body.root, element);
  return next.has_value() && next->element == element ? Number(next->offset) : std::nullopt;
}

}  // namespace

Number HloLoop::TripCount(const InitialNumber& initial) const {
  if (loop_.called.size() != 2) {
    return std::nullopt;
  }
  if (const Number known = KnownTripCount(loop_)) {
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
    const Number first = term.element.has_value() ? initial(*term.element) : 0;
    const Number change = term.element.has_value() ? StepOf(module_, loop_, *term.element) : 0;
    if (!first.has_value() || !change.has_value()) {
      return std::nullopt;
    }
    start[is_right ? 1 : 0] = *first + term.offset;  // both below 2^60
    step[is_right ? 1 : 0] = *change;
  }
  if (step[1] == 0) {
    return CountSteps(comparison->direction, start[0], step[0], start[1]);
  }
  return step[0] == 0 ? CountSteps(Mirrored(comparison->direction), start[1], step[1], start[0])
                      : std::nullopt;
}

bool HloLoop::Keeps(std::size_t tensor) const {
  return loop_.called.size() == 2 && StepOf(module_, loop_, tensor) == 0;
}

Number TripCountWithin(const HloModule& module,
                       const HloComputation& computation,
                       const HloInstruction& loop) {
  const auto initial = [&](std::size_t tensor) -> Number {
    if (loop.operands.size() != 1) {
      return std::nullopt;
    }
    const MaybeTerm term =
        TermSearch(module, false).TermOf({computation}, loop.operands[0], tensor);
    return term.has_value() ? Number(term->offset) : std::nullopt;
  };
  return HloLoop(module, loop).TripCount(initial);
}

}  // namespace opyard::graphs
