#include "graphs/random/layered.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphs/random/arriving_jobs.h"
#include "graphs/random/op_figures.h"
#include "sim/base/rng.h"

namespace opyard::graphs {
namespace {

using sim::OpSpec;
using sim::OutputSpec;

constexpr std::int64_t kMostOps = 1'000'000;

struct LayeredOptions {
  std::int64_t n = 0;
  std::uint64_t seed = 0;
  std::int64_t num_variables = 0;
  std::int64_t num_backward = 0;
  std::int64_t num_forward = 0;
  std::int64_t num_layers = 0;
  double fan_in = 0;
  double skip = 0;
  FigureOptions figures;
  ArrivalOptions arrivals;
};

// `share` of `n`, rounded down.
std::int64_t ShareOf(double share, std::int64_t n) {
  return static_cast<std::int64_t>(share * static_cast<double>(n));
}

LayeredOptions ReadOptions(Options& options) {
  LayeredOptions read;
  read.n = ReadNumOps(options, 1000, kMostOps);
  read.seed = ReadSeed(options);
  // At least half of what is not a Variable is forward: every backward op has its forward op.
  read.num_variables = ShareOf(options.Double("variables", 0.1, 0, 0.5), read.n);
  read.num_backward = std::min(ShareOf(options.Double("backward", 0.4, 0, 0.5), read.n),
                               (read.n - read.num_variables) / 2);
  read.num_forward = read.n - read.num_variables - read.num_backward;
  const auto square = static_cast<std::int64_t>(std::sqrt(static_cast<double>(read.num_forward)));
  read.num_layers = std::min(options.Int("layers", square, 1, read.n), read.num_forward);
  read.fan_in = options.Double("fan_in", 2, 1, 16);
  read.skip = options.Double("skip", 0.1, 0, 1);
  read.figures = ReadFigureOptions(options);
  read.arrivals = ReadArrivalOptions(options, read.n, kMostOps);
  return read;
}

// Samples one job. Ops stand as Variables, forward ops by layer, backward ops.
class LayeredMaker {
 public:
  LayeredMaker(const LayeredOptions& options, const Rng& rng)
      : options_(options), rng_(rng), figures_(options.figures, rng_) {}

  std::vector<OpSpec> Make() {
    ops_.reserve(static_cast<std::size_t>(options_.n));
    gradients_.resize(static_cast<std::size_t>(options_.n));
    for (std::int64_t i = 0; i < options_.num_variables; ++i) {
      AddVariable(i);
    }
    for (std::int64_t layer = 0; layer < options_.num_layers; ++layer) {
      for (std::int64_t i = FirstOf(layer); i < FirstOf(layer + 1); ++i) {
        AddForward(i, layer);
      }
    }
    for (std::int64_t i = 0; i < options_.num_backward; ++i) {
      AddBackward(options_.num_variables + options_.num_forward - 1 - i);
    }
    return std::move(ops_);
  }

 private:
  // The first forward op of `layer`; of the layer past the last, the end.
  [[nodiscard]] std::int64_t FirstOf(std::int64_t layer) const {
    return options_.num_variables + options_.num_forward * layer / options_.num_layers;
  }

  void AddVariable(std::int64_t i) {
    const Bytes bytes = figures_.SampleBytes();
    OpSpec op{.name = "v" + std::to_string(i), .type = "Variable", .param_bytes = bytes};
    op.bytes_accessed = Bytes{0};
    op.outputs.push_back(OutputSpec{.bytes = bytes, .alias = sim::Alias::kParams});
    ops_.push_back(std::move(op));
  }

  void AddForward(std::int64_t index, std::int64_t layer) {
    OpSpec op{.name = "f" + std::to_string(index - options_.num_variables),
              .phase = sim::Phase::kForward,
              .layer = static_cast<std::int32_t>(layer)};
    if (layer == 0) {
      figures_.MakePlaceholder(op);
    } else {
      SampleInputs(layer, op);
      figures_.MakeComputed(op, OutputBytes(op.inputs[0].op));
      if (op.type == "MatMul" && options_.num_variables > 0) {
        op.inputs.push_back({.op = next_variable_, .output = 0});
        next_variable_ = (next_variable_ + 1) % options_.num_variables;
      }
    }
    ops_.push_back(std::move(op));
  }

