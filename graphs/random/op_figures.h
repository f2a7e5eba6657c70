// Types, FLOPs and bytes for the ops of random graphs, like those of a training step.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/options.h"
#include "sim/base/rng.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// key            default  range        meaning
// heavy          0.3      0 … 1        share of matrix products
// ccr            0.5      1e-3 … 1e3   communication to computation
// memory_scale   1        1e-6 … 1e3   of all bytes
// heterogeneity  0.5      0 … 3        0: all alike
struct FigureOptions {
  double heavy = 0;
  double ccr = 0;
  double memory_scale = 0;
  double heterogeneity = 0;
};

// Throws InputError for a value out of range.
[[nodiscard]] FigureOptions ReadFigureOptions(Options& options);

// The number of ops (key `n`, `fallback`, at most `most`) and the key `seed` (0 … 2^53).
[[nodiscard]] std::int64_t ReadNumOps(Options& options, std::int64_t fallback, std::int64_t most);
[[nodiscard]] std::uint64_t ReadSeed(Options& options);

// Samples the figures of one op after another.
//
// Outputs have 4 MiB · `memory_scale` in the median, varied log-normally with `heterogeneity` (the
// standard deviation of the logarithm, cut off at a thousandth and a thousandfold); views are as
// large as their input. A share `heavy` are matrix products, whose FLOPs are such that, in the
// median, 10 TFLOP/s take 1/`ccr` of the time that 10 GB/s take for the output; the others are
// elementwise ops, and a tenth each reductions and views.
class OpFigures {
 public:
  // `rng` outlives this.
  OpFigures(const FigureOptions& options, Rng& rng) : options_(options), rng_(rng) {}

  [[nodiscard]] Bytes SampleBytes();
  void MakePlaceholder(sim::OpSpec& op);
  // Gives type, FLOPs, workspace and the one output to `op`, which has its inputs; a view keeps
  // only the first of them, of `first_input` bytes. REQUIRES: at least one input.
  void MakeComputed(sim::OpSpec& op, Bytes first_input);

 private:
  // Log-normal with median 1, within 1e-3 … 1e3.
  double Vary();
  void MakeHeavy(sim::OpSpec& op);
  void MakeLight(const std::string& type, sim::OpSpec& op);
  std::string SampleElementwise(const sim::OpSpec& op);

  FigureOptions options_;
  Rng& rng_;
};

}  // namespace opyard::graphs
