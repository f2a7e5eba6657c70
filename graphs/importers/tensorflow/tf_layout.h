// Positions of batch, channels and spatial dimensions in images and filters of TensorFlow.
#pragma once

#include <cstddef>
#include <vector>

#include "graphs/importers/tensorflow/tf_attributes.h"

namespace opyard::graphs {

// data_format: "NHWC", "NCHW", "NDHWC", "NCDHW".
class TfLayout {
 public:
  TfLayout(const TfAttributes& attributes, std::size_t rank)
      : is_channels_first_(attributes.Text("data_format").starts_with("NC")), rank_(rank) {}

  [[nodiscard]] std::size_t channels() const { return is_channels_first_ ? 1 : rank_ - 1; }
  [[nodiscard]] std::size_t first_of_space() const { return is_channels_first_ ? 2 : 1; }
  [[nodiscard]] std::size_t num_dims_of_space() const { return rank_ - 2; }

  // The entries of a list with one number per axis; 0 where it has another length.
  [[nodiscard]] std::vector<std::int64_t> SpaceOf(const std::vector<std::int64_t>& list) const {
    std::vector<std::int64_t> entries(num_dims_of_space(), 0);
    for (std::size_t i = 0; i < entries.size() && list.size() == rank_; ++i) {
      entries[i] = list[first_of_space() + i];
    }
    return entries;
  }

  // The image as [batch, channels, …]. REQUIRES: image.size() is the rank, at least 3.
  [[nodiscard]] Shape ChannelsFirst(const Shape& image) const {
    Shape result{image[0], image[channels()]};
    for (std::size_t i = 0; i < num_dims_of_space(); ++i) {
      result.push_back(image[first_of_space() + i]);
    }
    return result;
  }

  // The inverse.
  [[nodiscard]] Shape FromChannelsFirst(const Shape& image) const {
    Shape result(rank_);
    result[0] = image[0];
    result[channels()] = image[1];
    for (std::size_t i = 0; i < num_dims_of_space(); ++i) {
      result[first_of_space() + i] = image[2 + i];
    }
    return result;
  }

 private:
  bool is_channels_first_;
  std::size_t rank_;
};

// [height, width, in, out] as [out, in, height, width], in any number of dimensions of space.
// REQUIRES: at least 3 axes.
[[nodiscard]] inline Shape TfFilterShape(const Shape& filter) {
  Shape result{filter[filter.size() - 1], filter[filter.size() - 2]};
  result.insert(result.end(), filter.begin(), filter.end() - 2);
  return result;
}

// A depthwise filter [h, w, channels, factor] has channels · factor filters of one channel.
[[nodiscard]] inline Shape TfDepthwiseFilterShape(const Shape& filter) {
  Shape result{filter[filter.size() - 1] * filter[filter.size() - 2], 1};
  result.insert(result.end(), filter.begin(), filter.end() - 2);
  return result;
}

}  // namespace opyard::graphs
