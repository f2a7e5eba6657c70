// Convolutions and pools.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_layout.h"
#include "graphs/importers/tensorflow/tf_shape_rules.h"

namespace opyard::graphs {
namespace {

// One dimension of space.
struct Window {
  std::int64_t length = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padding = 0;  // both sides together, with padding "EXPLICIT"
};

// The places of a window in `extent` elements.
std::optional<std::int64_t> PlacesOf(std::int64_t extent,
                                     const Window& window,
                                     std::string_view padding) {
  const bool fits = window.stride >= 1 && window.stride <= kLargestTfExtent &&
                    window.dilation >= 1 && window.dilation <= kLargestTfExtent &&
                    window.length >= 1 && window.length <= kLargestTfExtent && window.padding >= 0;
  if (!fits) {
    return std::nullopt;
  }
  if (padding == "SAME") {
    return (extent + window.stride - 1) / window.stride;
  }
  const std::int64_t span = window.dilation * (window.length - 1) + 1;
  const std::int64_t room = extent + (padding == "EXPLICIT" ? window.padding : 0);
  return room < span ? 0 : (room - span) / window.stride + 1;
}

// The image that windows of `lengths` make of `image`; both in channels-first order.
std::optional<Shape> Slide(const TfOp& op,
                           const TfLayout& layout,
                           const Shape& image,
                           const std::vector<std::int64_t>& lengths) {
  const std::size_t rank = image.size();
  const std::vector<std::int64_t> strides = op.attributes.Integers("strides");
  const std::vector<std::int64_t> dilations = op.attributes.Integers("dilations");
  std::vector<std::int64_t> paddings = op.attributes.Integers("explicit_paddings");
  if (paddings.empty()) {
    paddings = op.attributes.Integers("padding_list");
  }
  const std::string_view padding = paddings.empty() || op.attributes.Text("padding") == "SAME"
                                       ? op.attributes.Text("padding")
                                       : "EXPLICIT";
  Shape result = image;
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    const std::size_t axis = layout.first_of_space() + i;
    Window window{.length = lengths[i]};
    window.stride = strides.size() == rank ? strides[axis] : 1;
    window.dilation = dilations.size() == rank ? dilations[axis] : 1;
    if (paddings.size() == 2 * rank) {
      window.padding = std::clamp<std::int64_t>(paddings[2 * axis], 0, kLargestTfExtent) +
                       std::clamp<std::int64_t>(paddings[2 * axis + 1], 0, kLargestTfExtent);
    }
    const auto places = PlacesOf(image[2 + i], window, padding);
    if (!places.has_value()) {
      return std::nullopt;
    }
    result[2 + i] = *places;
  }
  return result;
}

bool IsQuantized(const TfOp& op) {
  return op.type.starts_with("Quantized");
}

TfShapes WithRange(const TfOp& op, std::optional<Shape> shape) {
  TfShapes shapes{std::move(shape)};
  if (IsQuantized(op)) {
    shapes.resize(3, Shape());
  }
  return shapes;
}

std::optional<Shape> ConvShape(const TfOp& op, Shape (*filter_shape)(const Shape& filter)) {
  const Shape* image = op.ShapeOf(0);
  const Shape* filter = op.ShapeOf(1);
  if (image == nullptr || filter == nullptr || image->size() < 3 || image->size() > 5 ||
      filter->size() != image->size()) {
    return std::nullopt;
  }
  const TfLayout layout(op.attributes, image->size());
  const Shape ordered = filter_shape(*filter);
  const std::vector<std::int64_t> lengths(ordered.begin() + 2, ordered.end());
  std::optional<Shape> result = Slide(op, layout, layout.ChannelsFirst(*image), lengths);
  if (!result.has_value()) {
    return std::nullopt;
  }
  (*result)[1] = ordered[0];
  return layout.FromChannelsFirst(*result);
}

// MaxPoolV2 has the lists as inputs.
std::vector<std::int64_t> ListOf(const TfOp& op, std::string_view attribute, std::size_t input) {
  std::vector<std::int64_t> list = op.attributes.Integers(attribute);
  if (list.empty() && op.ConstantOf(input) != nullptr) {
    list = WholeNumbers(*op.ConstantOf(input));
  }
  return list;
}

}  // namespace

TfShapes ShapeOfConv(const TfOp& op) {
  return WithRange(op, ConvShape(op, TfFilterShape));
}

TfShapes ShapeOfDepthwiseConv(const TfOp& op) {
  return WithRange(op, ConvShape(op, TfDepthwiseFilterShape));
}

// The sizes are those of the image, or those of its space alone.
TfShapes ShapeOfConvInput(const TfOp& op) {
  const std::vector<double>* sizes = op.ConstantOf(0);
  if (sizes == nullptr) {
    return {op.type == "Conv3DBackpropInput" && op.ShapeOf(0) != nullptr
                ? std::optional(*op.ShapeOf(0))
                : std::nullopt};
  }
  const Shape* gradient = op.ShapeOf(2);
  const Shape* filter = op.ShapeOf(1);
  Shape shape = WholeNumbers(*sizes);
  if (gradient != nullptr && filter != nullptr && filter->size() == gradient->size() &&
      gradient->size() >= 3 && shape.size() + 2 == gradient->size()) {
    const TfLayout layout(op.attributes, gradient->size());
    shape.insert(shape.begin(), {(*gradient)[0], (*filter)[filter->size() - 2]});
    shape = layout.FromChannelsFirst(shape);
  }
  return {StaticShape(shape)};
}

TfShapes ShapeOfPool(const TfOp& op) {
  const Shape* image = op.ShapeOf(0);
  const std::vector<std::int64_t> window = ListOf(op, "ksize", 1);
  if (image == nullptr || image->size() < 3 || window.size() != image->size()) {
    return WithRange(op, std::nullopt);
  }
  const TfLayout layout(op.attributes, image->size());
  std::optional<Shape> result =
      Slide(op, layout, layout.ChannelsFirst(*image), layout.SpaceOf(window));
  // Windows over channels or the batch, where somebody pools those.
  const std::vector<std::int64_t> strides = ListOf(op, "strides", 2);
  const std::size_t channels = layout.channels();
  if (result.has_value() && window[channels] > 1 && strides.size() == image->size()) {
    const auto places = PlacesOf((*image)[channels],
                                 {.length = window[channels], .stride = strides[channels]},
                                 op.attributes.Text("padding"));
    (*result)[1] = places.value_or(0);
  }
  std::optional<Shape> shape =
      result.has_value() ? std::optional(layout.FromChannelsFirst(*result)) : std::nullopt;
  TfShapes shapes = WithRange(op, shape);
  if (op.type == "MaxPoolWithArgmax") {
    shapes.push_back(shape);
  }
  return shapes;
}

}  // namespace opyard::graphs
