#include "graphs/importers/hlo/hlo_products.h"

#include <algorithm>
#include <cmath>

namespace opyard::graphs {
namespace {

// The product of the extents of `shape` that `axes` lists; nothing if one is not there.
std::optional<double> ExtentsOf(const Shape& shape, std::span<const std::int64_t> axes) {
  double product = 1.0;
  for (const std::int64_t axis : axes) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= shape.size()) {
      return std::nullopt;
    }
    product *= static_cast<double>(shape[static_cast<std::size_t>(axis)]);
  }
  return product;
}

HloWork OrUnknown(const std::optional<OpWork>& work) {
  return work.has_value() ? HloWork{.work = *work} : HloWork{.num_unknown = kOneUnknown};
}

std::optional<OpWork> Dot(const HloCall& call) {
  const TensorType* left = call.Operand(0);
  const TensorType* result = call.Result();
  if (left == nullptr || result == nullptr) {
    return std::nullopt;
  }
  return DotWork(*left,
                 *result,
                 IntegersOf(call.Attribute("lhs_contracting_dims")),
                 IntegersOf(call.Attribute("lhs_batch_dims")));
}

// Each row of the left side meets the matrix of its group. Where the groups divide the axis that is
// summed over, each of the result's matrices sums over its part only.
std::optional<OpWork> RaggedDot(const HloCall& call) {
  const TensorType* left = call.Operand(0);
  const TensorType* result = call.Result();
  const std::vector<std::int64_t> contracted = IntegersOf(call.Attribute("lhs_contracting_dims"));
  const std::vector<std::int64_t> ragged = IntegersOf(call.Attribute("lhs_ragged_dims"));
  if (left == nullptr || result == nullptr) {
    return std::nullopt;
  }
  const std::optional<double> k = ExtentsOf(left->shape, contracted);
  if (!k.has_value()) {
    return std::nullopt;
  }
  const bool sums_over_groups = ragged.size() == 1 && std::ranges::count(contracted, ragged[0]) > 0;
  const double groups = sums_over_groups && !result->shape.empty()
                            ? static_cast<double>(std::max<std::int64_t>(result->shape[0], 1))
                            : 1.0;
  return OpWork{.flops = Flops{2.0 * Elements(result->shape) / groups * *k}};
}

// One tensor of a convolution whose axes have letters: "b01f".
struct Labelled {
  std::string_view labels;
  const Shape& shape;

  [[nodiscard]] bool fits() const { return labels.size() == shape.size(); }
  [[nodiscard]] std::int64_t Extent(char label) const {
    const std::size_t at = labels.find(label);
    return at < shape.size() ? shape[at] : 1;
  }
  // [first, second, spatial extents in order].
  [[nodiscard]] Shape Arranged(char first, char second) const {
    Shape arranged = {Extent(first), Extent(second)};
    for (char axis = '0'; axis <= '9' && labels.find(axis) != std::string_view::npos; ++axis) {
      arranged.push_back(Extent(axis));
    }
    return arranged;
  }
  [[nodiscard]] std::size_t num_spatial() const { return labels.size() - 2; }
};

// The movement of a filter along one axis.
struct Window {
  std::int64_t stride = 1;
  std::int64_t image_dilation = 1;
  std::int64_t filter_dilation = 1;
};

// The entry of axis `axis` in "1x2"; nothing where it does not stand.
std::optional<std::int64_t> EntryOf(std::string_view window, const char* key, std::size_t axis) {
  const std::vector<std::int64_t> all = IntegersOf(FindAttribute(window, key).value_or(""));
  return axis < all.size() ? std::optional(all[axis]) : std::nullopt;
}

Window WindowOf(std::string_view text, std::size_t axis) {
  return {.stride = EntryOf(text, "stride", axis).value_or(1),
          .image_dilation = EntryOf(text, "lhs_dilate", axis).value_or(1),
          .filter_dilation = EntryOf(text, "rhs_dilate", axis).value_or(1)};
}

// The number of pairs of a result and a tap of the filter that meet along one axis of an image of
// `extent` elements. As everywhere here, taps on padding count. A dilated image that the filter
// passes over element by element is a gradient or a transposed convolution: each element meets each
// tap, or each result where those are fewer. With a stride beside it, which is how compilers for
// TPUs write the batch of a product, each place meets one tap of as many as the image is dilated.
double PairsAlong(std::int64_t extent,
                  std::int64_t taps,
                  std::int64_t places,
                  const Window& window) {
  const auto product = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) * static_cast<double>(b);
  };
  if (window.image_dilation <= 1) {
    return product(places, taps);
  }
  if (window.stride == 1) {
    return product(extent, std::min(taps, places));
  }
  return product(places, (taps + window.image_dilation - 1) / window.image_dilation);
}

