#include "graphs/random/topology.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "sim/base/check.h"

namespace opyard::graphs {
namespace {

std::size_t Index(std::int32_t node) {
  return static_cast<std::size_t>(node);
}

// Walks over those of `count` places that are taken with probability `p` each; the gaps between
// them are geometric.
class SkippingSample {
 public:
  SkippingSample(std::int64_t count, double p, Rng& rng)
      : count_(count), p_(p), log_of_rest_(std::log1p(-p)), rng_(rng) {}

  // The next place that is taken; `count` when none is left.
  std::int64_t Next() {
    const double left = static_cast<double>(count_ - 1 - place_);
    if (p_ <= 0.0 || left <= 0.0) {
      return count_;
    }
    const double skip = p_ >= 1.0 ? 0.0 : std::floor(std::log1p(-rng_.Uniform()) / log_of_rest_);
    if (skip >= left) {
      return count_;
    }
    place_ += 1 + static_cast<std::int64_t>(skip);
    return place_;
  }

 private:
  std::int64_t count_;
  double p_;
  double log_of_rest_;
  Rng& rng_;
  std::int64_t place_ = -1;
};

// Pairs among nodes [first, first + size), each with probability `p`. Place i of row `later` is the
// pair with the i-th node before it.
void SampleWithin(
    std::int32_t first, std::int32_t size, double p, Rng& rng, std::vector<NodePair>& edges) {
  const std::int64_t count = static_cast<std::int64_t>(size) * (size - 1) / 2;
  SkippingSample sample(count, p, rng);
  std::int64_t row_begin = 0;  // of the pairs of node `later`
  std::int32_t later = 1;
  for (std::int64_t place = sample.Next(); place < count; place = sample.Next()) {
    while (place - row_begin >= later) {
      row_begin += later;
      ++later;
    }
    edges.push_back({first + static_cast<std::int32_t>(place - row_begin), first + later});
  }
}

// Pairs of a node of [a, a + size_a) and one of [b, b + size_b).
struct NodeRange {
  std::int32_t first = 0;
  std::int32_t size = 0;
};

void SampleAcross(NodeRange a, NodeRange b, double p, Rng& rng, std::vector<NodePair>& edges) {
  const std::int64_t count = static_cast<std::int64_t>(a.size) * b.size;
  SkippingSample sample(count, p, rng);
  for (std::int64_t place = sample.Next(); place < count; place = sample.Next()) {
    edges.push_back({a.first + static_cast<std::int32_t>(place / b.size),
                     b.first + static_cast<std::int32_t>(place % b.size)});
  }
}

// All pairs among nodes 0 … size−1.
std::vector<NodePair> CompleteGraph(std::int32_t size) {
  std::vector<NodePair> edges;
  for (std::int32_t later = 1; later < size; ++later) {
    for (std::int32_t earlier = 0; earlier < later; ++earlier) {
      edges.push_back({earlier, later});
    }
  }
  return edges;
}

// The ring of Watts and Strogatz with the neighbours of each node.
class Ring {
 public:
  Ring(std::int32_t num_nodes, std::int32_t degree) : neighbours_(Index(num_nodes)) {
    for (std::int32_t step = 1; step <= degree / 2; ++step) {
      for (std::int32_t node = 0; node < num_nodes; ++node) {
        edges_.push_back({node, (node + step) % num_nodes});
        Join(edges_.back());
      }
    }
  }

  void Rewire(NodePair& edge, Rng& rng) {
    const auto num_nodes = static_cast<std::int32_t>(neighbours_.size());
    if (neighbours_[Index(edge.a)].size() + 1 >= neighbours_.size()) {
      return;  // joined to all others already
    }
    std::int32_t end = edge.b;
    while (end == edge.a || IsJoined(edge.a, end)) {
      end = static_cast<std::int32_t>(rng.Below(static_cast<std::uint64_t>(num_nodes)));
    }
    std::erase(neighbours_[Index(edge.a)], edge.b);
    std::erase(neighbours_[Index(edge.b)], edge.a);
    edge.b = end;
    Join(edge);
  }

