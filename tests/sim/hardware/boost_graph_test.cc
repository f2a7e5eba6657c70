#include "sim/hardware/boost_graph.h"

#include <boost/graph/connected_components.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/strong_components.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using opyard::testing::BusMachine;
using opyard::testing::Microseconds;
using opyard::testing::StarMachine;
using ::testing::ElementsAre;

BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<MachineGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<MachineGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<MachineGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<MachineGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<MachineGraph>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<MachineGraph, std::int32_t, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<MachineGraph, MachineEdge, boost::edge_weight_t>));

TEST(MachineGraphTest, ALinkIsAnEdgeInEachDirection) {
  const MachineGraph graph(StarMachine(2));  // d0, d1 and the hub, which is vertex 2
  EXPECT_THAT(graph.edges(),
              ElementsAre(MachineEdge{.from = 0, .to = 2, .link = 0},
                          MachineEdge{.from = 1, .to = 2, .link = 1},
                          MachineEdge{.from = 2, .to = 0, .link = 0},
                          MachineEdge{.from = 2, .to = 1, .link = 1}));
}

TEST(MachineGraphTest, ABusIsAVertexThatIsFreeToLeave) {
  const MachineGraph graph(BusMachine(3, 5));
  EXPECT_EQ(num_vertices(graph), 4U);
  EXPECT_EQ(num_edges(graph), 6U);  // in and out for each device, not 3 · 2 pairs
  // 1 MiB at 1000 bytes per microsecond takes 1048.576 µs, and 5 µs of latency.
  const std::int64_t over_bus =
      SimTime::FromSeconds(1048.576e-6).picoseconds + Microseconds(5).picoseconds;
  for (auto [edge, end] = edges(graph); edge != end; ++edge) {
    EXPECT_EQ(get(boost::edge_weight, graph, *edge), graph.is_bus(edge->from) ? 0 : over_bus);
  }
}

TEST(MachineGraphTest, EdgesInAreTheOppositesOfEdgesOut) {
  const MachineGraph graph(StarMachine(3));
  for (auto [vertex, end] = vertices(graph); vertex != end; ++vertex) {
    auto out = out_edges(*vertex, graph).first;
    for (auto [in, in_end] = in_edges(*vertex, graph); in != in_end; ++in, ++out) {
      EXPECT_EQ(source(*in, graph), target(*out, graph));
      EXPECT_EQ(target(*in, graph), *vertex);
    }
  }
}

TEST(MachineGraphTest, AlgorithmsRunOnIt) {
  HardwareProfile profile = StarMachine(3);
  profile.switches.emplace_back("unplugged");
  const MachineGraph graph(profile);
  std::vector<int> component(num_vertices(graph));
  const int count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(
          component.begin(), get(boost::vertex_index, graph), component[0]));
  EXPECT_EQ(count, 2);  // the star, and the switch that nothing is plugged into
  EXPECT_EQ(component[0], component[3]);
}

}  // namespace
}  // namespace opyard::sim
