// Common parts of all models of the zoo: their scale, their optimiser, the end of the step.
#pragma once

#include <memory>
#include <string>

#include "graphs/builder/graph_builder.h"
#include "graphs/builder/optimizer_step.h"
#include "graphs/zoo/conv_unit.h"
#include "sim/base/options.h"

namespace opyard::graphs {

inline constexpr std::int64_t kImageNetClasses = 1000;

// full: the published size; small: at most 1,000 ops; tiny: at most 500. The smaller ones have the
// same structure with fewer steps and layers, and fused updates.
enum class Scale : std::uint8_t { kFull, kSmall, kTiny };

// Reads the option `scale`.
[[nodiscard]] Scale ReadScale(Options& options);

// A default that depends on the scale.
struct ByScale {
  std::int64_t full = 0;
  std::int64_t small = 0;
  std::int64_t tiny = 0;

  [[nodiscard]] std::int64_t At(Scale scale) const {
    return scale == Scale::kFull ? full : scale == Scale::kSmall ? small : tiny;
  }
};

// Reads `microbatches`, of one step.
[[nodiscard]] std::int64_t ReadMicrobatches(Options& options);

// Reads the options of one model, with defaults by its scale.
class ModelOptions {
 public:
  ModelOptions(std::string graph_name, Options& options)
      : graph_name_(std::move(graph_name)), options_(options), scale_(ReadScale(options)) {}

  [[nodiscard]] Scale scale() const { return scale_; }
  // Throws InputError if it is not within [1, most].
  [[nodiscard]] std::int64_t Int(const std::string& name,
                                 const ByScale& fallback,
                                 std::int64_t most) {
    return options_.Int(name, fallback.At(scale_), 1, most);
  }
  // The same for what there may be none of.
  [[nodiscard]] std::int64_t Count(const std::string& name,
                                   const ByScale& fallback,
                                   std::int64_t most) {
    return options_.Int(name, fallback.At(scale_), 0, most);
  }
  // Reads `batch`, within [1, 65536], and gives that of one of `microbatches`, which divide it;
  // throws InputError where they do not.
  [[nodiscard]] std::int64_t Batch(const ByScale& fallback);
  [[nodiscard]] bool Bool(const std::string& name, bool fallback) {
    return options_.Bool(name, fallback);
  }
  // Reads `optimizer` (sgd, momentum, adam, rmsprop) and `updates` (primitive, fused).
  [[nodiscard]] OptimizerOptions Optimizer(const OptimizerOptions& full);
  // Normalisation as primitives or as one op: `norm` (primitive, fused).
  [[nodiscard]] NormOps Norm();
  // Throws InputError for options that nobody has read.
  void Close() const { options_.EnsureAllUsed("graph " + graph_name_); }
  [[nodiscard]] const std::string& graph_name() const { return graph_name_; }

 private:
  std::string graph_name_;
  Options& options_;
  Scale scale_;
};

// A builder for the graph of `options`, whose options have all been read.
[[nodiscard]] GraphBuilder StartModel(const ModelOptions& options);

// `loss` plus the weighted sum of the L2 losses of `weights`; fused updates do that themselves.
[[nodiscard]] Tensor AddWeightLoss(GraphBuilder& builder,
                                   const Tensor& loss,
                                   const std::vector<Tensor>& weights,
                                   const OptimizerOptions& optimizer);

// Adds the backward pass of scalar `loss` and the updates, and makes the graph, which keeps `loss`.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> FinishTraining(GraphBuilder& builder,
                                                                 const Tensor& loss,
                                                                 const OptimizerOptions& optimizer);

}  // namespace opyard::graphs
