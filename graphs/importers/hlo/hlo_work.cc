#include "graphs/importers/hlo/hlo_work.h"

#include <algorithm>
#include <array>

#include "sim/graph/op.h"

namespace opyard::graphs {
namespace {

bool IsFloating(sim::DType dtype) {
  return dtype <= sim::DType::kF8;
}

// Elementwise instructions that only compare, choose or convert.
constexpr auto kWithoutArithmetic = std::to_array<std::string_view>({
    "and",
    "compare",
    "convert",
    "copy",
    "is-finite",
    "not",
    "or",
    "select",
    "xor",
});
// Instructions that move data or name it, beside those of the classes reshape and broadcast.
constexpr auto kMovement = std::to_array<std::string_view>({
    "after-all",
    "bitcast-convert",
    "constant",
    "gather",
    "get-tuple-element",
    "parameter",
    "tuple",
});
static_assert(std::ranges::is_sorted(kWithoutArithmetic));
static_assert(std::ranges::is_sorted(kMovement));

double FlopsPerElement(std::string_view opcode) {
  if (std::ranges::binary_search(kWithoutArithmetic, opcode)) {
    return 0.0;
  }
  return opcode == "tanh" ? 5.0 : opcode == "logistic" ? 4.0 : 1.0;
}

// One instruction with the shapes of what it reads.
struct Call {
  const HloInstruction& instruction;
  const HloComputation& computation;

  // Null if there is no such operand, or if it makes no tensor or several.
  [[nodiscard]] const TensorType* Operand(std::size_t index) const {
    if (index >= instruction.operands.size()) {
      return nullptr;
    }
    const HloInstruction& source = computation.instructions[instruction.operands[index]];
    return source.outputs.size() == 1 ? source.outputs.data() : nullptr;
  }
  [[nodiscard]] const Shape& result() const { return instruction.outputs[0].shape; }
};

constexpr std::size_t kUnknown = 1;

// The product of the extents of `shape` that the attribute `key` lists; nothing if one is not
// there.
std::optional<double> ExtentsOf(const Call& call, const char* key, const Shape& shape) {
  double product = 1.0;
  const auto listed = FindAttribute(call.instruction.attributes, key);
  for (const std::int64_t axis : IntegersOf(listed.value_or(""))) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size()) {
      return std::nullopt;
    }
    product *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  }
  return product;
}

HloWork Dot(const Call& call) {
  const TensorType* left = call.Operand(0);
  if (left == nullptr) {
    return {.num_unknown = kUnknown};
  }
  const auto k = ExtentsOf(call, "lhs_contracting_dims", left->shape);
  const auto batch = ExtentsOf(call, "lhs_batch_dims", left->shape);
  const double result = Elements(call.result());
  if (!k.has_value() || !batch.has_value() || *k * *batch == 0.0 || result == 0.0) {
    return {.num_unknown = k.has_value() && batch.has_value() ? 0 : kUnknown};
  }
  const double m = Elements(left->shape) / (*k * *batch);
  return {.work = GemmWork(m, result / (m * *batch), *k, *batch)};
}

// The axes of one tensor of a convolution by their letters: "b01f".
struct Layout {
  std::string_view labels;

  [[nodiscard]] bool Fits(const Shape& shape) const { return labels.size() == shape.size(); }
  [[nodiscard]] std::int64_t Extent(const Shape& shape, char label) const {
    const std::size_t at = labels.find(label);
    return at < shape.size() ? shape[at] : 0;
  }
  // [first, second, spatial extents in order].
  [[nodiscard]] Shape Arranged(const Shape& shape, char first, char second) const {
    Shape arranged = {Extent(shape, first), Extent(shape, second)};
    for (char axis = '0'; axis < '3' && labels.find(axis) != std::string_view::npos; ++axis) {
      arranged.push_back(Extent(shape, axis));
    }
    return arranged;
  }
};

struct ConvLayouts {
  Layout image;
  Layout filter;
  Layout result;
};

// "b01f_01io->b01f".
std::optional<ConvLayouts> ReadLayouts(const Call& call) {
  const std::string_view text =
      FindAttribute(call.instruction.attributes, "dim_labels").value_or("");
  const std::size_t low = text.find('_');
  const std::size_t arrow = text.find("->");
  if (low == std::string_view::npos || arrow == std::string_view::npos || arrow < low) {
    return std::nullopt;
  }
  return ConvLayouts{
      {text.substr(0, low)}, {text.substr(low + 1, arrow - low - 1)}, {text.substr(arrow + 2)}};
}

// The last two steps of "stride=2x2" of the window, 1 where it is not given.
std::pair<std::int64_t, std::int64_t> WindowSteps(std::string_view window, const char* key) {
  const std::vector<std::int64_t> steps = IntegersOf(FindAttribute(window, key).value_or(""));
  if (steps.empty()) {
    return {1, 1};
  }
  return {steps.size() > 1 ? steps[steps.size() - 2] : 1, steps.back()};
}