  [[nodiscard]] std::vector<NodePair>& edges() { return edges_; }

 private:
  void Join(const NodePair& edge) {
    neighbours_[Index(edge.a)].push_back(edge.b);
    neighbours_[Index(edge.b)].push_back(edge.a);
  }
  [[nodiscard]] bool IsJoined(std::int32_t a, std::int32_t b) const {
    return std::ranges::find(neighbours_[Index(a)], b) != neighbours_[Index(a)].end();
  }

  std::vector<NodePair> edges_;
  std::vector<std::vector<std::int32_t>> neighbours_;
};

}  // namespace

Topology OrientRandomly(std::int32_t num_nodes, const std::vector<NodePair>& edges, Rng& rng) {
  std::vector<std::int32_t> place(Index(num_nodes));
  std::iota(place.begin(), place.end(), 0);
  rng.Shuffle(std::span<std::int32_t>(place));
  Topology topology(place.size());
  for (const NodePair& edge : edges) {
    const auto [first, last] = std::minmax(place[Index(edge.a)], place[Index(edge.b)]);
    topology[Index(last)].push_back(first);
  }
  for (std::vector<std::int32_t>& predecessors : topology) {
    std::ranges::sort(predecessors);
  }
  return topology;
}

std::vector<NodePair> SampleErdosRenyi(std::int32_t num_nodes, double p, Rng& rng) {
  std::vector<NodePair> edges;
  SampleWithin(0, num_nodes, p, rng, edges);
  return edges;
}

std::vector<NodePair> SampleStochasticBlock(std::int32_t num_nodes,
                                            const CommunityOptions& options,
                                            Rng& rng) {
  std::vector<NodeRange> blocks;
  std::int32_t begin = 0;
  for (std::int32_t i = 1; i <= options.num_communities; ++i) {
    const auto end = static_cast<std::int32_t>(static_cast<std::int64_t>(num_nodes) * i /
                                               options.num_communities);
    blocks.push_back({.first = begin, .size = end - begin});
    begin = end;
  }
  std::vector<NodePair> edges;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    SampleWithin(blocks[i].first, blocks[i].size, options.p_in, rng, edges);
    for (std::size_t j = i + 1; j < blocks.size(); ++j) {
      SampleAcross(blocks[i], blocks[j], options.p_out, rng, edges);
    }
  }
  return edges;
}

std::vector<NodePair> SampleWattsStrogatz(std::int32_t num_nodes,
                                          std::int32_t degree,
                                          double rewire,
                                          Rng& rng) {
  OPYARD_CHECK(degree % 2 == 0, "a ring joins each node to as many before as behind it");
  if (num_nodes <= degree) {
    return CompleteGraph(num_nodes);
  }
  Ring ring(num_nodes, degree);
  for (NodePair& edge : ring.edges()) {
    if (rng.Uniform() < rewire) {
      ring.Rewire(edge, rng);
    }
  }
  return ring.edges();
}

std::vector<NodePair> SampleBarabasiAlbert(std::int32_t num_nodes, std::int32_t attach, Rng& rng) {
  const std::int32_t num_first = std::min(num_nodes, attach + 1);
  std::vector<NodePair> edges = CompleteGraph(num_first);
  std::vector<std::int32_t> ends;  // each node as often as its degree
  for (const NodePair& edge : edges) {
    ends.push_back(edge.a);
    ends.push_back(edge.b);
  }
  std::vector<std::int32_t> chosen;
  for (std::int32_t node = num_first; node < num_nodes; ++node) {
    chosen.clear();
    while (std::ssize(chosen) < attach) {
      const std::int32_t other = ends[rng.Below(ends.size())];
      if (std::ranges::find(chosen, other) == chosen.end()) {
        chosen.push_back(other);
      }
    }
    for (const std::int32_t other : chosen) {
      edges.push_back({other, node});
      ends.push_back(other);
      ends.push_back(node);
    }
  }
  return edges;
}

}  // namespace opyard::graphs
