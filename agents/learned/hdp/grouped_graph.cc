#include "agents/learned/hdp/grouped_graph.h"

#include "env/observation.h"

namespace opyard::agents::hdp {
namespace {

// The count of each number in [0, `size`) among `numbers`, [size] float32. Not torch::bincount,
// which, on a GPU, waits for the numbers to know how large its result is.
torch::Tensor Counts(const torch::Tensor& numbers, std::int64_t size) {
  const torch::Tensor all = numbers.flatten();
  return all.new_zeros({size}).index_add_(0, all, torch::ones_like(all)).to(torch::kFloat);
}

// Sums of `values` [U, W] over the units in each row of all samples, `rows` [K, U]: [size, W].
torch::Tensor Sums(const torch::Tensor& values, const torch::Tensor& rows, std::int64_t size) {
  return values.new_zeros({size, values.size(1)})
      .index_add_(0, rows.flatten(), values.repeat({rows.size(0), 1}));
}

}  // namespace

std::int64_t GroupWidth(std::int64_t num_groups) {
  return 2 * num_groups + env::kTypeVocabulary + kShapeWidth;
}

GroupedGraph MakeGroupedGraph(const OpFeatures& features,
                              const torch::Tensor& groups,
                              std::int64_t num_groups) {
  const torch::NoGradGuard no_grad;
  const std::int64_t num_samples = groups.size(0);
  const std::int64_t num_rows = num_samples * num_groups;
  const torch::Tensor rows =  // [K, U]: groups counted over all samples
      groups + torch::arange(num_samples, groups.options()).unsqueeze(1) * num_groups;
  const torch::Tensor feeds =  // [K, G, G]: edges from the row's group to the column's
      Counts(rows.index_select(1, features.edges[0]) * num_groups +
                 groups.index_select(1, features.edges[1]),
             num_rows * num_groups)
          .view({num_samples, num_groups, num_groups});
  const torch::Tensor types =  // [K, G, types]
      Counts(rows.index_select(1, features.unit_of_op) * env::kTypeVocabulary + features.op_type,
             num_rows * env::kTypeVocabulary)
          .view({num_samples, num_groups, env::kTypeVocabulary});
  const torch::Tensor shapes =  // [K, G, kShapeWidth]
      Sums(features.shapes, rows, num_rows).view({num_samples, num_groups, kShapeWidth});
  const torch::Tensor x = torch::cat({feeds, feeds.transpose(1, 2), types, shapes}, 2);
  const torch::Tensor is_used = types.sum(2) > 0;  // [K, G]
  torch::Tensor device_mask =                      // [K, G, D]
      Sums(features.device_mask.to(torch::kFloat), rows, num_rows)
          .view({num_samples, num_groups, -1}) > 0;
  device_mask.select(2, 0).logical_or_(is_used.logical_not());
  return {
      .x = x / (x.amax(2, /*keepdim=*/true) + 1.0), .device_mask = device_mask, .is_used = is_used};
}

}  // namespace opyard::agents::hdp
