#include "graphs/importers/tensorflow/tf_strided_slice.h"

#include <algorithm>

namespace opyard::graphs {
namespace {

class Slicer {
 public:
  Slicer(const TfOp& op, const Shape& shape)
      : op_(op),
        shape_(shape),
        begin_mask_(op.attributes.Integer("begin_mask", 0)),
        end_mask_(op.attributes.Integer("end_mask", 0)),
        ellipsis_mask_(op.attributes.Integer("ellipsis_mask", 0)),
        new_axis_mask_(op.attributes.Integer("new_axis_mask", 0)),
        shrink_mask_(op.attributes.Integer("shrink_axis_mask", 0)) {}

  std::optional<TfStridedSlice> Run() {
    if (!ReadLists()) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < begin_.size(); ++i) {
      if (!Take(i)) {
        return std::nullopt;
      }
    }
    PassTo(shape_.size());
    return slice_;
  }

 private:
  bool ReadLists() {
    for (std::size_t i = 1; i < 4; ++i) {
      if (op_.ConstantOf(i) == nullptr) {
        return false;
      }
    }
    begin_ = WholeNumbers(*op_.ConstantOf(1));
    end_ = WholeNumbers(*op_.ConstantOf(2));
    strides_ = WholeNumbers(*op_.ConstantOf(3));
    return begin_.size() == end_.size() && begin_.size() == strides_.size() &&
           begin_.size() <= kMostBits;
  }

  static bool IsSet(std::int64_t mask, std::size_t bit) { return ((mask >> bit) & 1) != 0; }

  // Entry `i` of the lists.
  bool Take(std::size_t i) {
    if (IsSet(ellipsis_mask_, i)) {
      PassTo(shape_.size() - std::min(shape_.size(), NumAxesAfter(i)));
      return true;
    }
    if (IsSet(new_axis_mask_, i)) {
      slice_.shape.push_back(1);
      return true;
    }
    if (axis_ == shape_.size() || strides_[i] == 0) {
      return false;
    }
    TfStridedSlice::Part part = IsSet(shrink_mask_, i) ? OneOf(i) : PartOf(i);
    if (!IsSet(shrink_mask_, i)) {
      slice_.shape.push_back(part.count);
    }
    slice_.parts.push_back(part);
    ++axis_;
    return true;
  }

  // Axes that entries behind `i` take.
  [[nodiscard]] std::size_t NumAxesAfter(std::size_t i) const {
    std::size_t count = 0;
    for (std::size_t j = i + 1; j < begin_.size(); ++j) {
      count += IsSet(new_axis_mask_, j) ? 0 : 1;
    }
    return count;
  }

  // Takes whole axes up to `axis`.
  void PassTo(std::size_t axis) {
    for (; axis_ < axis; ++axis_) {
      slice_.parts.push_back({.count = shape_[axis_]});
      slice_.shape.push_back(shape_[axis_]);
    }
  }

  [[nodiscard]] TfStridedSlice::Part OneOf(std::size_t i) const {
    const std::int64_t at = begin_[i] < 0 ? begin_[i] + shape_[axis_] : begin_[i];
    return {.begin = at, .count = 1};
  }

  [[nodiscard]] TfStridedSlice::Part PartOf(std::size_t i) const {
    const std::int64_t extent = shape_[axis_];
    const std::int64_t stride = strides_[i];
    // Legal positions: [0, extent] forwards, [−1, extent − 1] backwards.
    const std::int64_t low = stride > 0 ? 0 : -1;
    const std::int64_t high = stride > 0 ? extent : extent - 1;
    const auto place = [&](std::int64_t at) {
      return std::clamp(at < 0 ? at + extent : at, low, high);
    };
    const std::int64_t begin = IsSet(begin_mask_, i) ? (stride > 0 ? low : high) : place(begin_[i]);
    const std::int64_t end = IsSet(end_mask_, i) ? (stride > 0 ? high : low) : place(end_[i]);
    const std::int64_t distance = stride > 0 ? end - begin : begin - end;
    const std::int64_t step = stride > 0 ? stride : -stride;
    const std::int64_t count = distance <= 0 ? 0 : (distance + step - 1) / step;
    return {.begin = begin, .stride = stride, .count = count};
  }

  static constexpr std::size_t kMostBits = 32;  // of a mask

  const TfOp& op_;
  const Shape& shape_;
  std::int64_t begin_mask_;
  std::int64_t end_mask_;
  std::int64_t ellipsis_mask_;
  std::int64_t new_axis_mask_;
  std::int64_t shrink_mask_;
  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> end_;
  std::vector<std::int64_t> strides_;
  std::size_t axis_ = 0;  // of the tensor
  TfStridedSlice slice_;
};

}  // namespace

std::optional<TfStridedSlice> FindStridedSlice(const TfOp& op, const Shape& shape) {
  return Slicer(op, shape).Run();
}

}  // namespace opyard::graphs
