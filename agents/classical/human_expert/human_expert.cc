#include "agents/classical/human_expert/human_expert.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/group_memory.h"
#include "agents/planning/initial_plans/contiguous_blocks.h"
#include "agents/planning/initial_plans/memory_rule.h"
#include "agents/planning/initial_plans/stages.h"
#include "agents/planning/partitioning/partition_plans.h"
#include "env/group_placement.h"

namespace opyard::agents {
namespace {

env::GroupPlacement PlacementOfStages(const env::Problem& problem,
                                      const Stages& stages,
                                      const std::vector<std::size_t>& block_of_stage) {
  const std::vector<DeviceId> devices = MainDevices(problem);
  env::GroupPlacement placement = DeviceOfGroups(problem, problem.default_placement());
  for (std::size_t group = 0; group < placement.size(); ++group) {
    const DeviceId device = devices[block_of_stage[stages.stage_of_group[group]]];
    if (IsAllowed(problem, group, device)) {
      placement[group] = device;
    }
  }
  return placement;
}

// `count` things in as many runs as there are devices: the run of the one at `index`.
std::size_t RunOf(std::size_t index, std::size_t count, std::size_t num_devices) {
  return index * num_devices / count;
}

// The block of each stage by number; nothing if there are fewer stages than devices.
std::optional<std::vector<std::size_t>> BlocksOfCells(const CellStages& cells,
                                                      std::size_t num_devices) {
  std::vector<std::size_t> blocks(cells.stages.num_stages);
  if (cells.num_cells >= num_devices) {
    for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
      const std::size_t cell = std::clamp(stage, std::size_t{1}, cells.num_cells) - 1;
      blocks[stage] = RunOf(cell, cells.num_cells, num_devices);
    }
    return blocks;
  }
  const std::set<std::size_t> present(cells.stages.stage_of_group.begin(),
                                      cells.stages.stage_of_group.end());
  if (present.size() < num_devices) {
    return std::nullopt;
  }
  std::size_t index = 0;
  for (const std::size_t stage : present) {
    blocks[stage] = RunOf(index++, present.size(), num_devices);
  }
  return blocks;
}

std::optional<env::GroupPlacement> PlacementOfCells(const env::Problem& problem) {
  const std::optional<CellStages> cells = FindCellStages(problem);
  if (!cells.has_value()) {
    return std::nullopt;
  }
  const auto blocks = BlocksOfCells(*cells, MainDevices(problem).size());
  return blocks.has_value() ? std::optional(PlacementOfStages(problem, cells->stages, *blocks))
                            : std::nullopt;
}

std::vector<StageLoad> LoadsOf(const env::Problem& problem, const Stages& stages) {
  std::vector<StageLoad> loads(stages.num_stages);
  for (const OpId op : problem.graph().topological_order()) {
    loads[stages.stage_of_group[GroupOf(problem, op)]].seconds +=
        problem.costs().time(op, problem.first_accelerator()).seconds();
  }
  const std::vector<Bytes> bytes = GroupBytes(problem);
  for (std::size_t group = 0; group < bytes.size(); ++group) {
    loads[stages.stage_of_group[group]].bytes += static_cast<double>(bytes[group].count);
  }
  return loads;
}

env::GroupPlacement BalancedPlacement(const env::Problem& problem,
                                      const Stages& stages,
                                      double memory_share) {
  const std::vector<DeviceId> devices = MainDevices(problem);
  const std::vector<double> speeds = SpeedsOf(problem, devices);
  const GroupMemory memory(problem, memory_share);
  std::vector<BlockDevice> block_devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    block_devices.push_back(
        {.speed = speeds[i] / speeds[0], .room_bytes = memory.RoomLeft(devices[i])});
  }
  return PlacementOfStages(
      problem, stages, BalancedBlocks(LoadsOf(problem, stages), block_devices));
}

Stages ChooseStages(const env::Problem& problem) {
  const std::optional<Stages> layers = LayerStages(problem);
  const bool is_enough = layers.has_value() && layers->num_stages >= MainDevices(problem).size();
  return is_enough ? *layers : ForwardStages(problem);
}

class HumanExpert final : public Agent {
 public:
  explicit HumanExpert(NoSettings /*settings*/) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& /*rng*/,
              const SearchContext& /*context*/) override {
    if (!problem.tasks().placement) {
      evaluator.Evaluate(ToPlan(problem, {}));
      return;
    }
    const std::optional<env::GroupPlacement> of_cells = PlacementOfCells(problem);
    const Stages stages = ChooseStages(problem);
    EvaluateWithMemoryRule(
        of_cells.has_value() ? MemoryRule::kAuto : MemoryRule::kOn,
        problem,
        evaluator,
        [&](std::optional<double> share) {
          const env::GroupPlacement placement =
              share.has_value() ? BalancedPlacement(problem, stages, *share) : *of_cells;
          return std::vector<sim::Plan>{ToPlan(problem, {.device_of_group = placement})};
        });
  }
};

}  // namespace

AgentEntry HumanExpertEntry() {
  return MakeEntry<HumanExpert>(
      {.name = "human_expert",
       .kind = AgentKind::kClassical,
       .tasks = {"placement"},
       .is_deterministic = true,
       .paper = "Mirhoseini et al., ICML 2017",
       .summary = "Contiguous blocks of layers over all main devices, as an expert would write "
                  "them down.",
       .deviations =
           {"The paper gives the rule for RNNLM, NMT and Inception only; the one for other "
            "networks, blocks of layers balanced by time within memory, is ours.",
            "A recurrent network whose layers one by one run out of memory is cut into "
            "balanced blocks of layers as well.",
            "Parts of Inception have about equal times, not about equal numbers of "
            "layers."}},
      OptionTable<NoSettings>());
}

}  // namespace opyard::agents
