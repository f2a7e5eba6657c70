#include "graphs/importers/hlo/hlo_custom_calls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "graphs/importers/hlo/hlo_products.h"

namespace opyard::graphs {
namespace {

using MaybeWork = std::optional<OpWork>;

MaybeWork WorkOfFlops(double flops) {
  return OpWork{.flops = Flops{flops}};
}

std::vector<std::int64_t> ConfigIntegers(const HloCall& call, std::string_view member) {
  return IntegersOf(FindJsonMember(call.Attribute("backend_config"), member).value_or(""));
}

// cuBLAS and cublasLt, all variants: backend_config holds the axes.
MaybeWork Gemm(const HloCall& call) {
  const TensorType* left = call.Operand(0);
  const bool has_axes =
      FindJsonMember(call.Attribute("backend_config"), "lhs_contracting_dimensions").has_value();
  if (left == nullptr || call.Result() == nullptr || !has_axes) {
    return std::nullopt;
  }
  return DotWork(*left,
                 *call.Result(),
                 ConfigIntegers(call, "lhs_contracting_dimensions"),
                 ConfigIntegers(call, "lhs_batch_dimensions"));
}

// cuDNN's convolutions: labels and window are those of the forward pass, whichever pass it is.
MaybeWork CudnnConvolution(const HloCall& call) {
  const std::optional<ConvLabels> labels = ReadConvLabels(call.Attribute("dim_labels"));
  if (!labels.has_value()) {
    return std::nullopt;
  }
  const std::string_view target = call.target();
  const TensorType* left = call.Operand(0);
  const TensorType* right = call.Operand(1);
  const TensorType* made = call.Result();
  const bool is_data = target.find("BackwardInput") != std::string_view::npos;
  const bool is_weight = target.find("BackwardFilter") != std::string_view::npos;
  const ConvTensors tensors = is_data     ? ConvTensors{made, right, left}
                              : is_weight ? ConvTensors{left, made, right}
                                          : ConvTensors{left, right, made};
  const sim::ConvPass pass = is_data     ? sim::ConvPass::kBackwardData
                             : is_weight ? sim::ConvPass::kBackwardWeight
                                         : sim::ConvPass::kForward;
  return LabelledConvWork(pass, *labels, tensors, call.Attribute("window"));
}

// Fused attention: two products forward; backward five, as the scores are computed again. The
// scores, [batch, heads, queries, keys], stand in backend_config, and so does which axis of the
// queries is the head's width.
MaybeWork FusedAttention(const HloCall& call) {
  const std::string_view config = call.Attribute("backend_config");
  const auto shape = FindJsonMember(config, "intermediate_tensor_shape").value_or("");
  const std::vector<std::int64_t> scores =
      IntegersOf(FindJsonMember(shape, "dimensions").value_or(""));
  const auto product = FindJsonMember(config, "bmm1_dot_dimension_numbers").value_or("");
  const std::vector<std::int64_t> width_axis =
      IntegersOf(FindJsonMember(product, "lhs_contracting_dimensions").value_or(""));
  const TensorType* queries = call.Operand(0);
  if (scores.size() < 3 || width_axis.size() != 1 || queries == nullptr || width_axis[0] < 0 ||
      static_cast<std::size_t>(width_axis[0]) >= queries->shape.size()) {
    return std::nullopt;
  }
  const double width = static_cast<double>(queries->shape[static_cast<std::size_t>(width_axis[0])]);
  const bool is_backward = call.target().find("Backward") != std::string_view::npos;
  const std::size_t rank = scores.size();
  const double heads = static_cast<double>(scores[rank - 3]);
  const double length = static_cast<double>(scores[rank - 2]);
  const double keys = static_cast<double>(scores[rank - 1]);
  const double of_a_sequence = heads * length * keys;
  OpWork work =
      AttentionWork(is_backward ? sim::AttentionPass::kBackward : sim::AttentionPass::kForward,
                    {.batch = of_a_sequence > 0.0 ? Elements(scores) / of_a_sequence : 0.0,
                     .heads = heads,
                     .queries = length,
                     .keys = keys,
                     .width = width,
                     .value_width = width});
  work.flops = Flops{(is_backward ? 5.0 : 2.0) * 2.0 * Elements(scores) * width};
  return work;
}

// oneDNN's products sum over the last axis of the left side, or, transposed, over the one before.
MaybeWork OneDnnProduct(const HloCall& call) {
  const TensorType* left = call.Operand(0);
  if (left == nullptr || call.Result() == nullptr || left->shape.size() < 2) {
    return std::nullopt;
  }
  const bool is_transposed =
      FindJsonMember(call.Attribute("backend_config"), "transpose_a").value_or("") == "true";
  const std::size_t rank = left->shape.size();
  std::vector<std::int64_t> batch(rank > 2 && call.Result()->shape.size() == rank ? rank - 2 : 0);
  for (std::size_t axis = 0; axis < batch.size(); ++axis) {
    batch[axis] = static_cast<std::int64_t>(axis);
  }
  const std::int64_t contracted[] = {static_cast<std::int64_t>(rank) - (is_transposed ? 2 : 1)};
  return DotWork(*left, *call.Result(), contracted, batch);
}

// Each result meets one filter; backend_config counts axes from 1. Without it, filters stand last.
MaybeWork OneDnnConvolution(const HloCall& call) {
  const TensorType* filter = call.Operand(1);
  if (filter == nullptr || call.Result() == nullptr || filter->shape.empty()) {
    return std::nullopt;
  }
  const std::vector<std::int64_t> axis = ConfigIntegers(call, "output_feature_dim");
  const auto rank = static_cast<std::int64_t>(filter->shape.size());
  const std::int64_t at = axis.size() == 1 ? axis[0] - 1 : rank - 1;
  if (at < 0 || at >= rank || filter->shape[static_cast<std::size_t>(at)] == 0) {
    return std::nullopt;
  }
  const double per_filter =
      Elements(filter->shape) / static_cast<double>(filter->shape[static_cast<std::size_t>(at)]);
  return WorkOfFlops(2.0 * Elements(call.Result()->shape) * per_filter);
}

// The matrices of operand 0: [batch, m, n], the batch being the axes before.
struct Matrices {
  double batch = 0;
  double m = 0;
  double n = 0;
};

std::optional<Matrices> MatricesOf(const HloCall& call) {
  const TensorType* operand = call.Operand(0);
  if (operand == nullptr || operand->shape.size() < 2) {
    return std::nullopt;
  }
  const Shape& shape = operand->shape;
  const auto m = static_cast<double>(shape[shape.size() - 2]);
  const auto n = static_cast<double>(shape.back());
  return Matrices{m * n == 0.0 ? 0.0 : Elements(shape) / (m * n), m, n};
}

// Leading terms of the operation counts of LAPACK Working Note 41, appendix C; those of
// eigenvalues and singular values, which iterate, are estimates with vectors (Golub and Van Loan).
MaybeWork Solver(const HloCall& call, double (*flops)(double m, double n)) {
  const std::optional<Matrices> matrices = MatricesOf(call);
  return matrices.has_value() ? WorkOfFlops(matrices->batch * flops(matrices->m, matrices->n))
                              : std::nullopt;
}

MaybeWork Cholesky(const HloCall& call) {
  return Solver(call, [](double /*m*/, double n) { return n * n * n / 3.0; });
}

MaybeWork Lu(const HloCall& call) {
  return Solver(call, [](double m, double n) {
    const double least = std::min(m, n);
    return std::max(m, n) * least * least - least * least * least / 3.0;
  });
}

MaybeWork Qr(const HloCall& call) {
  return Solver(call, [](double m, double n) {
    const double least = std::min(m, n);
    return 2.0 * std::max(m, n) * least * least - 2.0 / 3.0 * least * least * least;
  });
}

MaybeWork Eigenvalues(const HloCall& call) {
  return Solver(call, [](double /*m*/, double n) { return 9.0 * n * n * n; });
}

MaybeWork SingularValues(const HloCall& call) {
  return Solver(call, [](double m, double n) {
    const double least = std::min(m, n);
    return 6.0 * std::max(m, n) * least * least + 20.0 * least * least * least;
  });
}

// Each column of the right side meets a triangle.
MaybeWork TriangularSolve(const HloCall& call) {
  const std::optional<Matrices> triangle = MatricesOf(call);
  const TensorType* right = call.Operand(1);
  return triangle.has_value() && right != nullptr
             ? WorkOfFlops(Elements(right->shape) * triangle->n)
             : std::nullopt;
}

// One comparison for each element.
MaybeWork TopK(const HloCall& call) {
  const TensorType* operand = call.Operand(0);
  return operand == nullptr ? std::nullopt : WorkOfFlops(Elements(operand->shape));
}

// Random bits: whole numbers only.
MaybeWork NoArithmetic(const HloCall& /*call*/) {
  return OpWork{};
}

// Who writes a kernel may say what it costs, as in Pallas: "cost_estimate": {"flops": "8"}.
MaybeWork Estimate(const HloCall& call) {
  const auto estimate = FindJsonMember(call.Attribute("backend_config"), "cost_estimate");
  const std::vector<std::int64_t> flops =
      IntegersOf(FindJsonMember(estimate.value_or(""), "flops").value_or(""));
  return flops.size() == 1 && flops[0] >= 0 ? WorkOfFlops(static_cast<double>(flops[0]))
                                            : std::nullopt;
}

struct Rule {
  std::string_view part;  // of the target
  MaybeWork (*work)(const HloCall& call);
  std::string_view type = "custom-call";
  bool is_heavy = false;
};

// The first whose part stands in the target.
constexpr auto kRules = std::to_array<Rule>({
    {"__cudnn$conv", CudnnConvolution, "convolution", true},
    {"__cudnn$fmha", FusedAttention, "Attention", true},
    {"__cublas$", Gemm, "dot", true},
    {"__onednn$matmul", OneDnnProduct, "dot", true},
    {"__onednn$conv", OneDnnConvolution, "convolution", true},
    {"TopK", TopK},
    {"threefry", NoArithmetic},
    {"AllocateBuffer", NoArithmetic},
    {"CreateBuffer", NoArithmetic},
    {"potrf", Cholesky},
    {"Cholesky", Cholesky},
    {"getrf", Lu},
    {"LuDecomposition", Lu},
    {"geqrf", Qr},
    {"orgqr", Qr},
    {"ungqr", Qr},
    {"syevd", Eigenvalues},
    {"heevd", Eigenvalues},
    {"gesdd", SingularValues},
    {"gesvd", SingularValues},
    {"trsm", TriangularSolve},
});

constexpr auto kAnnotations = std::to_array<std::string_view>({
    "AssumeGatherIndicesInBound",
    "LayoutConstraint",
    "MhloLayout",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "annotate_device_placement",
});

}  // namespace

CustomCall ReadCustomCall(const HloCall& call) {
  const std::string_view target = call.target();
  for (const Rule& rule : kRules) {
    if (target.find(rule.part) != std::string_view::npos) {
      const MaybeWork work = rule.work(call);
      return {
          .work = work.has_value() ? HloWork{.work = *work} : HloWork{.num_unknown = kOneUnknown},
          .type = rule.type,
          .is_heavy = rule.is_heavy};
    }
  }
  const MaybeWork estimate = Estimate(call);
  return {.work = estimate.has_value() ? HloWork{.work = *estimate}
                                       : HloWork{.num_unknown = kOneUnknown},
          .type = "custom-call"};
}

bool IsAnnotation(std::string_view target) {
  return std::ranges::find(kAnnotations, target) != kAnnotations.end() ||
         target.starts_with("xla.sdy.");
}

}  // namespace opyard::graphs
