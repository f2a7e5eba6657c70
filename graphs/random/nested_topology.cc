#include "graphs/random/nested_topology.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace opyard::graphs {
namespace {

// Adds parts behind what stands already: nodes are numbered as they are added.
class SeriesParallel {
 public:
  SeriesParallel(double parallel, Rng& rng) : parallel_(parallel), rng_(rng) {}

  // Adds a part of `size` nodes whose first node follows `before`; returns its last node. Parts
  // shrink by a quarter at least, so that the calls nest at most log(size) / log(4 / 3) deep.
  std::int32_t AddPart(std::int32_t size, const std::vector<std::int32_t>& before) {
    if (size == 1) {
      return AddNode(before);
    }
    if (size < 4 || rng_.Uniform() >= parallel_) {
      const std::int32_t cut = SampleCut(size);
      const std::int32_t last = AddPart(cut, before);
      return AddPart(size - cut, {last});
    }
    const std::int32_t fork = AddNode(before);
    const std::int32_t cut = SampleCut(size - 2);
    const std::int32_t left = AddPart(cut, {fork});
    const std::int32_t right = AddPart(size - 2 - cut, {fork});
    return AddNode({left, right});
  }

  [[nodiscard]] Topology Take() { return std::move(topology_); }

 private:
  std::int32_t AddNode(const std::vector<std::int32_t>& before) {
    topology_.push_back(before);
    return static_cast<std::int32_t>(topology_.size()) - 1;
  }

  // Within the middle half of `size`, at least one node on both sides. REQUIRES: size >= 2.
  std::int32_t SampleCut(std::int32_t size) {
    return static_cast<std::int32_t>(rng_.Between(std::max(1, size / 4), size - (size + 3) / 4));
  }

  double parallel_;
  Rng& rng_;
  Topology topology_;
};

}  // namespace

Topology SampleSeriesParallel(std::int32_t num_nodes, double parallel, Rng& rng) {
  SeriesParallel sampling(parallel, rng);
  sampling.AddPart(num_nodes, {});
  return sampling.Take();
}

Topology SampleForkJoin(std::int32_t num_nodes,
                        std::int32_t branches,
                        std::int32_t length,
                        Rng& rng) {
  Topology topology = {{}};
  const auto count = [&] { return static_cast<std::int32_t>(topology.size()); };
  while (count() < num_nodes) {
    const std::int32_t fork = count() - 1;
    std::vector<std::int32_t> ends;
    for (std::int64_t chains = rng.Between(1, 2 * branches - 1); chains > 0; --chains) {
      std::int32_t last = fork;
      // The join needs a node.
      for (std::int64_t left = rng.Between(1, 2 * length - 1); left > 0 && count() + 1 < num_nodes;
           --left) {
        topology.push_back({last});
        last = count() - 1;
      }
      if (last != fork) {
        ends.push_back(last);
      }
    }
    if (ends.empty()) {
      ends.push_back(fork);
    }
    topology.push_back(std::move(ends));
  }
  return topology;
}

}  // namespace opyard::graphs
