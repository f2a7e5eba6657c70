#include "graphs/random/sample_topology.h"

#include <algorithm>
#include <string>

#include "graphs/random/nested_topology.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

// Throws if `expected` edges on average are too many.
void CheckNumEdges(double expected) {
  if (expected > kMostEdges) {
    throw InputError(
        "these options ask for about " + std::to_string(static_cast<std::int64_t>(expected)) +
        " edges, expected at most " + std::to_string(static_cast<std::int64_t>(kMostEdges)));
  }
}

// Pairs among `n` nodes.
double NumPairs(double n) {
  return n * (n - 1.0) / 2.0;
}

Topology BarabasiAlbert(std::int32_t num_nodes, Options& options, Rng& rng) {
  const auto attach = static_cast<std::int32_t>(options.Int("attach", 2, 1, 64));
  CheckNumEdges(static_cast<double>(num_nodes) * attach);
  return OrientRandomly(num_nodes, SampleBarabasiAlbert(num_nodes, attach, rng), rng);
}

Topology ErdosRenyi(std::int32_t num_nodes, Options& options, Rng& rng) {
  const double p = options.Double("p", 0.05, 0.0, 1.0);
  CheckNumEdges(p * NumPairs(num_nodes));
  return OrientRandomly(num_nodes, SampleErdosRenyi(num_nodes, p, rng), rng);
}

Topology ForkJoin(std::int32_t num_nodes, Options& options, Rng& rng) {
  const auto branches = static_cast<std::int32_t>(options.Int("branches", 8, 1, 1000));
  const auto length = static_cast<std::int32_t>(options.Int("length", 3, 1, 1000));
  return SampleForkJoin(num_nodes, branches, length, rng);
}

Topology SeriesParallelParts(std::int32_t num_nodes, Options& options, Rng& rng) {
  const double parallel = options.Double("parallel", 0.5, 0.0, 1.0);
  return SampleSeriesParallel(num_nodes, parallel, rng);
}

Topology StochasticBlock(std::int32_t num_nodes, Options& options, Rng& rng) {
  const auto communities = static_cast<std::int32_t>(options.Int("communities", 4, 1, 1000));
  const CommunityOptions read{.num_communities = std::min(communities, num_nodes),
                              .p_in = options.Double("p_in", 0.3, 0.0, 1.0),
                              .p_out = options.Double("p_out", 0.001, 0.0, 1.0)};
  const double blocks = read.num_communities;
  const double within = blocks * NumPairs(num_nodes / blocks);
  CheckNumEdges(read.p_in * within + read.p_out * (NumPairs(num_nodes) - within));
  return OrientRandomly(num_nodes, SampleStochasticBlock(num_nodes, read, rng), rng);
}

Topology WattsStrogatz(std::int32_t num_nodes, Options& options, Rng& rng) {
  const auto degree = static_cast<std::int32_t>(options.Int("degree", 4, 2, 64));
  if (degree % 2 != 0) {
    throw InputError("option degree: found " + std::to_string(degree) +
                     ", expected an even number");
  }
  const double rewire = options.Double("rewire", 0.1, 0.0, 1.0);
  CheckNumEdges(static_cast<double>(num_nodes) * degree / 2.0);
  return OrientRandomly(num_nodes, SampleWattsStrogatz(num_nodes, degree, rewire, rng), rng);
}

// Sorted by name.
constexpr TopologyFamily kFamilies[] = {
    {"barabasi_albert", "hubs, by preferential attachment: attach", BarabasiAlbert},
    {"erdos_renyi", "every pair alike: p", ErdosRenyi},
    {"fork_join", "stages of parallel chains: branches, length", ForkJoin},
    {"series_parallel", "parts behind or beside each other: parallel", SeriesParallelParts},
    {"stochastic_block", "communities: communities, p_in, p_out", StochasticBlock},
    {"watts_strogatz", "a ring with short cuts: degree, rewire", WattsStrogatz},
};

}  // namespace

std::span<const TopologyFamily> TopologyFamilies() {
  return kFamilies;
}

const TopologyFamily& GetTopologyFamily(std::string_view name) {
  const auto* found = std::ranges::find(kFamilies, name, &TopologyFamily::name);
  OPYARD_CHECK(found != std::end(kFamilies), "a topology family of that name");
  return *found;
}

}  // namespace opyard::graphs