  void SampleInputs(std::int64_t layer, OpSpec& op) {
    const auto most = static_cast<std::int64_t>(std::lround(2.0 * (options_.fan_in - 1.0)));
    const std::int64_t further = rng_.Between(0, most);
    const std::int64_t end = FirstOf(layer);
    for (std::int64_t i = 0; i <= further; ++i) {
      const bool is_long = i > 0 && rng_.Uniform() < options_.skip;
      const std::int64_t first = is_long ? options_.num_variables : FirstOf(layer - 1);
      op.inputs.push_back({.op = rng_.Between(first, end - 1), .output = 0});
    }
  }

  [[nodiscard]] Bytes OutputBytes(std::int64_t op) const {
    return ops_[static_cast<std::size_t>(op)].outputs[0].bytes;
  }

  // The twin of forward op `index`, whose readers' twins stand already.
  void AddBackward(std::int64_t index) {
    const OpSpec& forward = ops_[static_cast<std::size_t>(index)];
    OpSpec op{.name = "b" + std::to_string(index - options_.num_variables),
              .type = forward.type == "Placeholder" ? "Identity" : forward.type,
              .flops = forward.flops,
              .workspace_bytes = forward.workspace_bytes,
              .phase = sim::Phase::kBackward,
              .layer = forward.layer};
    for (const std::int64_t gradient : gradients_[static_cast<std::size_t>(index)]) {
      op.inputs.push_back({.op = gradient, .output = 0});
    }
    op.inputs.push_back({.op = index, .output = 0});
    op.outputs.push_back(OutputSpec{.bytes = OutputBytes(index)});
    if (forward.type == "MatMul") {
      op.flops = Flops{2.0 * forward.flops.count};
      AddWeightGradient(forward, op);
    }
    const auto twin = static_cast<std::int64_t>(ops_.size());
    for (const sim::InputRef& input : forward.inputs) {
      std::vector<std::int64_t>& readers = gradients_[static_cast<std::size_t>(input.op)];
      if (readers.empty() || readers.back() != twin) {
        readers.push_back(twin);
      }
    }
    ops_.push_back(std::move(op));
  }

  void AddWeightGradient(const OpSpec& forward, OpSpec& op) const {
    const sim::InputRef& last = forward.inputs.back();
    if (last.op < options_.num_variables) {
      op.inputs.push_back(last);
      op.outputs.push_back(OutputSpec{.bytes = OutputBytes(last.op)});
    }
  }

  LayeredOptions options_;
  Rng rng_;
  OpFigures figures_;
  std::vector<OpSpec> ops_;
  std::vector<std::vector<std::int64_t>> gradients_;  // of op i: the twins of its readers
  std::int64_t next_variable_ = 0;
};

// The first job is the graph that its seed gives alone.
std::vector<OpSpec> MakeJobs(const LayeredOptions& options) {
  const Rng rng(options.seed);
  if (options.arrivals.num_jobs == 1) {
    return LayeredMaker(options, rng).Make();
  }
  const std::vector<SimTime> releases = SampleReleases(options.arrivals, rng.Fork(0));
  std::vector<OpSpec> ops;
  for (std::size_t job = 0; job < releases.size(); ++job) {
    AppendJob(LayeredMaker(options, job == 0 ? rng : rng.Fork(job)).Make(),
              "job" + std::to_string(job) + "/",
              releases[job],
              ops);
  }
  return ops;
}

}  // namespace

std::shared_ptr<const sim::OpGraph> LayeredGraphSource::Make(const std::string& graph_name,
                                                             Options& options) const {
  const LayeredOptions read = ReadOptions(options);
  options.EnsureAllUsed("graph " + graph_name);
  sim::OpGraphBuilder builder(graph_name, "generated by random:layered");
  for (OpSpec& op : MakeJobs(read)) {
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

}  // namespace opyard::graphs
