#include "agents/planning/partitioning/metis_partition.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <type_traits>

#include <metis.h>

#include "agents/planning/partitioning/scale_to_integers.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "the build of METIS with 32-bit numbers");

// METIS seeds and uses rand() of the C library, one state for the whole process.
constinit std::mutex metis_mutex;

// Sums of weights stay far from the ends of METIS's 32-bit numbers.
constexpr double kTotalVertexWeight = 1e8;
constexpr double kTotalEdgeWeight = 2e8;

// No value above 1 / num_parts of the sum of the results.
std::vector<double> Capped(std::vector<double> values, std::size_t num_parts) {
  std::vector<double> descending = values;
  std::ranges::sort(descending, std::greater());
  double rest = std::accumulate(values.begin(), values.end(), 0.0);
  // With the k largest at the cap c: k·c + rest = num_parts·c, so c = rest / (num_parts − k).
  double cap = rest / static_cast<double>(num_parts);
  for (std::size_t k = 0; k + 1 < num_parts && k < descending.size() && descending[k] > cap; ++k) {
    rest -= descending[k];
    cap = rest / static_cast<double>(num_parts - k - 1);
  }
  for (double& value : values) {
    value = std::min(value, cap);
  }
  return values;
}

std::vector<idx_t> VertexWeights(const GroupGraph& graph, const PartitionOptions& options) {
  const std::vector<idx_t> work =
      ScaleToIntegers(Capped(graph.seconds, options.num_parts), kTotalVertexWeight);
  if (!options.memory_imbalance.has_value()) {
    return work;
  }
  std::vector<double> bytes;
  for (const Bytes need : graph.memory) {
    bytes.push_back(static_cast<double>(need.count));
  }
  const std::vector<idx_t> memory =
      ScaleToIntegers(Capped(std::move(bytes), options.num_parts), kTotalVertexWeight);
  std::vector<idx_t> weights;  // [num_groups, 2]: work, memory
  for (std::size_t i = 0; i < work.size(); ++i) {
    weights.push_back(work[i]);
    weights.push_back(memory[i]);
  }
  return weights;
}

// [num_parts, num_constraints]; empty for equal shares.
std::vector<real_t> PartShares(const PartitionOptions& options) {
  if (options.part_shares.empty() && options.memory_shares.empty()) {
    return {};
  }
  const std::vector<double> equal(options.num_parts, 1.0 / static_cast<double>(options.num_parts));
  const auto& work = options.part_shares.empty() ? equal : options.part_shares;
  const auto& memory = options.memory_shares.empty() ? equal : options.memory_shares;
  std::vector<real_t> shares;
  for (std::size_t part = 0; part < options.num_parts; ++part) {
    shares.push_back(static_cast<real_t>(work[part]));
    if (options.memory_imbalance.has_value()) {
      shares.push_back(static_cast<real_t>(memory[part]));
    }
  }
  return shares;
}

// By how much a part may exceed its share, [num_constraints]: factors, in whole thousandths as
// METIS takes them by itself.
std::vector<real_t> ImbalanceFactors(const PartitionOptions& options) {
  const auto factor = [](double imbalance) {
    const auto thousandths = std::max(1L, std::lround(imbalance * 1000.0));
    return static_cast<real_t>(1.0 + 0.001 * static_cast<double>(thousandths));
  };
  std::vector<real_t> factors{factor(options.imbalance)};
  if (options.memory_imbalance.has_value()) {
    factors.push_back(factor(*options.memory_imbalance));
  }
  return factors;
}

template <class From>
std::vector<idx_t> ToMetis(const std::vector<From>& values) {
  std::vector<idx_t> result;
  result.reserve(values.size());
  for (const From value : values) {
    result.push_back(static_cast<idx_t>(value));
  }
  return result;
}

std::vector<idx_t> RunMetis(const GroupGraph& graph, const PartitionOptions& options) {
  std::vector<idx_t> first_edge = ToMetis(graph.first_edge);
  std::vector<idx_t> neighbour = ToMetis(graph.neighbour);
  std::vector<idx_t> edge_weight = ScaleToIntegers(graph.edge_bytes, kTotalEdgeWeight);
  std::vector<idx_t> vertex_weight = VertexWeights(graph, options);
  std::vector<real_t> part_shares = PartShares(options);
  auto num_vertices = static_cast<idx_t>(graph.num_groups());
  auto num_parts = static_cast<idx_t>(options.num_parts);
  std::vector<real_t> imbalance = ImbalanceFactors(options);
  auto num_constraints = static_cast<idx_t>(imbalance.size());
  idx_t cut = 0;
  std::vector<idx_t> part(graph.num_groups());
  std::vector<idx_t> settings(METIS_NOPTIONS);
  const std::scoped_lock lock(metis_mutex);
  METIS_SetDefaultOptions(settings.data());
  settings[METIS_OPTION_SEED] = options.seed;
  const int status = METIS_PartGraphKway(&num_vertices,
                                         &num_constraints,
                                         first_edge.data(),
                                         neighbour.data(),
                                         vertex_weight.data(),
                                         nullptr,
                                         edge_weight.data(),
                                         &num_parts,
                                         part_shares.empty() ? nullptr : part_shares.data(),
                                         imbalance.data(),
                                         settings.data(),
                                         &cut,
                                         part.data());
  OPYARD_CHECK(status == METIS_OK, "METIS refused the graph: status " + std::to_string(status));
  return part;
}

}  // namespace

std::vector<std::size_t> PartitionGroups(const GroupGraph& graph, const PartitionOptions& options) {
  std::vector<std::size_t> part(graph.num_groups(), 0);
  if (graph.num_groups() <= options.num_parts) {
    std::iota(part.begin(), part.end(), std::size_t{0});
    return part;
  }
  if (options.num_parts > 1) {
    std::ranges::transform(RunMetis(graph, options), part.begin(), [](idx_t p) {
      return static_cast<std::size_t>(p);
    });
  }
  return part;
}

double CutBytes(const GroupGraph& graph, std::span<const std::size_t> part) {
  double cut = 0.0;
  for (std::size_t group = 0; group < graph.num_groups(); ++group) {
    for (std::size_t e = graph.first_edge[group]; e < graph.first_edge[group + 1]; ++e) {
      const bool is_counted_here = group < graph.neighbour[e];
      if (is_counted_here && part[group] != part[graph.neighbour[e]]) {
        cut += graph.edge_bytes[e];
      }
    }
  }
  return cut;
}

}  // namespace opyard::agents
