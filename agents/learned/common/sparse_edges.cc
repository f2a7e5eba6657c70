#include "agents/learned/common/sparse_edges.h"

#include <algorithm>

namespace opyard::agents {

void SparseRows::Append(const std::vector<std::int64_t>& sources) {
  source.insert(source.end(), sources.begin(), sources.end());
  first.push_back(std::ssize(source));
}

SparseEdges MakeSparseEdges(const SparseRows& rows) {
  std::vector<std::int64_t> target;
  std::vector<float> inverse;
  for (std::size_t row = 0; row + 1 < rows.first.size(); ++row) {
    const std::int64_t num_edges = rows.first[row + 1] - rows.first[row];
    target.insert(
        target.end(), static_cast<std::size_t>(num_edges), static_cast<std::int64_t>(row));
    inverse.push_back(1.0F / static_cast<float>(std::max<std::int64_t>(num_edges, 1)));
  }
  return {.num_rows = rows.num_rows(),
          .source = torch::tensor(rows.source, torch::kLong),
          .target = torch::tensor(target, torch::kLong),
          .inverse = torch::tensor(inverse).unsqueeze(1)};
}

SparseEdges ToDevice(const SparseEdges& edges, torch::Device device) {
  return {.num_rows = edges.num_rows,
          .source = edges.source.to(device),
          .target = edges.target.to(device),
          .inverse = edges.inverse.to(device)};
}

torch::Tensor Gather(const torch::Tensor& values, const SparseEdges& edges) {
  return values.index_select(1, edges.source);
}

torch::Tensor Scatter(const torch::Tensor& values,
                      const SparseEdges& edges,
                      Aggregation aggregation) {
  const torch::Tensor none =  // [B, R, W]
      torch::zeros({values.size(0), edges.num_rows, values.size(2)}, values.options());
  if (aggregation == Aggregation::kMax) {
    const torch::Tensor target = edges.target.view({1, -1, 1}).expand_as(values);  // [B, E, W]
    return none.scatter_reduce(1, target, values, "amax", /*include_self=*/false);
  }
  const torch::Tensor sums = none.index_add(1, edges.target, values);
  return aggregation == Aggregation::kMean ? sums * edges.inverse : sums;
}

}  // namespace opyard::agents