// The forward pass of which a convolution instruction is a pass. A gradient is written as a
// convolution, too: that of the data moves the filter over a dilated gradient, that of the filter
// moves the gradient over the image, whose batch is summed over.
sim::ConvPass PassOf(const Labelled& image, const Window& last) {
  return image.labels.starts_with('f') ? sim::ConvPass::kBackwardWeight
         : last.image_dilation != 1    ? sim::ConvPass::kBackwardData
                                       : sim::ConvPass::kForward;
}

struct Convolution {
  Labelled image;
  Labelled filter;
  Labelled result;
  std::string_view window;

  [[nodiscard]] Window Axis(std::size_t axis) const { return WindowOf(window, axis); }
  // That of the last axis but `back`; of a lower one where there is none.
  [[nodiscard]] Window LastAxis(std::size_t back) const {
    const std::size_t count = image.num_spatial();
    return back < count ? Axis(count - 1 - back) : Window{};
  }

  [[nodiscard]] double FlopsOf() const {
    double pairs = 1.0;
    for (std::size_t axis = 0; axis < image.num_spatial(); ++axis) {
      const char label = static_cast<char>('0' + axis);
      pairs *=
          PairsAlong(image.Extent(label), filter.Extent(label), result.Extent(label), Axis(axis));
    }
    return 2.0 * static_cast<double>(result.Extent('b')) * static_cast<double>(result.Extent('f')) *
           static_cast<double>(filter.Extent('i')) * pairs;
  }

  [[nodiscard]] ConvShapes ShapesOf(sim::ConvPass pass) const {
    const Window height = LastAxis(1);
    const Window width = LastAxis(0);
    switch (pass) {
      case sim::ConvPass::kBackwardWeight:
        return {.image = image.Arranged('f', 'b'),
                .filter = result.Arranged('f', 'b'),
                .result = filter.Arranged('i', 'o'),
                .stride_h = height.filter_dilation,
                .stride_w = width.filter_dilation};
      case sim::ConvPass::kBackwardData:
        return {.image = result.Arranged('b', 'f'),
                .filter = filter.Arranged('i', 'o'),
                .result = image.Arranged('b', 'f'),
                .stride_h = height.image_dilation,
                .stride_w = width.image_dilation};
      default:
        return {.image = image.Arranged('b', 'f'),
                .filter = filter.Arranged('o', 'i'),
                .result = result.Arranged('b', 'f'),
                .stride_h = height.stride,
                .stride_w = width.stride};
    }
  }
};

// A matrix product where no axis is spatial, or where each is passed over by one tap.
std::optional<OpWork> AsGemm(const Convolution& conv, double groups, double flops) {
  const double n = static_cast<double>(conv.filter.Extent('o')) / groups;
  const double k = static_cast<double>(conv.filter.Extent('i'));
  if (n < 1.0 || k < 1.0 || std::floor(n) != n) {
    return std::nullopt;
  }
  const OpWork work = GemmWork(flops / (2.0 * n * k * groups), n, k, groups);
  return work.flops.count == flops ? std::optional(work) : std::nullopt;
}

std::optional<Convolution> ReadConvolution(const HloCall& call) {
  const std::optional<ConvLabels> labels = ReadConvLabels(call.Attribute("dim_labels"));
  const TensorType* left = call.Operand(0);
  const TensorType* right = call.Operand(1);
  if (!labels.has_value() || left == nullptr || right == nullptr || call.Result() == nullptr) {
    return std::nullopt;
  }
  const Convolution conv{.image = {labels->image, left->shape},
                         .filter = {labels->filter, right->shape},
                         .result = {labels->result, call.Result()->shape},
                         .window = call.Attribute("window")};
  const bool fits = conv.image.fits() && conv.filter.fits() && conv.result.fits();
  return fits ? std::optional(conv) : std::nullopt;
}

// True for what one tap along at most one axis makes a matrix product.
bool IsGemm(const HloCall& call, const Convolution& conv) {
  return conv.image.num_spatial() < 2 && conv.filter.Extent('0') == 1 &&
         call.Attribute("batch_group_count").empty();
}

