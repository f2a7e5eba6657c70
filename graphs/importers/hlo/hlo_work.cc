#include "graphs/importers/hlo/hlo_work.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graphs/importers/hlo/hlo_call_order.h"
#include "graphs/importers/hlo/hlo_custom_calls.h"
#include "graphs/importers/hlo/hlo_loop.h"
#include "graphs/importers/hlo/hlo_products.h"

namespace opyard::graphs {
namespace {

// Elementwise instructions that only compare, choose or convert.
constexpr auto kWithoutArithmetic = std::to_array<std::string_view>({
    "and",
    "compare",
    "complex",
    "convert",
    "copy",
    "imag",
    "is-finite",
    "not",
    "or",
    "real",
    "reduce-precision",
    "select",
    "stochastic-convert",
    "xor",
});
// Instructions that move data, name it or make whole numbers, beside the classes reshape and
// broadcast.
constexpr auto kMovement = std::to_array<std::string_view>({
    "add-dependency",
    "after-all",
    "all-gather",
    "all-to-all",
    "async-done",
    "async-update",
    "bitcast-convert",
    "collective-broadcast",
    "collective-permute",
    "constant",
    "domain",
    "dynamic-reshape",
    "gather",
    "get-dimension-size",
    "get-tuple-element",
    "infeed",
    "opt-barrier",
    "outfeed",
    "parameter",
    "partition-id",
    "ragged-all-to-all",
    "recv",
    "replica-id",
    "rng",
    "rng-bit-generator",
    "rng-get-and-update-state",
    "send",
    "set-dimension-size",
    "tuple",
});
// Elementwise instructions that stand in no list of types of the simulator.
constexpr auto kMoreElementwise = std::to_array<std::string_view>({
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan2",
    "atanh",
    "complex",
    "cosh",
    "count-leading-zeros",
    "imag",
    "popcnt",
    "real",
    "reduce-precision",
    "round-nearest-afz",
    "round-nearest-even",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "sinh",
    "stochastic-convert",
});
static_assert(std::ranges::is_sorted(kWithoutArithmetic));
static_assert(std::ranges::is_sorted(kMovement));
static_assert(std::ranges::is_sorted(kMoreElementwise));

constexpr std::size_t kLargestSize = std::size_t{1} << 40U;

template <class Names>
bool Holds(const Names& names, std::string_view opcode) {
  return std::ranges::binary_search(names, opcode);
}

double FlopsPerElement(std::string_view opcode, sim::DType dtype) {
  if (Holds(kWithoutArithmetic, opcode)) {
    return 0.0;
  }
  const double parts = IsComplex(dtype) ? 2.0 : 1.0;
  if (parts > 1.0 && (opcode == "multiply" || opcode == "divide")) {
    return 6.0;
  }
  return parts * (opcode == "tanh" ? 5.0 : opcode == "logistic" ? 4.0 : 1.0);
}

// FLOPs of an instruction whose elements `tensor` counts.
HloWork PerElement(const TensorType* tensor, double flops) {
  if (tensor == nullptr) {
    return {.num_unknown = kOneUnknown};
  }
  const bool counts = IsFloating(tensor->dtype) || IsComplex(tensor->dtype);
  return {.work = {.flops = Flops{counts ? flops * Elements(tensor->shape) : 0.0}}};
}

HloWork ReduceWindow(const HloCall& call) {
  const std::vector<std::int64_t> extents =
      IntegersOf(FindAttribute(call.Attribute("window"), "size").value_or(""));
  const double area = Elements(extents);
  return area < 1.0 ? HloWork{.num_unknown = kOneUnknown} : PerElement(call.Result(), area);
}

// n log n comparisons along the axis that is sorted.
HloWork Sort(const HloCall& call) {
  const std::vector<std::int64_t> axis = IntegersOf(call.Attribute("dimensions"));
  const TensorType* keys = call.Operand(0);
  if (keys == nullptr || axis.size() != 1 || axis[0] < 0 ||
      static_cast<std::size_t>(axis[0]) >= keys->shape.size()) {
    return {.num_unknown = kOneUnknown};
  }
  const auto length = static_cast<double>(keys->shape[static_cast<std::size_t>(axis[0])]);
  return PerElement(keys, std::ceil(std::log2(std::max(length, 1.0))));
}

// 5 n log2 n for each transform of n complex numbers, half of it where one side is real.
HloWork Fft(const HloCall& call) {
  const std::vector<std::int64_t> lengths = IntegersOf(call.Attribute("fft_length"));
  const bool is_real = call.Attribute("fft_type").find("RFFT") != std::string_view::npos;
  const TensorType* points =
      call.Attribute("fft_type") == "IRFFT" ? call.Result() : call.Operand(0);
  const double n = Elements(lengths);
  if (points == nullptr || lengths.empty() || n < 1.0) {
    return {.num_unknown = kOneUnknown};
  }
  const double flops = (is_real ? 2.5 : 5.0) * Elements(points->shape) * std::log2(n);
  return {.work = {.flops = Flops{flops}}};
}

// As in a custom call of the same sort (hlo_custom_calls.cc).
HloWork Solver(const HloCall& call) {
  const TensorType* matrix = call.Operand(0);
  const TensorType* right = call.Operand(1);
  if (matrix == nullptr || matrix->shape.empty()) {
    return {.num_unknown = kOneUnknown};
  }
  const auto n = static_cast<double>(matrix->shape.back());
  if (call.opcode() == "cholesky") {
    return {.work = {.flops = Flops{Elements(matrix->shape) * n / 3.0}}};
  }
  return right == nullptr ? HloWork{.num_unknown = kOneUnknown}
                          : HloWork{.work = {.flops = Flops{Elements(right->shape) * n}}};
}

// One operation for each element of what a collective combines.
HloWork OfAllOperands(const HloCall& call) {
  HloWork sum;
  for (std::size_t operand = 0; operand < call.instruction.operands.size(); ++operand) {
    const HloWork work = PerElement(call.Operand(operand), 1.0);
    sum.work.flops.count += work.work.flops.count;
    sum.num_unknown += work.num_unknown;
  }
  return sum;
}

HloWork CustomCallWork(const HloCall& call) {
  return IsAnnotation(call.target()) ? HloWork{} : ReadCustomCall(call).work;
}

// Rules whose FLOPs are so many for each element of a tensor.
std::optional<HloWork> CountedByElement(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  if (opcode == "reduce" || opcode == "select-and-scatter" || opcode == "topk") {
    return PerElement(call.Operand(0), 1.0);
  }
  if (opcode == "all-reduce" || opcode == "reduce-scatter") {
    return OfAllOperands(call);
  }
  if (opcode == "scatter") {
    return PerElement(call.Operand(2), 1.0);
  }
  // The zoo's batch norms: mean, variance and the normalisation; its gradient; the last alone.
  if (opcode.starts_with("batch-norm-")) {
    return PerElement(call.Operand(0),
                      opcode.ends_with("training")    ? 8.0
                      : opcode.ends_with("inference") ? 2.0
                                                      : 11.0);
  }
  return std::nullopt;
}

// Instructions with a rule of their own.
struct WorkRule {
  std::string_view opcode;
  HloWork (*work)(const HloCall& call);
};
constexpr auto kRules = std::to_array<WorkRule>({
    {"cholesky", Solver},
    {"custom-call", CustomCallWork},
    {"fft", Fft},
    {"reduce-window", ReduceWindow},
    {"sort", Sort},
    {"triangular-solve", Solver},
});

HloWork WorkOfClass(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  const TensorType* result = call.Result();
  switch (FusionClassOfOpcode(opcode)) {
    case sim::FusionClass::kElementwise:
      return result == nullptr ? HloWork{}
                               : PerElement(result, FlopsPerElement(opcode, result->dtype));
    case sim::FusionClass::kBroadcast:
    case sim::FusionClass::kReshape:
      return {};
    default:
      return {.num_unknown = kOneUnknown};
  }
}

HloWork WorkOf(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  if (Holds(kMovement, opcode) || call.instruction.type.tensors.empty()) {
    return {};
  }
  if (const auto product = ProductWork(call)) {
    return *product;
  }
  if (const auto counted = CountedByElement(call)) {
    return *counted;
  }
  const auto* rule = std::ranges::find(kRules, opcode, &WorkRule::opcode);
  return rule != kRules.end() ? rule->work(call) : WorkOfClass(call);
}

HloWork Times(const HloWork& work, double times) {
  return {.work = {.flops = Flops{work.work.flops.count * times}}, .num_unknown = work.num_unknown};
}

}  // namespace

sim::FusionClass FusionClassOfOpcode(std::string_view opcode) {
  return Holds(kMoreElementwise, opcode) ? sim::FusionClass::kElementwise
                                         : sim::FusionClassOfType(opcode);
}

HloCosts::HloCosts(const HloModule& module, const std::string& place)
    : module_(module), costs_(module.computations.size()), sizes_(module.computations.size()) {
  for (const std::size_t index : CalleesFirst(module, place)) {
    const HloComputation& computation = module.computations[index];
    HloWork& sum = costs_[index];
    for (const HloInstruction& instruction : computation.instructions) {
      const HloWork work = Of(computation, instruction);
      sum.work.flops.count += work.work.flops.count;
      sum.num_unknown += work.num_unknown;
    }
    sum.work.work = ProductInside(index);
    sizes_[index] = SizeWithin(computation);
  }
}

HloWork HloCosts::Of(const HloComputation& computation, const HloInstruction& instruction) const {
  return instruction.called.empty() ? WorkOf({computation, instruction})
                                    : OfCalled(computation, instruction);
}

HloWork HloCosts::OfCalled(const HloComputation& computation,
                           const HloInstruction& instruction) const {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "while") {
    const double trips =
        static_cast<double>(TripCountInComputation(module_, computation, instruction).value_or(1));
    return instruction.called.size() == 2 ? Times(costs_[instruction.called[1]], trips)
                                          : HloWork{.num_unknown = kOneUnknown};
  }
  if (opcode == "conditional") {
    return costs_[instruction.called[DearestBranch(instruction)]];
  }
  const HloWork& called = costs_[instruction.called[0]];
  if (opcode == "map") {
    const TensorType* result = HloCall{computation, instruction}.Result();
    return Times(called, result == nullptr ? 0.0 : Elements(result->shape));
  }
  return called;
}

