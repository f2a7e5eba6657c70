// The rules of arithmetic and traffic, those of python/opyard/export/flops.py without what
// a file of shapes does not hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "graphs/importers/torch/aten_ops.h"
#include "sim/graph/element_bytes.h"

namespace opyard::graphs {
namespace {

constexpr AtenWork kDoesNotFit{.fits = false};
constexpr double kMostRows = 1e12;

double Extent(const AtenTensor& tensor, std::size_t axis) {
  return static_cast<double>(tensor.shape[axis]);
}

double Last(const AtenTensor& tensor) {
  return static_cast<double>(tensor.shape.back());
}

bool HasRank(const AtenCall& call, std::size_t input, std::size_t rank) {
  return input < call.inputs.size() && call.inputs[input].shape.size() == rank;
}

// Inputs `left` and `left` + 1 are [(batch,) m, k] and [(batch,) k, n]. A file names a tensor that
// is read twice only once: the right one may be missing.
AtenWork Product(const AtenCall& call, std::size_t left, std::size_t rank, bool has_addend) {
  const std::size_t right = std::min(left + 1, call.inputs.size() - 1);
  if (call.inputs.empty() || !HasRank(call, left, rank) || !HasRank(call, right, rank) ||
      Extent(call.inputs[left], rank - 1) != Extent(call.inputs[right], rank - 2)) {
    return kDoesNotFit;
  }
  const AtenTensor& a = call.inputs[left];
  const double m = Extent(a, rank - 2);
  const double n = Extent(call.inputs[right], rank - 1);
  const double batch = rank == 3 ? Extent(a, 0) : 1.0;
  return {Plus(GemmWork(m, n, Extent(a, rank - 1), batch), has_addend ? batch * m * n : 0.0)};
}

AtenWork Mm(const AtenCall& call) {
  return Product(call, 0, 2, false);
}
AtenWork Addmm(const AtenCall& call) {
  return Product(call, 1, 2, true);
}
AtenWork Bmm(const AtenCall& call) {
  return Product(call, 0, 3, false);
}
AtenWork Baddbmm(const AtenCall& call) {
  return Product(call, 1, 3, true);
}

AtenWork Mv(const AtenCall& call) {
  if (!HasRank(call, 0, 2)) {
    return kDoesNotFit;
  }
  return {GemmWork(Extent(call.inputs[0], 0), 1.0, Extent(call.inputs[0], 1))};
}

// Inputs: addend, matrix, vector.
AtenWork Addmv(const AtenCall& call) {
  if (!HasRank(call, 1, 2)) {
    return kDoesNotFit;
  }
  const double rows = Extent(call.inputs[1], 0);
  return {Plus(GemmWork(rows, 1.0, Extent(call.inputs[1], 1)), rows)};
}

AtenWork Dot(const AtenCall& call) {
  if (!HasRank(call, 0, 1)) {
    return kDoesNotFit;
  }
  return {GemmWork(1.0, 1.0, Extent(call.inputs[0], 0))};
}

// x [..., k], weight [n, k], perhaps a bias [n].
AtenWork Linear(const AtenCall& call) {
  if (!HasRank(call, 1, 2) || call.inputs[0].shape.empty() ||
      Last(call.inputs[0]) != Last(call.inputs[1]) || Last(call.inputs[0]) == 0.0) {
    return kDoesNotFit;
  }
  const double m = Elements(call.inputs[0].shape) / Last(call.inputs[0]);
  const double n = Extent(call.inputs[1], 0);
  return {Plus(GemmWork(m, n, Last(call.inputs[1])), call.inputs.size() > 2 ? m * n : 0.0)};
}

AtenWork Convolution(const AtenCall& call) {
  if (call.inputs.size() < 2 || call.outputs.empty()) {
    return kDoesNotFit;
  }
  const Shape& result = call.outputs[0].shape;
  const std::optional<OpWork> work = ConvWorkFromShapes(
      sim::ConvPass::kForward,
      {.image = call.inputs[0].shape, .filter = call.inputs[1].shape, .result = result});
  if (!work.has_value()) {
    return kDoesNotFit;
  }
  return {Plus(*work, call.inputs.size() > 2 ? Elements(result) : 0.0)};
}

// Inputs `query` to `query` + 2 are [..., length, width]: all axes before the last two but one are
// the batch, that one the heads.
AtenWork AttentionOf(const AtenCall& call, std::size_t query, sim::AttentionPass pass) {
  if (call.inputs.size() < query + 3) {
    return kDoesNotFit;
  }
  for (std::size_t i = query; i < query + 3; ++i) {
    if (call.inputs[i].shape.size() < 2 || Last(call.inputs[i]) == 0.0) {
      return kDoesNotFit;
    }
  }
  const AtenTensor& queries = call.inputs[query];
  const AtenTensor& keys = call.inputs[query + 1];
  const std::size_t rank = queries.shape.size();
  const double heads = rank > 2 ? Extent(queries, rank - 3) : 1.0;
  const double length = Extent(queries, rank - 2);
  const double sequences = Elements(queries.shape) / Last(queries);
  return {AttentionWork(pass,
                        {.batch = heads * length > 0.0 ? sequences / (heads * length) : 0.0,
                         .heads = heads,
                         .queries = length,
                         .keys = Extent(keys, keys.shape.size() - 2),
                         .width = Last(queries),
                         .value_width = Last(call.inputs[query + 2])})};
}

AtenWork Attention(const AtenCall& call) {
  return AttentionOf(call, 0, sim::AttentionPass::kForward);
}

// Input 0 is the gradient.
AtenWork AttentionBackward(const AtenCall& call) {
  return AttentionOf(call, 1, sim::AttentionPass::kBackward);
}

// Four gates from x and h; per unit three sigmoids of 4, two tanh of 5, two products, two sums of
// the biases per gate. The weights are the matrices [4 · hidden, …].
AtenWork LstmCell(const AtenCall& call) {
  if (call.outputs.empty() || call.outputs[0].shape.size() != 2) {
    return kDoesNotFit;
  }
  const double batch = Extent(call.outputs[0], 0);
  const double hidden = Extent(call.outputs[0], 1);
  double width = 0.0;
  for (const AtenTensor& input : call.inputs) {
    if (input.shape.size() == 2 && Extent(input, 0) == 4.0 * hidden) {
      width += Extent(input, 1);
    }
  }
  return {Plus(GemmWork(batch, 4.0 * hidden, width), batch * hidden * (3 * 4 + 2 * 5 + 3 + 12))};
}

// Reads as many elements as it writes, and the indices; not the whole table.
AtenWork TableRead(const AtenCall& call) {
  Bytes traffic;
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    traffic += call.inputs[i].bytes;
  }
  for (const AtenTensor& output : call.outputs) {
    traffic += output.bytes + output.bytes;
  }
  return {{.bytes_accessed = traffic}};
}

// A file does not say along which axes: the last one. 5 n log2(n) of complex numbers, half of it
// where one side is real.
AtenWork Fourier(const AtenCall& call) {
  if (call.inputs.empty() || call.outputs.empty() || call.inputs[0].shape.empty() ||
      call.outputs[0].shape.empty()) {
    return kDoesNotFit;
  }
  const AtenTensor& in = call.inputs[0];
  const AtenTensor& out = call.outputs[0];
  const AtenTensor& whole = Elements(in.shape) >= Elements(out.shape) ? in : out;
  const double factor = IsComplex(in.dtype) && IsComplex(out.dtype) ? 5.0 : 2.5;
  const double points = std::max(Last(whole), 1.0);
  return {{.flops = Flops{std::round(factor * Elements(whole.shape) * std::log2(points))}}};
}

// Reads the gradient and the indices, not the pooled tensor.
AtenWork MaxPoolBackward(const AtenCall& call) {
  if (call.inputs.size() < 2 || call.outputs.empty()) {
    return kDoesNotFit;
  }
  const AtenTensor& grad = call.inputs.front();
  return {{.flops = Flops{Elements(grad.shape)},
           .bytes_accessed = grad.bytes + call.inputs.back().bytes + call.outputs[0].bytes}};
}

// One log-probability per row; the sum of the rows. Inputs: log-probabilities, target.
AtenWork NllLoss(const AtenCall& call) {
  if (call.inputs.size() < 2) {
    return kDoesNotFit;
  }
  const double rows = Elements(call.inputs[1].shape);
  if (rows > kMostRows) {
    return kDoesNotFit;
  }
  const std::int64_t read = sim::PackedBytes(call.inputs[0].dtype, static_cast<std::int64_t>(rows));
  Bytes traffic = Bytes{read} + call.inputs[1].bytes;
  for (const AtenTensor& output : call.outputs) {
    traffic += output.bytes;
  }
  return {{.flops = Flops{2.0 * rows}, .bytes_accessed = traffic}};
}

// Inputs: gradient, log-probabilities, target.
AtenWork NllLossBackward(const AtenCall& call) {
  if (call.inputs.size() < 3 || call.outputs.empty()) {
    return kDoesNotFit;
  }
  return {{.bytes_accessed = call.inputs[2].bytes + call.outputs[0].bytes}};
}

// Only memory, nothing is written.
AtenWork Empty(const AtenCall& /*call*/) {
  return {{.bytes_accessed = Bytes{}}};
}

struct Rule {
  std::string_view name;
  AtenWork (*work)(const AtenCall&);
};

// clang-format off
constexpr auto kRules = std::to_array<Rule>({
    {"_fft_c2c", Fourier},
    {"_fft_c2r", Fourier},
    {"_fft_r2c", Fourier},
    {"_int_mm", Mm},
    {"_scaled_dot_product_flash_attention_for_cpu", Attention},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", AttentionBackward},
    {"_scaled_mm", Mm},
    {"_unsafe_index", TableRead},
    {"addmm", Addmm},
    {"addmv", Addmv},
    {"baddbmm", Baddbmm},
    {"bmm", Bmm},
    {"conv1d", Convolution},
    {"conv2d", Convolution},
    {"conv3d", Convolution},
    {"convolution", Convolution},
    {"dot", Dot},
    {"embedding", TableRead},
    {"empty", Empty},
    {"empty_like", Empty},
    {"empty_strided", Empty},
    {"gather", TableRead},
    {"index", TableRead},
    {"index_select", TableRead},
    {"linear", Linear},
    {"lstm_cell", LstmCell},
    {"max_pool2d_with_indices_backward", MaxPoolBackward},
    {"mm", Mm},
    {"mv", Mv},
    {"new_empty", Empty},
    {"new_empty_strided", Empty},
    {"nll_loss2d_backward", NllLossBackward},
    {"nll_loss2d_forward", NllLoss},
    {"nll_loss_backward", NllLossBackward},
    {"nll_loss_forward", NllLoss},
    {"scaled_dot_product_attention", Attention},
    {"vdot", Dot},
});
// clang-format on
static_assert(std::ranges::is_sorted(kRules, {}, &Rule::name));

// Integer arithmetic is not counted.
OpWork PerElement(const AtenCall& call) {
  const AtenOp* op = FindAtenOp(call.name);
  if (op == nullptr) {
    return {};
  }
  const auto& tensors = op->counted == AtenOp::Counted::kIn ? call.inputs : call.outputs;
  if (tensors.empty() || !IsCounted(tensors[0].dtype)) {
    return {};
  }
  return {.flops = Flops{op->flops_per_element * Elements(tensors[0].shape)}};
}

// A tensor of which a view repeats elements is read once.
std::optional<Bytes> TrafficOfRepeats(const AtenCall& call) {
  Bytes traffic;
  bool has_repeats = false;
  for (const AtenTensor& input : call.inputs) {
    traffic += input.stored;
    has_repeats |= input.stored != input.bytes;
  }
  for (const AtenTensor& output : call.outputs) {
    traffic += output.bytes;
  }
  return has_repeats ? std::optional(traffic) : std::nullopt;
}

// The factor on real arithmetic that gives that of `call`: 4 for products and quotients of complex
// numbers, 2 for all else of them.
double ComplexFactor(const AtenCall& call) {
  constexpr std::array<std::string_view, 6> kProducts = {
      "mul", "div", "addcmul", "addcdiv", "convolution", "linear"};
  const bool is_complex = std::ranges::any_of(
      call.inputs, [](const AtenTensor& input) { return IsComplex(input.dtype); });
  if (!is_complex || call.name.starts_with("_fft_")) {
    return 1.0;
  }
  const AtenOp* op = FindAtenOp(call.name);
  const bool is_product = op != nullptr && op->type.ends_with("MatMul");
  return is_product || std::ranges::find(kProducts, call.name) != kProducts.end() ? 4.0 : 2.0;
}

}  // namespace

AtenWork AtenWorkOf(const AtenCall& call) {
  const auto rule = std::ranges::lower_bound(kRules, call.name, {}, &Rule::name);
  const bool has_rule = rule != kRules.end() && rule->name == call.name;
  AtenWork result = has_rule ? rule->work(call) : AtenWork{PerElement(call)};
  result.work.flops.count *= ComplexFactor(call);
  if (!result.work.bytes_accessed.has_value()) {
    result.work.bytes_accessed = TrafficOfRepeats(call);
  }
  return result;
}

}  // namespace opyard::graphs
