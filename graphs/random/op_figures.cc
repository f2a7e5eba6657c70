#include "graphs/random/op_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace opyard::graphs {
namespace {

using sim::OpSpec;
using sim::OutputSpec;

constexpr double kMedianTensorBytes = 4.0 * 1024 * 1024;
constexpr double kNominalFlopsPerSecond = 1e13;
constexpr double kNominalBytesPerSecond = 1e10;
constexpr double kElementBytes = 4.0;
constexpr double kReductionShare = 0.1;
constexpr double kViewShare = 0.1;

void MakeView(OpSpec& op, Bytes input) {
  op.type = "Reshape";
  op.inputs.resize(1);
  op.bytes_accessed = Bytes{0};
  op.outputs.push_back(OutputSpec{.bytes = input, .alias = sim::Alias::kInput});
}

}  // namespace

FigureOptions ReadFigureOptions(Options& options) {
  FigureOptions read;
  read.heavy = options.Double("heavy", 0.3, 0, 1);
  read.ccr = options.Double("ccr", 0.5, 1e-3, 1e3);
  read.memory_scale = options.Double("memory_scale", 1, 1e-6, 1e3);
  read.heterogeneity = options.Double("heterogeneity", 0.5, 0, 3);
  return read;
}

std::int64_t ReadNumOps(Options& options, std::int64_t fallback, std::int64_t most) {
  return options.Int("n", fallback, 1, most);
}

std::uint64_t ReadSeed(Options& options) {
  constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;
  return static_cast<std::uint64_t>(options.Int("seed", 0, 0, kLargestSeed));
}

double OpFigures::Vary() {
  return std::clamp(std::exp(options_.heterogeneity * rng_.Normal()), 1e-3, 1e3);
}

Bytes OpFigures::SampleBytes() {
  const double elements = kMedianTensorBytes * options_.memory_scale * Vary() / kElementBytes;
  return Bytes{static_cast<std::int64_t>(kElementBytes * std::ceil(elements))};
}

void OpFigures::MakePlaceholder(OpSpec& op) {
  op.type = "Placeholder";
  op.bytes_accessed = Bytes{0};
  op.outputs.push_back(OutputSpec{.bytes = SampleBytes()});
}

void OpFigures::MakeComputed(OpSpec& op, Bytes first_input) {
  const bool is_heavy = rng_.Uniform() < options_.heavy;
  const double sample = rng_.Uniform();
  if (is_heavy) {
    MakeHeavy(op);
  } else if (sample < kViewShare) {
    MakeView(op, first_input);
  } else {
    MakeLight(sample < kViewShare + kReductionShare ? "Softmax" : SampleElementwise(op), op);
  }
}

void OpFigures::MakeHeavy(OpSpec& op) {
  const Bytes bytes = SampleBytes();
  const double median_s =
      kMedianTensorBytes * options_.memory_scale / kNominalBytesPerSecond / options_.ccr;
  op.type = "MatMul";
  op.flops = Flops{std::round(median_s * kNominalFlopsPerSecond * Vary())};
  op.outputs.push_back(OutputSpec{.bytes = bytes});
  op.workspace_bytes = Bytes{bytes.count / 4};
}

std::string OpFigures::SampleElementwise(const OpSpec& op) {
  static constexpr std::array<const char*, 3> kOneInput = {"Relu", "Tanh", "Sigmoid"};
  static constexpr std::array<const char*, 2> kMoreInputs = {"Add", "Mul"};
  return op.inputs.size() == 1 ? kOneInput[rng_.Below(3)] : kMoreInputs[rng_.Below(2)];
}

void OpFigures::MakeLight(const std::string& type, OpSpec& op) {
  const Bytes bytes = SampleBytes();
  op.type = type;
  op.flops = Flops{std::round(static_cast<double>(bytes.count) / kElementBytes)};
  op.outputs.push_back(OutputSpec{.bytes = bytes});
}

}  // namespace opyard::graphs
