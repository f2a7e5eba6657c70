#include "sim/graph/boost_graph.h"

#include <vector>

#include <boost/graph/dag_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<OpGraph>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<OpGraph, OpId, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<OpGraph, OpId, boost::vertex_name_t>));
BOOST_CONCEPT_ASSERT((boost::ReadablePropertyGraphConcept<OpGraph, OpEdge, boost::edge_weight_t>));

// a makes two tensors; b reads the first twice, c both, and c waits for b. d stands alone.
std::shared_ptr<const OpGraph> FourOps() {
  OpSpec c = TimedOp("c", 1, {{.op = 0}, {.op = 0, .output = 1}}, {});
  c.control_inputs = {1};
  return MakeGraph({TimedOp("a", 1, {}, {20, 30}),
                    TimedOp("b", 1, {{.op = 0}, {.op = 0}}, {}),
                    c,
                    TimedOp("d", 1)});
}

template <class Iterator>
std::vector<std::pair<int, int>> EndsOf(std::pair<Iterator, Iterator> range) {
  std::vector<std::pair<int, int>> ends;
  for (; range.first != range.second; ++range.first) {
    const OpEdge edge = *range.first;
    ends.emplace_back(edge.from.value, edge.to.value);
  }
  return ends;
}

TEST(OpGraphAsBoostGraphTest, AnEdgeIsATensorAndItsReaderOrAControlEdge) {
  const auto graph = FourOps();
  EXPECT_THAT(EndsOf(edges(*graph)),
              ElementsAre(std::pair(0, 1), std::pair(0, 2), std::pair(0, 2), std::pair(1, 2)));
  EXPECT_EQ(num_edges(*graph), 4U);
}

TEST(OpGraphAsBoostGraphTest, EdgesInAndOutAreTheSame) {
  const auto graph = FourOps();
  std::size_t num_in = 0;
  std::size_t num_out = 0;
  for (auto [op, end] = vertices(*graph); op != end; ++op) {
    num_in += EndsOf(in_edges(*op, *graph)).size();
    num_out += out_degree(*op, *graph);
    EXPECT_EQ(EndsOf(in_edges(*op, *graph)).size(), in_degree(*op, *graph));
    EXPECT_EQ(EndsOf(out_edges(*op, *graph)).size(), out_degree(*op, *graph));
  }
  EXPECT_EQ(num_in, 4U);
  EXPECT_EQ(num_out, 4U);
  EXPECT_THAT(EndsOf(in_edges(OpId(2), *graph)),
              ElementsAre(std::pair(0, 2), std::pair(0, 2), std::pair(1, 2)));
}

TEST(OpGraphAsBoostGraphTest, AGraphWithoutEdgesHasNone) {
  const auto graph = MakeGraph({TimedOp("a", 1, {}, {}), TimedOp("b", 1)});
  EXPECT_THAT(EndsOf(edges(*graph)), ElementsAre());
  EXPECT_EQ(num_edges(*graph), 0U);
}

TEST(OpGraphAsBoostGraphTest, WeightsAreBytesAndNothingTravelsOnControlEdges) {
  const auto graph = FourOps();
  std::vector<std::int64_t> weights;
  for (auto [edge, end] = edges(*graph); edge != end; ++edge) {
    weights.push_back(get(boost::edge_weight, *graph, *edge));
  }
  EXPECT_THAT(weights, ElementsAre(20, 20, 30, 0));
  EXPECT_EQ(get(boost::vertex_name, *graph, OpId(3)), "d");
}

TEST(OpGraphAsBoostGraphTest, NeighboursComeOncePerEdge) {
  const auto graph = FourOps();
  const auto [begin, end] = adjacent_vertices(OpId(0), *graph);
  EXPECT_THAT(std::vector<OpId>(begin, end), ElementsAre(OpId(1), OpId(2), OpId(2)));
}

TEST(OpGraphAsBoostGraphTest, AlgorithmsRunOnItAndOnItsReverse) {
  const auto graph = FourOps();
  std::vector<OpId> reversed_order;
  boost::topological_sort(*graph, std::back_inserter(reversed_order));
  EXPECT_EQ(reversed_order.size(), 4U);
  std::vector<OpId> order;
  const auto reversed = boost::make_reverse_graph(*graph);
  boost::topological_sort(reversed, std::back_inserter(order));
  EXPECT_LT(std::ranges::find(order, OpId(0)), std::ranges::find(order, OpId(2)));
  std::vector<std::int64_t> distances(graph->num_ops());
  boost::dag_shortest_paths(
      *graph,
      OpId(0),
      boost::distance_map(boost::make_iterator_property_map(
          distances.begin(), get(boost::vertex_index, *graph), distances[0])));
  // a → c over the first tensor and a → b → c over the control edge both weigh 20.
  EXPECT_EQ(distances[2], 20);
}

}  // namespace
}  // namespace opyard::sim
