#include "sim/graph/min_cut.h"

#include <algorithm>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include "sim/base/check.h"

namespace opyard::sim {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Vertex = Traits::vertex_descriptor;

struct FlowEdge {
  std::int64_t capacity = 0;
  std::int64_t residual = 0;
  Traits::edge_descriptor reverse;
};
using FlowGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, FlowEdge>;

constexpr Vertex kSourceVertex = 0;
constexpr Vertex kSinkVertex = 1;

// The network of one cut: nodes on a given side are that side's terminal.
class FlowNetwork {
 public:
  FlowNetwork(std::span<const CutSide> sides, std::span<const Net> nets) : graph_(2) {
    for (const CutSide side : sides) {
      vertex_of_.push_back(side == CutSide::kSource ? kSourceVertex
                           : side == CutSide::kSink ? kSinkVertex
                                                    : add_vertex(graph_));
    }
    for (const Net& net : nets) {
      unlimited_ += net.capacity;
    }
    for (const Net& net : nets) {
      AddNet(net);
    }
  }

  MinimumCut Cut() {
    std::vector<boost::default_color_type> colours(num_vertices(graph_));
    const auto index = get(boost::vertex_index, graph_);
    MinimumCut cut;
    cut.capacity =
        boost::boykov_kolmogorov_max_flow(graph_,
                                          get(&FlowEdge::capacity, graph_),
                                          get(&FlowEdge::residual, graph_),
                                          get(&FlowEdge::reverse, graph_),
                                          boost::make_iterator_property_map(colours.begin(), index),
                                          index,
                                          kSourceVertex,
                                          kSinkVertex);
    for (const Vertex vertex : vertex_of_) {  // black: what the source still reaches
      cut.is_source_side.push_back(colours[vertex] == boost::black_color);
    }
    return cut;
  }

 private:
  void AddNet(const Net& net) {
    std::vector<Vertex> ends;
    for (const std::int32_t node : net.nodes) {
      ends.push_back(vertex_of_[static_cast<std::size_t>(node)]);
    }
    std::ranges::sort(ends);
    const auto repeated = std::ranges::unique(ends);
    ends.erase(repeated.begin(), repeated.end());
    if (ends.size() == 2) {
      AddEdge(ends[0], ends[1], net.capacity, net.capacity);
    }
    if (ends.size() <= 2) {
      return;
    }
    const Vertex in = add_vertex(graph_);
    const Vertex out = add_vertex(graph_);
    AddEdge(in, out, net.capacity, 0);
    for (const Vertex end : ends) {
      AddEdge(end, in, unlimited_, 0);
      AddEdge(out, end, unlimited_, 0);
    }
  }

  void AddEdge(Vertex from, Vertex to, std::int64_t capacity, std::int64_t capacity_back) {
    const auto there = add_edge(from, to, FlowEdge{.capacity = capacity}, graph_).first;
    const auto back = add_edge(to, from, FlowEdge{.capacity = capacity_back}, graph_).first;
    graph_[there].reverse = back;
    graph_[back].reverse = there;
  }

  FlowGraph graph_;
  std::vector<Vertex> vertex_of_;  // of node i
  std::int64_t unlimited_ = 1;     // more than any cut
};

}  // namespace

MinimumCut FindMinimumCut(std::span<const CutSide> sides, std::span<const Net> nets) {
  OPYARD_CHECK(std::ranges::find(sides, CutSide::kSource) != sides.end() &&
                   std::ranges::find(sides, CutSide::kSink) != sides.end(),
               "a cut has a node on either side");
  return FlowNetwork(sides, nets).Cut();
}

}  // namespace opyard::sim
