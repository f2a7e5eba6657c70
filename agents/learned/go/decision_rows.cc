#include "agents/learned/go/decision_rows.h"

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/learned/common/feature_tensors.h"

namespace opyard::agents::go {
namespace {

// The members of each row, ascending; `row_of_member`: [members].
SparseEdges MembersOfRows(std::span<const std::int32_t> row_of_member, std::int64_t num_rows) {
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(num_rows));
  for (std::size_t i = 0; i < row_of_member.size(); ++i) {
    members[static_cast<std::size_t>(row_of_member[i])].push_back(static_cast<std::int64_t>(i));
  }
  SparseRows rows;
  for (const std::vector<std::int64_t>& of_row : members) {
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

// The transfer time of the tensors that an op hands on ÷ the time of the mean op: [N].
torch::Tensor Sent(const OpGraph& graph) {
  const torch::Tensor times =  // [1, E, 1], of the edges to the consumers
      Ratio(graph.links.consumers.x.slice(1, 1, 2)).unsqueeze(0);
  return Scatter(times, graph.links.consumers.edges, Aggregation::kSum).flatten();
}

// The shares of the rows in the sum over all, [R], as the columns have them.
torch::Tensor Relative(const torch::Tensor& sums) {
  const torch::Tensor shares = sums / sums.sum().clamp_min(1e-12);
  return shares / (shares + 1.0 / static_cast<double>(sums.size(0)));
}

// (value − mean) / deviation of each column over the rows, within ± 3; 0 where all rows are alike.
torch::Tensor StandardScores(const torch::Tensor& columns) {
  const torch::Tensor gone = columns - columns.mean(0, /*keepdim=*/true);
  const torch::Tensor deviation = gone.square().mean(0, /*keepdim=*/true).sqrt();
  return (gone / deviation.clamp_min(1e-6)).clamp(-3.0, 3.0);
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
  const torch::Tensor all = torch::cat(columns, 1);
  return torch::cat({all, StandardScores(all)}, 1);
}

// squash(ratio) of env/features/columns.h.
torch::Tensor Squashed(const torch::Tensor& ratio) {
  const torch::Tensor root = ratio.sqrt();
  return root / (1.0 + root);
}

OpLinks LinksOfRows(const OpGraph& graph, const GroupSequence& sequence) {
  const OpNeighbours& edges = graph.links.consumers;  // from target to source
  const std::int64_t num_rows = sequence.num_groups;
  const torch::Tensor row = torch::tensor(sequence.group_of_op, torch::kLong);
  const torch::Tensor from = row.index_select(0, edges.edges.target);  // [E]
  const torch::Tensor to = row.index_select(0, edges.edges.source);    // [E]
  const torch::Tensor outside = (from != to).nonzero().flatten();
  const auto [pairs, pair_of_edge, counts] =
      torch::_unique2((from * num_rows + to).index_select(0, outside), true, true);
  const torch::Tensor x = edges.x.index_select(0, outside);
  const torch::Tensor index = pair_of_edge.unsqueeze(1).expand_as(x);
  const torch::Tensor none = torch::zeros({pairs.size(0), x.size(1)});
  const torch::Tensor greatest = none.scatter_reduce(0, index, x, "amax");
  const std::int64_t time = ColumnOf(env::kEdgeFeatureNames, "transfer_to_op_time");
  const double rows_per_op = static_cast<double>(num_rows) / static_cast<double>(row.size(0));
  const torch::Tensor times =
      none.scatter_reduce(0, index, Ratio(x), "sum").select(1, time) * rows_per_op;
  greatest.select(1, time).copy_(Squashed(times));
  return MakeOpLinks(pairs.div(num_rows, "floor"), pairs.remainder(num_rows), greatest, num_rows);
}

}  // namespace

DecisionRows MakeDecisionRows(const OpGraph& graph, GroupSequence sequence) {
  const torch::NoGradGuard no_grad;
  const std::int64_t num_rows = sequence.num_groups;
  DecisionRows rows{.sequence = std::move(sequence)};
  rows.ops = MembersOfRows(rows.sequence.group_of_op, num_rows);
  rows.groups = MembersOfRows(rows.sequence.group_of_problem_group, num_rows);
  rows.x = RowColumns(graph, rows.ops);
  rows.mask = DeviceMask(rows.sequence);
  rows.links = LinksOfRows(graph, rows.sequence);
  return rows;
}

DecisionRows ToDevice(const DecisionRows& rows, torch::Device device) {
  return {.sequence = rows.sequence,
          .ops = ToDevice(rows.ops, device),
          .groups = ToDevice(rows.groups, device),
          .x = rows.x.to(device),
          .mask = rows.mask.to(device),
          .links = ToDevice(rows.links, device)};
}

}  // namespace opyard::agents::go
