// The members of HloExpansion that open calls, loops and conditionals.
#include <algorithm>

#include "graphs/importers/hlo/hlo_expansion.h"
#include "graphs/importers/hlo/hlo_loop.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostKeptChecks = 4096;  // tensors of a loop's state

// The values of an instruction of which `made` stands for what it makes.
HloValues Around(const HloInstruction& instruction, const TensorRange& made, HloValues inner) {
  HloValues values(instruction.type.tensors.size());
  for (std::size_t t = 0; t < made.count; ++t) {
    values[made.first + t] = inner[t];
  }
  return values;
}

}  // namespace

bool HloExpansion::Fits(const Frame& frame, std::size_t computation, std::int64_t times) const {
  const std::size_t most = std::min(frame.scope.budget, left_);
  return costs_.SizeOf(computation) <=
         most / static_cast<std::size_t>(std::max<std::int64_t>(times, 1));
}

HloScope HloExpansion::Inner(const Frame& frame, std::size_t i, const std::string& more) const {
  const HloInstruction& instruction = frame.computation.instructions[i];
  HloScope scope = frame.scope;
  scope.prefix = NameOf(frame, i) + "/" + more;
  const sim::Phase phase = PhaseOf(instruction);
  scope.phase = phase == sim::Phase::kUnknown ? scope.phase : phase;
  return scope;
}

void HloExpansion::NameLast(const Frame& frame,
                            std::size_t i,
                            const HloValues& values,
                            std::size_t first_op) {
  const auto last = std::ranges::max_element(values, {}, &HloValue::op);
  if (last != values.end() && last->op >= static_cast<std::int64_t>(first_op)) {
    ops_[static_cast<std::size_t>(last->op)].name = NameOf(frame, i);
  }
}

void HloExpansion::OpenCall(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  summary_.folded.Add("call, opened", instruction.name);
  const std::size_t called = instruction.called[0];
  const std::size_t first_op = ops_.size();
  left_ -= std::min(left_, costs_.SizeOf(called));
  HloValues inner = Lower(module_.computations[called], OperandsOf(frame, i), Inner(frame, i, ""));
  const TensorRange made = HloCall{frame.computation, instruction}.made();
  NeedTensors(instruction, inner.size(), made.count);
  NameLast(frame, i, inner, first_op);
  frame.values[i] = Around(instruction, made, std::move(inner));
}

void HloExpansion::OpenConditional(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::vector<const HloValues*> operands = OperandsOf(frame, i);
  if (operands.size() != instruction.called.size() + 1 || operands[0]->size() != 1) {
    Refuse(instruction,
           std::to_string(operands.size()) + " operands",
           "a predicate and one for each of its " + std::to_string(instruction.called.size()) +
               " branches");
  }
  const HloValue& predicate = (*operands[0])[0];
  const auto last = static_cast<std::int64_t>(instruction.called.size()) - 1;
  std::size_t branch = costs_.DearestBranch(instruction);
  if (predicate.number.has_value()) {  // true is branch 0, of which the number is 1
    const bool has_two = FindAttribute(instruction.attributes, "true_computation").has_value();
    const std::int64_t number = *predicate.number;
    branch = static_cast<std::size_t>(has_two                       ? (number != 0 ? 0 : 1)
                                      : number < 0 || number > last ? last
                                                                    : number);
    branch = std::min(branch, static_cast<std::size_t>(last));
    summary_.folded.Add("conditional of a constant, opened", instruction.name);
  } else {
    summary_.unknown.Add("branch that a conditional takes: the dearest is opened",
                         instruction.name);
  }
  HloScope scope = Inner(frame, i, "");
  if (!predicate.is_folded()) {
    scope.waits_for.push_back(predicate.op);
    scope.first_op = ops_.size();
  }
  const std::size_t first_op = ops_.size();
  left_ -= std::min(left_, costs_.SizeOf(instruction.called[branch]));
  frame.values[i] =
      Lower(module_.computations[instruction.called[branch]], {operands[branch + 1]}, scope);
  NeedTensors(instruction, frame.values[i].size(), instruction.type.tensors.size());
  NameLast(frame, i, frame.values[i], first_op);
}

void HloExpansion::OpenLoop(Frame& frame, std::size_t i) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::vector<const HloValues*> operands = OperandsOf(frame, i);
  if (operands.size() != 1) {
    Refuse(instruction, std::to_string(operands.size()) + " operands", "one, its state");
  }
  const HloValues& state = *operands[0];
  NeedTensors(instruction, state.size(), instruction.type.tensors.size());
  const std::optional<std::int64_t> trips =
      HloLoop(module_, instruction).TripCount([&](std::size_t element) {
        return element < state.size() ? state[element].number : std::nullopt;
      });
  const std::size_t first_op = ops_.size();
  if (trips.has_value() && *trips <= most_trips_ && Fits(frame, instruction.called[1], *trips)) {
    summary_.folded.Add("loop, unrolled", instruction.name);
    frame.values[i] = Unroll(frame, i, *trips);
  } else {
    frame.values[i] = RunBodyOnce(frame, i, trips);
  }
  NameLast(frame, i, frame.values[i], first_op);
}

HloValues HloExpansion::Unroll(const Frame& frame, std::size_t i, std::int64_t trips) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  const std::size_t body = instruction.called[1];
  HloValues state = *OperandsOf(frame, i)[0];
  for (std::int64_t trip = 0; trip < trips; ++trip) {
    HloScope scope = Inner(frame, i, std::to_string(trip) + "/");
    scope.budget /= static_cast<std::size_t>(trips);
    left_ -= std::min(left_, costs_.SizeOf(body));
    state = Lower(module_.computations[body], {&state}, scope);
    NeedTensors(instruction, state.size(), instruction.type.tensors.size());
  }
  return state;
}

HloValues HloExpansion::RunBodyOnce(const Frame& frame,
                                    std::size_t i,
                                    std::optional<std::int64_t> trips) {
  const HloInstruction& instruction = frame.computation.instructions[i];
  HloValues state = *OperandsOf(frame, i)[0];
  const HloLoop loop(module_, instruction);
  for (std::size_t t = 0; t < state.size(); ++t) {
    if (state[t].number.has_value() && (t >= kMostKeptChecks || !loop.IsLoopInvariant(t))) {
      state[t].number.reset();  // another one in each run
    }
  }
  HloScope scope = Inner(frame, i, "");
  if (trips.has_value()) {
    summary_.unknown.Add(
        "loop beyond the limit of unrolling: its body stands once, with the work "
        "of all its runs",
        std::string(instruction.name) + " x " + std::to_string(*trips));
    scope.times *= static_cast<double>(*trips);
  } else {
    summary_.unknown.Add("how often a loop runs: its body stands once", instruction.name);
    const std::size_t condition = instruction.called[0];
    HloScope test = scope;
    test.prefix += "condition/";
    const HloValues decided = Lower(module_.computations[condition], {&state}, test);
    if (decided.size() == 1 && !decided[0].is_folded()) {
      scope.waits_for.push_back(decided[0].op);
      scope.first_op = ops_.size();
    }
  }
  left_ -= std::min(left_, costs_.SizeOf(instruction.called[1]));
  HloValues after = Lower(module_.computations[instruction.called[1]], {&state}, scope);
  NeedTensors(instruction, after.size(), instruction.type.tensors.size());
  return after;
}

}  // namespace opyard::graphs
