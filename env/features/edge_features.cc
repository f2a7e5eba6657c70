#include "env/features/edge_features.h"

#include <algorithm>
#include <cmath>

#include "env/features/columns.h"

namespace opyard::env {
namespace {

double LogBytes(const Edge& edge) {
  return std::log1p(static_cast<double>(edge.bytes.count));
}

// A control edge takes the latency alone; beside tensors it comes with them.
double TransferTime(const Edge& edge, const MeanRoute& route) {
  return route.Picoseconds(std::max<std::int64_t>(edge.num_tensors, 1), edge.bytes);
}

}  // namespace

std::vector<float> EdgeFeatures(std::span<const Edge> edges, const FeatureScales& scales) {
  double most = 0.0;
  for (const Edge& edge : edges) {
    most = std::max(most, LogBytes(edge));
  }
  std::vector<float> edge_x;
  edge_x.reserve(edges.size() * kNumEdgeFeatures);
  for (const Edge& edge : edges) {
    const double transfer_ps = TransferTime(edge, scales.mean_route);
    edge_x.push_back(most > 0.0 ? static_cast<float>(LogBytes(edge) / most) : 0.0F);
    edge_x.push_back(static_cast<float>(Squash(transfer_ps, scales.op_time_ps)));
    edge_x.push_back(edge.num_tensors > 0 ? 1.0F : 0.0F);
    edge_x.push_back(edge.is_control ? 1.0F : 0.0F);
  }
  return edge_x;
}

}  // namespace opyard::env
