// Topologies by name, with their options read from a graph reference.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "graphs/random/topology.h"
#include "sim/base/options.h"
#include "sim/base/rng.h"

namespace opyard::graphs {

// The most ops of one graph, and the most edges.
inline constexpr std::int64_t kMostNodes = 1'000'000;
inline constexpr double kMostEdges = 2e7;

struct TopologyFamily {
  std::string_view name;
  std::string_view summary;  // for `graph list`
  // Reads the family's options and samples `num_nodes` nodes. Throws InputError for options out of
  // range and for more than kMostEdges edges.
  Topology (*sample)(std::int32_t num_nodes, Options& options, Rng& rng) = nullptr;
};

// Sorted by name.
[[nodiscard]] std::span<const TopologyFamily> TopologyFamilies();

// REQUIRES: a family of that name.
[[nodiscard]] const TopologyFamily& GetTopologyFamily(std::string_view name);

}  // namespace opyard::graphs
