#include "graphs/importers/common/op_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/cost/shape_work.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kLargestExtent = std::numeric_limits<std::int32_t>::max();

bool IsExtent(double value) {
  return value >= 1.0 && value <= static_cast<double>(kLargestExtent);
}

// The movement of a filter along one dimension.
struct Steps {
  std::int64_t stride = 1;
  std::int64_t pad = 0;
};

// The least padding that makes `places` of `extent` elements; `stride` 0 stands for the nearest.
std::optional<Steps> StepsThatGive(std::int64_t extent,
                                   std::int64_t length,
                                   std::int64_t places,
                                   std::int64_t stride) {
  if (stride == 0) {
    stride = std::max<std::int64_t>(
        1, std::llround(static_cast<double>(extent) / static_cast<double>(places)));
  }
  // (extent + 2·pad − length) / stride + 1 = places, rounded down.
  const std::int64_t missing = (places - 1) * stride + length - extent;
  const std::int64_t pad = missing <= 0 ? 0 : (missing + 1) / 2;
  const bool fits = (extent + 2 * pad - length) / stride + 1 == places;
  return fits && pad < length ? std::optional(Steps{stride, pad}) : std::nullopt;
}

bool AreExtents(const Shape& shape) {
  return std::ranges::all_of(
      shape, [](std::int64_t extent) { return extent >= 1 && extent <= kLargestExtent; });
}

// `shapes` with one spatial dimension as two of which the first has the extent 1.
Shape InTwoDimensions(Shape shape) {
  if (shape.size() == 3) {
    shape.insert(shape.begin() + 2, 1);
  }
  return shape;
}

std::optional<sim::WorkShape> ConvBlock(sim::ConvPass pass, const ConvShapes& shapes) {
  if (shapes.image.size() > 4) {
    return std::nullopt;
  }
  const Shape image = InTwoDimensions(shapes.image);
  const Shape filter = InTwoDimensions(shapes.filter);
  const Shape result = InTwoDimensions(shapes.result);
  const std::optional<Steps> height =
      StepsThatGive(image[2], filter[2], result[2], shapes.stride_h);
  const std::optional<Steps> width = StepsThatGive(image[3], filter[3], result[3], shapes.stride_w);
  if (!height.has_value() || !width.has_value()) {
    return std::nullopt;
  }
  return sim::ConvShape{.pass = pass,
                        .n = image[0],
                        .c = image[1],
                        .h = image[2],
                        .w = image[3],
                        .k = filter[0],
                        .r = filter[2],
                        .s = filter[3],
                        .pad_h = height->pad,
                        .pad_w = width->pad,
                        .stride_h = height->stride,
                        .stride_w = width->stride,
                        .groups = image[1] / filter[1]};
}

bool AreOfOneConvolution(const ConvShapes& shapes) {
  const Shape& image = shapes.image;
  const Shape& filter = shapes.filter;
  const Shape& result = shapes.result;
  const bool has_strides = shapes.stride_h >= 0 && shapes.stride_h <= kLargestExtent &&
                           shapes.stride_w >= 0 && shapes.stride_w <= kLargestExtent;
  return has_strides && image.size() >= 3 && image.size() <= 5 && filter.size() == image.size() &&
         result.size() == image.size() && AreExtents(image) && AreExtents(filter) &&
         AreExtents(result) && image[0] == result[0] && filter[0] == result[1] &&
         image[1] % filter[1] == 0 && filter[0] % (image[1] / filter[1]) == 0;
}

}  // namespace

double Elements(const Shape& shape) {
  double count = 1.0;
  for (const std::int64_t extent : shape) {
    count *= static_cast<double>(extent);
  }
  return count;
}

OpWork GemmWork(double m, double n, double k, double batch) {
  OpWork work{.flops = Flops{2.0 * batch * m * n * k}};
  if (IsExtent(m) && IsExtent(n) && IsExtent(k) && IsExtent(batch)) {
    work.work = sim::GemmShape{.m = static_cast<std::int64_t>(m),
                               .n = static_cast<std::int64_t>(n),
                               .k = static_cast<std::int64_t>(k),
                               .batch = static_cast<std::int64_t>(batch)};
  }
  return work;
}

OpWork AttentionWork(sim::AttentionPass pass, const AttentionShapes& shapes) {
  const double scores = shapes.batch * shapes.heads * shapes.queries * shapes.keys;
  const double per_score = sim::FlopsPerScore(pass, shapes.width, shapes.value_width);
  OpWork work{.flops = Flops{scores * per_score}};
  const auto extents = std::to_array(
      {shapes.batch, shapes.heads, shapes.queries, shapes.keys, shapes.width, shapes.value_width});
  if (std::ranges::all_of(extents, IsExtent)) {
    work.work = sim::AttentionShape{
        .pass = pass,
        .batch = static_cast<std::int64_t>(shapes.batch),
        .heads = static_cast<std::int64_t>(shapes.heads),
        .queries = static_cast<std::int64_t>(shapes.queries),
        .keys = static_cast<std::int64_t>(shapes.keys),
        .width = static_cast<std::int64_t>(shapes.width),
        .value_width =
            shapes.value_width == shapes.width ? 0 : static_cast<std::int64_t>(shapes.value_width)};
  }
  return work;
}

std::optional<OpWork> ConvWorkFromShapes(sim::ConvPass pass, const ConvShapes& shapes) {
  if (!AreOfOneConvolution(shapes)) {
    return std::nullopt;
  }
  const double filter_elements =
      Elements(shapes.filter) / static_cast<double>(shapes.filter.front());
  return OpWork{.flops = Flops{2.0 * Elements(shapes.result) * filter_elements},
                .work = ConvBlock(pass, shapes)};
}

OpWork Plus(OpWork work, double flops) {
  work.flops.count += flops;
  return work;
}

}  // namespace opyard::graphs
