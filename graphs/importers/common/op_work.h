// Arithmetic and shape blocks of imported ops, from shapes alone.
#pragma once

#include <cstdint>
#include <optional>

#include "graphs/builder/shape.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The work of one run of an op, as far as shapes determine it.
struct OpWork {
  Flops flops;  // a multiply-add counts 2
  std::optional<sim::WorkShape> work;
  std::optional<Bytes> bytes_accessed;  // nothing: inputs + outputs
};

// The number of elements; exact below 2^53, never an overflow.
[[nodiscard]] double Elements(const Shape& shape);

// `batch` products [m, k] × [k, n]. No shape block where an extent is 0 or beyond int32.
[[nodiscard]] OpWork GemmWork(double m, double n, double k, double batch = 1.0);

// The shapes of one convolution, whichever of its passes an op is.
struct ConvShapes {
  Shape image;   // [batch, channels, …]
  Shape filter;  // [filters, channels / groups, …]
  Shape result;  // [batch, filters, …]
  // The strides along the last two dimensions; 0 where it is not known.
  std::int64_t stride_h = 0;
  std::int64_t stride_w = 0;
};

// The work of `pass`: 2 · elements of the result · elements of one filter, whatever the pass. The
// block's strides and paddings are those that give the result's extents: the nearest stride where
// it is not known, then the least padding. No block in three dimensions or where none fits. Nothing
// if the shapes are not those of a convolution without transposition.
[[nodiscard]] std::optional<OpWork> ConvWorkFromShapes(sim::ConvPass pass,
                                                       const ConvShapes& shapes);

// The extents of attention over `batch` sequences and `heads` heads.
struct AttentionShapes {
  double batch = 1.0;
  double heads = 1.0;
  double queries = 0.0;
  double keys = 0.0;
  double width = 0.0;
  double value_width = 0.0;
};

// Two products and a softmax of 5 per score; backward the scores anew, four gradients and 4 per
// score (sim::FlopsOf). No shape block where an extent is 0 or beyond int32.
[[nodiscard]] OpWork AttentionWork(sim::AttentionPass pass, const AttentionShapes& shapes);

// Adds `flops` to `work`.
[[nodiscard]] OpWork Plus(OpWork work, double flops);

}  // namespace opyard::graphs
