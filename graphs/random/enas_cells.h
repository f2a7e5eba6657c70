// The two networks of random:enas (enas.h): the forward pass of each, up to its loss.
#pragma once

#include <cstdint>

#include "graphs/builder/graph_builder.h"
#include "sim/base/rng.h"

namespace opyard::graphs {

struct ImageCellSize {
  std::int64_t nodes = 0;
  std::int64_t layers = 0;  // a multiple of 3
  std::int64_t filters = 0;
  std::int64_t batch = 0;
};
// Samples the cells and builds the classifier; returns the mean loss.
[[nodiscard]] Tensor BuildImageCells(GraphBuilder& builder, const ImageCellSize& size, Rng& rng);

struct WordCellSize {
  std::int64_t nodes = 0;
  std::int64_t seq = 0;
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  std::int64_t vocab = 0;
};
// Samples the cell and builds the language model; returns the mean loss.
[[nodiscard]] Tensor BuildWordCells(GraphBuilder& builder, const WordCellSize& size, Rng& rng);

}  // namespace opyard::graphs