// A gradient is written as a convolution: that of the data moves the filter over a dilated
// gradient, that of the filter moves the gradient over the image.
HloWork Convolution(const Call& call) {
  const std::optional<ConvLayouts> layouts = ReadLayouts(call);
  const TensorType* left = call.Operand(0);
  const TensorType* right = call.Operand(1);
  if (!layouts.has_value() || left == nullptr || right == nullptr ||
      !layouts->image.Fits(left->shape) || !layouts->filter.Fits(right->shape) ||
      !layouts->result.Fits(call.result())) {
    return {.num_unknown = kUnknown};
  }
  const std::string_view window = FindAttribute(call.instruction.attributes, "window").value_or("");
  const auto stride = WindowSteps(window, "stride");
  const auto dilated_image = WindowSteps(window, "lhs_dilate");
  const auto dilated_filter = WindowSteps(window, "rhs_dilate");
  constexpr std::pair<std::int64_t, std::int64_t> kOnes = {1, 1};
  const auto& [image, filter, result] = *layouts;
  const bool moves_gradient = image.labels.starts_with('f');  // the batch is summed over
  ConvShapes shapes;
  sim::ConvPass pass = sim::ConvPass::kForward;
  auto steps = stride;
  if (moves_gradient) {
    pass = sim::ConvPass::kBackwardWeight;
    shapes = {.image = image.Arranged(left->shape, 'f', 'b'),
              .filter = result.Arranged(call.result(), 'f', 'b'),
              .result = filter.Arranged(right->shape, 'i', 'o')};
    steps = dilated_filter;
  } else if (dilated_image != kOnes) {
    pass = sim::ConvPass::kBackwardData;
    shapes = {.image = result.Arranged(call.result(), 'b', 'f'),
              .filter = filter.Arranged(right->shape, 'i', 'o'),
              .result = image.Arranged(left->shape, 'b', 'f')};
    steps = dilated_image;
  } else {
    shapes = {.image = image.Arranged(left->shape, 'b', 'f'),
              .filter = filter.Arranged(right->shape, 'o', 'i'),
              .result = result.Arranged(call.result(), 'b', 'f')};
  }
  shapes.stride_h = steps.first;
  shapes.stride_w = steps.second;
  const std::optional<OpWork> work = ConvWorkFromShapes(pass, shapes);
  return work.has_value() ? HloWork{.work = *work} : HloWork{.num_unknown = kUnknown};
}

// FLOPs of an instruction whose elements `tensor` counts.
HloWork PerElement(const TensorType* tensor, double flops) {
  if (tensor == nullptr) {
    return {.num_unknown = kUnknown};
  }
  return {
      .work = {.flops = Flops{IsFloating(tensor->dtype) ? flops * Elements(tensor->shape) : 0.0}}};
}

HloWork WorkOf(const Call& call) {
  const std::string_view opcode = call.instruction.opcode;
  if (std::ranges::binary_search(kMovement, opcode) || call.instruction.outputs.empty()) {
    return {};
  }
  if (opcode == "dot") {
    return Dot(call);
  }
  if (opcode == "convolution") {
    return Convolution(call);
  }
  if (opcode == "reduce" || opcode == "select-and-scatter") {
    return PerElement(call.Operand(0), 1.0);
  }
  if (opcode == "scatter") {
    return PerElement(call.Operand(2), 1.0);
  }
  if (opcode == "reduce-window") {
    const std::string_view window =
        FindAttribute(call.instruction.attributes, "window").value_or("");
    const std::vector<std::int64_t> extents =
        IntegersOf(FindAttribute(window, "size").value_or(""));
    const double area = Elements(extents);
    return area < 1.0 ? HloWork{.num_unknown = kUnknown}
                      : PerElement(call.instruction.outputs.data(), area);
  }
  switch (sim::FusionClassOfType(opcode)) {
    case sim::FusionClass::kElementwise:
      return PerElement(call.instruction.outputs.data(), FlopsPerElement(opcode));
    case sim::FusionClass::kBroadcast:
    case sim::FusionClass::kReshape:
      return {};
    default:
      return {.num_unknown = kUnknown};
  }
}

}  // namespace

HloCosts::HloCosts(const HloModule& module) : module_(module) {
  for (const HloComputation& computation : module.computations) {
    HloWork sum;
    for (const HloInstruction& instruction : computation.instructions) {
      const HloWork work = Of(computation, instruction);
      sum.work.flops = sum.work.flops + work.work.flops;
      sum.num_unknown += work.num_unknown;
    }
    of_computation_.push_back(sum);
  }
}

HloWork HloCosts::Of(const HloComputation& computation, const HloInstruction& instruction) const {
  if (instruction.opcode == "fusion" || instruction.opcode == "call") {
    return OfCalled(instruction);
  }
  return WorkOf({instruction, computation});
}

HloWork HloCosts::OfCalled(const HloInstruction& instruction) const {
  const bool is_fusion = instruction.opcode == "fusion";
  std::string_view name =
      FindAttribute(instruction.attributes, is_fusion ? "calls" : "to_apply").value_or("");
  name = name.starts_with('%') ? name.substr(1) : name;
  const auto found = module_.index_of.find(name);
  if (found == module_.index_of.end() || found->second >= of_computation_.size()) {
    return {.num_unknown = kUnknown};
  }
  return of_computation_[found->second];
}

}  // namespace opyard::graphs
