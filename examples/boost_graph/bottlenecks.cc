// Names the ops that most of a graph's data has to pass: an algorithm of Boost.Graph on a graph of
// your own. An op's figure is its betweenness: over all pairs of other ops, the share of the
// shortest chains from one to the other that run through it. Where it is high there is little to do
// side by side, and a cut between devices is cheap.
//
//     boost_graph_example GRAPH.graph.json
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <vector>

#include <boost/graph/betweenness_centrality.hpp>

#include "sim/base/error.h"
#include "sim/graph/boost_graph.h"
#include "sim/io/graph/graph_json.h"

namespace {

constexpr std::size_t kMostShown = 10;

// The betweenness centrality of each op. O(ops · edges).
std::vector<double> BetweennessOf(const opyard::sim::OpGraph& graph) {
  std::vector<double> betweenness(graph.num_ops());
  boost::brandes_betweenness_centrality(
      graph,
      boost::make_iterator_property_map(betweenness.begin(), get(boost::vertex_index, graph)));
  return betweenness;
}

void PrintBottlenecks(const opyard::sim::OpGraph& graph) {
  const std::vector<double> betweenness = BetweennessOf(graph);
  const auto [begin, end] = vertices(graph);
  std::vector<opyard::OpId> ops(begin, end);
  std::ranges::stable_sort(
      ops, std::ranges::greater(), [&](opyard::OpId op) { return betweenness[op.index()]; });
  ops.resize(std::min(ops.size(), kMostShown));
  for (const opyard::OpId op : ops) {
    std::cout << std::fixed << std::setprecision(1) << std::setw(12) << betweenness[op.index()]
              << "  " << get(boost::vertex_name, graph, op) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: boost_graph_example GRAPH.graph.json\n";
    return 2;
  }
  try {
    PrintBottlenecks(*opyard::sim::ReadGraphFile(argv[1]));
  } catch (const opyard::Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