std::size_t HloCosts::DearestBranch(const HloInstruction& instruction) const {
  std::size_t best = 0;
  const auto key = [&](std::size_t branch) {
    const std::size_t computation = instruction.called[branch];
    return std::pair(costs_[computation].work.flops.count, sizes_[computation]);
  };
  for (std::size_t branch = 1; branch < instruction.called.size(); ++branch) {
    best = key(branch) > key(best) ? branch : best;
  }
  return best;
}

std::optional<sim::WorkShape> HloCosts::ProductInside(std::size_t index) const {
  std::optional<sim::WorkShape> found;
  for (const HloInstruction& instruction : module_.computations[index].instructions) {
    const HloComputation& computation = module_.computations[index];
    const bool may_hold = instruction.opcode == "dot" || instruction.opcode == "convolution" ||
                          instruction.opcode == "custom-call" || !instruction.called.empty();
    const auto work = may_hold ? Of(computation, instruction).work.work : std::nullopt;
    if (work.has_value() && found.has_value()) {
      return std::nullopt;
    }
    found = work.has_value() ? work : found;
  }
  return found;
}

std::size_t HloCosts::SizeWithin(const HloComputation& computation) const {
  std::size_t size = 0;
  for (const HloInstruction& instruction : computation.instructions) {
    std::size_t inside = 0;
    if (instruction.opcode == "conditional") {
      for (const std::size_t branch : instruction.called) {
        inside = std::max(inside, sizes_[branch]);
      }
    } else if (instruction.opcode != "fusion" && instruction.opcode != "map") {
      for (const std::size_t called : instruction.called) {
        inside += sizes_[called];
      }
    }
    size = std::min(kLargestSize, size + 1 + instruction.type.tensors.size() + inside);
  }
  return size;
}

}  // namespace opyard::graphs
