#include "agents/learned/go/decision_rows.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/learned/common/feature_tensors.h"

namespace opyard::agents {
namespace {

// The ops of each row.
SparseEdges OpsOfRows(const GroupSequence& sequence) {
  std::vector<std::vector<std::int64_t>> ops(static_cast<std::size_t>(sequence.num_groups));
  for (std::size_t op = 0; op < sequence.group_of_op.size(); ++op) {
    ops[static_cast<std::size_t>(sequence.group_of_op[op])].push_back(
        static_cast<std::int64_t>(op));
  }
  SparseRows rows;
  for (const std::vector<std::int64_t>& of_row : ops) {
    rows.Append(of_row);
  }
  return MakeSparseEdges(rows);
}

// [N, W] → [R, W].
torch::Tensor OverOps(const torch::Tensor& values, const SparseEdges& ops, Aggregation how) {
  return Scatter(Gather(values.unsqueeze(0), ops), ops, how).squeeze(0);
}

// a / b of squash(a ÷ b) = √(a/b) / (1 + √(a/b)) (env/features/columns.h).
torch::Tensor Ratio(const torch::Tensor& squashed) {
  return (squashed / (1.0 - squashed).clamp_min(1e-6)).square();
}

// What the tensors that an op hands on take, in times of the mean op: [N].
torch::Tensor Sent(const OpGraph& graph) {
  const torch::Tensor times =  // [1, E, 1], of the edges to the consumers
      Ratio(graph.consumers.x.slice(1, 1, 2)).unsqueeze(0);
  return Scatter(times, graph.consumers.edges, Aggregation::kSum).flatten();
}

// The shares of the rows in the sum over all, [R], as the columns have them.
torch::Tensor Relative(const torch::Tensor& sums) {
  const torch::Tensor shares = sums / sums.sum().clamp_min(1e-12);
  return shares / (shares + 1.0 / static_cast<double>(sums.size(0)));
}

torch::Tensor RowColumns(const OpGraph& graph, const SparseEdges& ops) {
  constexpr std::array<std::string_view, 4> kSummed = {
      "time_to_work", "time_to_critical_path", "params_to_capacity", "working_to_capacity"};
  std::vector<torch::Tensor> summed;  // [N] each
  for (const std::string_view name : kSummed) {
    summed.push_back(Ratio(graph.x.select(1, ColumnOf(env::kFeatureNames, name))));
  }
  summed.push_back(torch::ones(graph.x.size(0)));
  summed.push_back(Sent(graph));
  std::vector<torch::Tensor> columns;  // [R, …] each
  for (const torch::Tensor& values : summed) {
    columns.push_back(Relative(OverOps(values.unsqueeze(1), ops, Aggregation::kSum)));
  }
  columns.push_back(OverOps(graph.x, ops, Aggregation::kMean));
  return torch::cat(columns, 1);
}

}  // namespace

DecisionRows MakeDecisionRows(const OpGraph& graph, GroupSequence sequence) {
  const torch::NoGradGuard no_grad;
  DecisionRows rows{.sequence = std::move(sequence), .ops = {}, .x = {}, .mask = {}};
  rows.ops = OpsOfRows(rows.sequence);
  rows.x = RowColumns(graph, rows.ops);
  rows.mask = DeviceMask(rows.sequence);
  return rows;
}

}  // namespace opyard::agents
