#include "env/features/op_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "env/features/columns.h"

namespace opyard::env {
namespace {

// Columns of Observation::x (see the table at kFeatureNames).
enum OpColumn : std::size_t {
  kOutputBytes = 0,
  kParamBytes = 1,
  kWorkspaceBytes = 2,
  kFlops = 3,
  kComputeTime = 4,
  kShape = 5,
  kInDegree = 10,
  kOutDegree = 11,
  kRank = 12,
  kFromSources = 13,
  kToSinks = 14,
  kFusionClass = 15,
  kIsColocated = 21,
  kIsBackward = 22,
  kIsUpdate = 23,
  kTransferToCompute = 24,
  kParamsToCapacity = 25,
  kWorkingToCapacity = 26,
  kTimeToCriticalPath = 27,
  kTimeToWork = 28,
  kTimeToOpTime = 29,
};
constexpr std::size_t kMostDims = 5;

// The rows of x in double precision, those columns that are no ratios not yet divided by their
// maxima. Lengths of paths are in picoseconds.
class RawFeatures {
 public:
  RawFeatures(const Problem& problem, const FeatureScales& scales)
      : problem_(problem), scales_(scales), values_(problem.graph().num_ops() * kNumFeatures, 0.0) {
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      FillSizes(OpId(op));
      FillKind(OpId(op));
      FillShares(OpId(op));
    }
  }

  void FillDegrees(std::span<const Edge> edges) {
    for (const Edge& edge : edges) {
      At(edge.from, kOutDegree) += 1.0;
      At(edge.to, kInDegree) += 1.0;
    }
  }

  // REQUIRES: `edges` sorted by the topological index of the producer.
  void FillPaths(std::span<const Edge> edges) {
    const std::size_t num_ops = problem_.graph().num_ops();
    for (std::size_t i = 0; i < num_ops; ++i) {
      At(OpId(i), kRank) =
          problem_.graph().topological_index(OpId(i)) / static_cast<double>(num_ops);
      At(OpId(i), kFromSources) = TimeOf(OpId(i));
      At(OpId(i), kToSinks) = TimeOf(OpId(i));
    }
    for (const Edge& edge : edges) {
      Lengthen(edge.to, kFromSources, At(edge.from, kFromSources));
    }
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
      Lengthen(edge->from, kToSinks, At(edge->to, kToSinks));
    }
    double critical_path_ps = 0.0;
    for (std::size_t i = 0; i < num_ops; ++i) {
      critical_path_ps = std::max(critical_path_ps, At(OpId(i), kFromSources));
    }
    for (std::size_t i = 0; i < num_ops; ++i) {
      At(OpId(i), kTimeToCriticalPath) = Squash(TimeOf(OpId(i)), critical_path_ps);
    }
  }

  // Each column before kFirstRatio divided by its maximum. The longest path is the maximum of both
  // path columns, so this also divides them by the critical path.
  [[nodiscard]] std::vector<float> Normalised() const {
    std::array<double, kNumFeatures> maximum{};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      maximum[i % kNumFeatures] = std::max(maximum[i % kNumFeatures], values_[i]);
    }
    std::fill(maximum.begin() + kFirstRatio, maximum.end(), 1.0);
    std::vector<float> x(values_.size(), 0.0F);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const double most = maximum[i % kNumFeatures];
      x[i] = most > 0.0 ? static_cast<float>(values_[i] / most) : 0.0F;
    }
    return x;
  }

 private:
  double& At(OpId op, std::size_t column) { return values_[op.index() * kNumFeatures + column]; }

  // In picoseconds.
  [[nodiscard]] double TimeOf(OpId op) const {
    return static_cast<double>(scales_.op_times[op.index()].picoseconds);
  }

  // The longest path through `op` with `before_ps` on the far side of an edge.
  void Lengthen(OpId op, std::size_t column, double before_ps) {
    double& length_ps = At(op, column);
    length_ps = std::max(length_ps, before_ps + TimeOf(op));
  }

  void FillSizes(OpId id) {
    const sim::OpGraph& graph = problem_.graph();
    const sim::Op& op = graph.op(id);
    double output_bytes = 0.0;
    for (std::size_t i = 0; i < graph.num_outputs(id); ++i) {
      output_bytes += static_cast<double>(graph.tensor(graph.output(id, i)).bytes.count);
    }
    At(id, kOutputBytes) = std::log1p(output_bytes);
    At(id, kParamBytes) = std::log1p(static_cast<double>(op.param_bytes.count));
    At(id, kWorkspaceBytes) = std::log1p(static_cast<double>(op.workspace_bytes.count));
    At(id, kFlops) = std::log1p(op.flops.count);
    At(id, kComputeTime) = std::log1p(TimeOf(id) / 1e6);
    if (graph.num_outputs(id) > 0) {
      const auto shape = graph.shape(graph.output(id, 0));
      for (std::size_t dim = 0; dim < std::min(shape.size(), kMostDims); ++dim) {
        At(id, kShape + dim) = std::log1p(static_cast<double>(shape[dim]));
      }
    }
  }

  void FillKind(OpId id) {
    const sim::Op& op = problem_.graph().op(id);
    At(id, kFusionClass + static_cast<std::size_t>(op.fusion_class)) = 1.0;
    At(id, kIsColocated) = op.colocation.has_value() ? 1.0 : 0.0;
    At(id, kIsBackward) = op.phase == sim::Phase::kBackward ? 1.0 : 0.0;
    At(id, kIsUpdate) = op.phase == sim::Phase::kUpdate ? 1.0 : 0.0;
  }

  // All ratios but the one to the critical path.
  void FillShares(OpId id) {
    const sim::Op& op = problem_.graph().op(id);
    const Bytes working = op.workspace_bytes + OwnOutputBytes(problem_.graph(), id);
    const double capacity = scales_.capacity_bytes;
    At(id, kTransferToCompute) = Squash(TransferTimeOf(id), TimeOf(id));
    At(id, kParamsToCapacity) = Squash(static_cast<double>(op.param_bytes.count), capacity);
    At(id, kWorkingToCapacity) = Squash(static_cast<double>(working.count), capacity);
    At(id, kTimeToWork) = Squash(TimeOf(id), static_cast<double>(scales_.work.picoseconds));
    At(id, kTimeToOpTime) = Squash(TimeOf(id), scales_.op_time_ps);
  }

  // The transfer time of the outputs that some op reads, in picoseconds.
  [[nodiscard]] double TransferTimeOf(OpId op) const {
    const sim::OpGraph& graph = problem_.graph();
    std::int64_t num_read = 0;
    Bytes read;
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId tensor = graph.output(op, i);
      if (!graph.consumers(tensor).empty()) {
        ++num_read;
        read += graph.tensor(tensor).bytes;
      }
    }
    return scales_.mean_route.Picoseconds(num_read, read);
  }

  const Problem& problem_;
  const FeatureScales& scales_;
  std::vector<double> values_;  // [num_ops, kNumFeatures] row-major
};

}  // namespace

std::vector<float> OpFeatures(const Problem& problem,
                              std::span<const Edge> edges,
                              const FeatureScales& scales) {
  RawFeatures features(problem, scales);
  features.FillDegrees(edges);
  features.FillPaths(edges);
  return features.Normalised();
}

}  // namespace opyard::env