std::optional<OpWork> ConvolutionWork(const HloCall& call) {
  const std::optional<Convolution> conv = ReadConvolution(call);
  if (!conv.has_value()) {
    return std::nullopt;
  }
  OpWork work{.flops = Flops{conv->FlopsOf()}};
  if (IsGemm(call, *conv)) {
    const std::vector<std::int64_t> groups = IntegersOf(call.Attribute("feature_group_count"));
    const double num_groups = groups.empty() ? 1.0 : static_cast<double>(groups[0]);
    if (const auto gemm = AsGemm(*conv, num_groups, work.flops.count)) {
      return gemm;
    }
  }
  const sim::ConvPass pass = PassOf(conv->image, conv->LastAxis(0));
  const std::optional<OpWork> block = ConvWorkFromShapes(pass, conv->ShapesOf(pass));
  if (block.has_value() && block->flops.count == work.flops.count) {
    work.work = block->work;  // a block that says another number of FLOPs would go before ours
  }
  return work;
}

}  // namespace

std::optional<OpWork> DotWork(const TensorType& left,
                              const TensorType& result,
                              std::span<const std::int64_t> contracted,
                              std::span<const std::int64_t> batch) {
  const std::optional<double> k = ExtentsOf(left.shape, contracted);
  const std::optional<double> num_batch = ExtentsOf(left.shape, batch);
  if (!k.has_value() || !num_batch.has_value()) {
    return std::nullopt;
  }
  const double elements = Elements(result.shape);
  if (*k * *num_batch == 0.0 || elements == 0.0) {
    return OpWork{};
  }
  const double m = Elements(left.shape) / (*k * *num_batch);
  return GemmWork(m, elements / (m * *num_batch), *k, *num_batch);
}

std::optional<ConvLabels> ReadConvLabels(std::string_view text) {
  const std::size_t low = text.find('_');
  const std::size_t arrow = text.find("->");
  if (low == std::string_view::npos || arrow == std::string_view::npos || arrow < low) {
    return std::nullopt;
  }
  const ConvLabels labels{
      text.substr(0, low), text.substr(low + 1, arrow - low - 1), text.substr(arrow + 2)};
  const auto has_two = [](std::string_view axes, char a, char b) {
    return axes.size() >= 2 && axes.find(a) != std::string_view::npos &&
           axes.find(b) != std::string_view::npos;
  };
  return has_two(labels.image, 'b', 'f') && has_two(labels.filter, 'i', 'o') &&
                 has_two(labels.result, 'b', 'f')
             ? std::optional(labels)
             : std::nullopt;
}

std::optional<OpWork> LabelledConvWork(sim::ConvPass pass,
                                       const ConvLabels& labels,
                                       const ConvTensors& tensors,
                                       std::string_view window) {
  if (tensors.image == nullptr || tensors.filter == nullptr || tensors.result == nullptr) {
    return std::nullopt;
  }
  const Labelled image{labels.image, tensors.image->shape};
  const Labelled filter{labels.filter, tensors.filter->shape};
  const Labelled result{labels.result, tensors.result->shape};
  if (!image.fits() || !filter.fits() || !result.fits()) {
    return std::nullopt;
  }
  const std::size_t last = image.num_spatial();
  return ConvWorkFromShapes(pass,
                            {.image = image.Arranged('b', 'f'),
                             .filter = filter.Arranged('o', 'i'),
                             .result = result.Arranged('b', 'f'),
                             .stride_h = last > 1 ? WindowOf(window, last - 2).stride : 1,
                             .stride_w = last > 0 ? WindowOf(window, last - 1).stride : 1});
}

std::optional<HloWork> ProductWork(const HloCall& call) {
  const std::string_view opcode = call.opcode();
  if (opcode != "dot" && opcode != "convolution" && opcode != "ragged-dot") {
    return std::nullopt;
  }
  HloWork work = OrUnknown(opcode == "dot"           ? Dot(call)
                           : opcode == "convolution" ? ConvolutionWork(call)
                                                     : RaggedDot(call));
  if (call.Result() != nullptr && IsComplex(call.Result()->dtype)) {
    work.work.flops.count *= 4.0;
    work.work.work.reset();  // a shape block would say those of real numbers
  }
  return work;
}

}  // namespace opyard::graphs
