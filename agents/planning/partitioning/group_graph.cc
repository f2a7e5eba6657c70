#include "agents/planning/partitioning/group_graph.h"

#include <map>
#include <set>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"

namespace opyard::agents {
namespace {

using BytesByNeighbour = std::map<std::size_t, double>;

std::vector<BytesByNeighbour> Traffic(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  std::vector<BytesByNeighbour> rows(NumGroups(problem));
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    const std::size_t source = GroupOf(problem, tensor.producer);
    std::set<std::size_t> targets;
    for (const OpId consumer : graph.consumers(TensorId(i))) {
      targets.insert(GroupOf(problem, consumer));
    }
    targets.erase(source);
    for (const std::size_t target : targets) {
      if (tensor.bytes.count > 0) {
        rows[source][target] += static_cast<double>(tensor.bytes.count);
        rows[target][source] += static_cast<double>(tensor.bytes.count);
      }
    }
  }
  return rows;
}

}  // namespace

GroupGraph BuildGroupGraph(const env::Problem& problem) {
  GroupGraph result{.first_edge = {0},
                    .neighbour = {},
                    .edge_bytes = {},
                    .seconds = std::vector<double>(NumGroups(problem), 0.0),
                    .memory = GroupBytes(problem)};
  for (const BytesByNeighbour& row : Traffic(problem)) {
    for (const auto& [neighbour, bytes] : row) {
      result.neighbour.push_back(neighbour);
      result.edge_bytes.push_back(bytes);
    }
    result.first_edge.push_back(result.neighbour.size());
  }
  for (const OpId op : problem.graph().topological_order()) {
    result.seconds[GroupOf(problem, op)] +=
        problem.costs().time(op, problem.first_accelerator()).seconds();
  }
  return result;
}

}  // namespace opyard::agents
