#include "graphs/microbatches/pipeline_units.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "graphs/microbatches/microbatch_names.h"
#include "graphs/microbatches/step_layers.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

// The first layer of each stage if stages take as many layers as `limit` allows, yet leave one for
// each stage behind them; nothing where `limit` is too short. `times` is by ascending layer.
std::vector<std::int32_t> StagesWithin(const std::map<std::int32_t, std::int64_t>& times,
                                       std::int64_t limit,
                                       std::size_t num_stages) {
  std::vector<std::int32_t> first_layers;
  std::size_t num_left = times.size();
  std::int64_t sum = 0;
  for (const auto& [layer, time] : times) {
    const bool must_cut = first_layers.empty() || num_left == num_stages - first_layers.size();
    const bool is_full = must_cut || sum + time > limit;
    if (is_full) {
      first_layers.push_back(layer);
    }
    sum = is_full ? time : sum + time;
    if (sum > limit || first_layers.size() > num_stages) {
      return {};
    }
    --num_left;
  }
  return first_layers;
}

void CheckStages(std::span<const std::int32_t> first_layers) {
  if (first_layers.empty()) {
    throw InputError("stages: found none, expected the first layer of each stage");
  }
  for (std::size_t i = 1; i < first_layers.size(); ++i) {
    if (first_layers[i] <= first_layers[i - 1]) {
      throw InputError("stages: found first layer " + std::to_string(first_layers[i]) +
                       " of stage " + std::to_string(i) + ", expected one above " +
                       std::to_string(first_layers[i - 1]) + ", the first of the stage before");
    }
  }
}

void CheckAllUsed(const sim::OpGraph& graph, const PipelineUnits& units) {
  std::vector<bool> is_used(static_cast<std::size_t>(units.num_stages));
  for (const std::int32_t stage : units.stage) {
    is_used[static_cast<std::size_t>(stage)] = true;
  }
  const auto unused = std::ranges::find(is_used, false);
  if (unused != is_used.end()) {
    throw InputError("graph \"" + graph.name() + "\": found no layer of stage " +
                     std::to_string(unused - is_used.begin()) +
                     ", expected at least one in each stage");
  }
}

std::int32_t MicrobatchOf(const sim::Op& op, Pass pass) {
  const bool is_once = pass == Pass::kParameters || pass == Pass::kUpdate;
  return is_once ? kNoMicrobatch : FindMicrobatch(op.name).value_or(0);
}

}  // namespace

std::vector<std::int32_t> BalancedStages(const sim::OpGraph& graph,
                                         std::span<const SimTime> op_times,
                                         std::int32_t num_stages) {
  const std::vector<std::int32_t> layers = LayersOf(graph, KnownPhases(graph));
  std::map<std::int32_t, std::int64_t> times;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    times[layers[i]] += op_times[i].picoseconds;
    sum += op_times[i].picoseconds;
  }
  const auto count = static_cast<std::size_t>(num_stages);
  if (times.size() < count) {
    throw InputError("graph \"" + graph.name() + "\": found " + std::to_string(num_stages) +
                     " stages, expected at most " + std::to_string(times.size()) +
                     ", the number of layers");
  }
  std::int64_t low = 0;
  while (low < sum) {
    const std::int64_t middle = low + (sum - low) / 2;
    if (StagesWithin(times, middle, count).empty()) {
      low = middle + 1;
    } else {
      sum = middle;
    }
  }
  return StagesWithin(times, sum, count);
}

PipelineUnits FindPipelineUnits(const sim::OpGraph& graph,
                                std::span<const std::int32_t> first_layers) {
  CheckStages(first_layers);
  const std::vector<sim::Phase> phases = KnownPhases(graph);
  const std::vector<std::int32_t> layers = LayersOf(graph, phases);
  PipelineUnits units{.stage = {},
                      .microbatch = {},
                      .pass = PassesOf(graph, phases, layers),
                      .num_stages = static_cast<std::int32_t>(first_layers.size()),
                      .num_microbatches = 1};
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const auto above = std::ranges::upper_bound(first_layers, layers[i]) - first_layers.begin();
    units.stage.push_back(std::max(static_cast<std::int32_t>(above) - 1, 0));
    units.microbatch.push_back(MicrobatchOf(graph.ops()[i], units.pass[i]));
    units.num_microbatches = std::max(units.num_microbatches, units.microbatch[i] + 1);
  }
  CheckAllUsed(graph, units);
  return units;
}

}  // namespace opyard::graphs
