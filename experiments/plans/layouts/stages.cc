#include "experiments/plans/layouts/stages.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "experiments/plans/layouts/device_names.h"
#include "experiments/plans/layouts/module_placement.h"
#include "experiments/plans/layouts/placement_repair.h"
#include "sim/base/array_index.h"

namespace opyard::experiments {
namespace {

std::size_t RankOf(DeviceId device, std::vector<DeviceId>& ranks) {
  const auto found = std::ranges::find(ranks, device);
  const auto rank = static_cast<std::size_t>(found - ranks.begin());
  if (found == ranks.end()) {
    ranks.push_back(device);
  }
  return rank;
}

std::vector<DeviceSpread> DevicesOfParts(const LayoutInput& input,
                                         const NetworkUnits& units,
                                         const std::vector<UnitRange>& parts) {
  std::vector<std::size_t> part_of(units.modules.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::fill(part_of.begin() + static_cast<std::ptrdiff_t>(parts[p].first),
              part_of.begin() + static_cast<std::ptrdiff_t>(parts[p].end),
              p);
  }
  std::vector<DeviceSpread> spreads(parts.size());
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    if (input.roles[i] != OpRole::kOutside) {
      spreads[part_of[units.unit_of[i]]].Add(OpId(i), input.plan.placement[i]);
    }
  }
  return spreads;
}

std::string PartText(const LayoutInput& input, const NetworkUnits& units, const UnitRange& part) {
  const std::string first = ModuleText(input.tree, units.modules[part.first]);
  return part.end - part.first == 1
             ? first
             : first + " to " + ModuleText(input.tree, units.modules[part.end - 1]);
}

void AddLoopLimit(const LayoutInput& input,
                  const Stages& stages,
                  StageForm form,
                  const std::string& target,
                  std::vector<Inexpressible>& reasons) {
  const std::size_t num_ranks = stages.ranks.size();
  if (stages.stages.size() == num_ranks) {
    return;
  }
  bool is_looped = stages.stages.size() % num_ranks == 0;
  for (std::size_t s = 0; s < stages.stages.size(); ++s) {
    is_looped = is_looped && stages.stages[s].rank == s % num_ranks;
  }
  if (is_looped && form != StageForm::kRanks) {
    return;
  }
  for (std::size_t s = 1; s < stages.stages.size(); ++s) {
    const Stage& stage = stages.stages[s];
    const auto earlier = std::ranges::find(stages.stages, stage.rank, &Stage::rank);
    if (earlier != stages.stages.begin() + static_cast<std::ptrdiff_t>(s)) {
      reasons.push_back(
          {.what = "stage from " +
                   PartText(input, stages.units, {stage.units.first, stage.units.first + 1}) +
                   " on",
           .why = "on " + input.problem.hardware().devices[stage.device.index()].name +
                  ", which has an earlier stage; " + target +
                  (form == StageForm::kRanks ? " gives each device one run of layers"
                                             : " deals stages to ranks in turn")});
    }
  }
}

// The search for the placement that leaves most time where it is: parts in order, each on the
// device of the one before or on a device that no part has had.
class StageRounding {
 public:
  StageRounding(std::vector<std::vector<DeviceLoad>> loads, std::size_t num_devices)
      : loads_(std::move(loads)),
        num_devices_(num_devices),
        num_sets_(std::size_t{1} << num_devices),
        best_(num_sets_ * num_devices, kNever),
        from_(loads_.size(), std::vector<std::uint8_t>(best_.size())) {}

  // The index of the device of each part.
  std::vector<std::size_t> Find() {
    for (std::size_t d = 0; d < num_devices_; ++d) {
      best_[State(std::size_t{1} << d, d)] = loads_[0][d];
    }
    for (std::size_t part = 1; part < loads_.size(); ++part) {
      Advance(part);
    }
    return Trace();
  }

 private:
  static constexpr DeviceLoad kNever = {-1, -1};

  [[nodiscard]] std::size_t State(std::size_t used, std::size_t device) const {
    return used * num_devices_ + device;
  }

  void Advance(std::size_t part) {
    std::vector<DeviceLoad> next(best_.size(), kNever);
    for (std::size_t used = 1; used < num_sets_; ++used) {
      for (std::size_t d = 0; d < num_devices_; ++d) {
        if (best_[State(used, d)] != kNever) {
          Extend(part, used, d, next);
        }
      }
    }
    best_ = std::move(next);
  }

  void Extend(std::size_t part,
              std::size_t used,
              std::size_t before,
              std::vector<DeviceLoad>& next) {
    for (std::size_t d = 0; d < num_devices_; ++d) {
      const std::size_t bit = std::size_t{1} << d;
      if (d != before && (used & bit) != 0) {
        continue;
      }
      const DeviceLoad& so_far = best_[State(used, before)];
      const DeviceLoad sum = {so_far[0] + loads_[part][d][0], so_far[1] + loads_[part][d][1]};
      DeviceLoad& at = next[State(used | bit, d)];
      if (sum > at) {
        at = sum;
        from_[part][State(used | bit, d)] = static_cast<std::uint8_t>(before);
      }
    }
  }

  [[nodiscard]] std::vector<std::size_t> Trace() const {
    auto at = static_cast<std::size_t>(std::ranges::max_element(best_) - best_.begin());
    std::vector<std::size_t> devices(loads_.size());
    for (std::size_t part = loads_.size(); part-- > 0;) {
      devices[part] = at % num_devices_;
      const std::size_t before = from_[part][at];
      const bool is_first_of_stage = part > 0 && before != devices[part];
      const std::size_t used = at / num_devices_;
      at = State(is_first_of_stage ? used & ~(std::size_t{1} << devices[part]) : used, before);
    }
    return devices;
  }

  std::vector<std::vector<DeviceLoad>> loads_;  // [parts][devices]
  std::size_t num_devices_;
  std::size_t num_sets_;
  std::vector<DeviceLoad> best_;
  std::vector<std::vector<std::uint8_t>> from_;  // [parts][states]: the device of the part before
};

// The devices that stages may go to: accelerators, where the plan computes on any.
std::vector<DeviceId> StageDevices(const LayoutInput& input) {
  constexpr std::size_t kMost = 12;
  std::vector<DeviceLoad> loads(input.problem.hardware().num_devices(), DeviceLoad{});
  bool has_accelerator = false;
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    if (IsCompute(input.roles[i])) {
      const DeviceId device = input.plan.placement[i];
      loads[device.index()][0] += input.problem.costs().time(OpId(i), device).picoseconds;
      ++loads[device.index()][1];
      has_accelerator = has_accelerator || !IsCpu(input.problem.hardware(), device);
    }
  }
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < loads.size(); ++d) {
    if (loads[d][1] > 0 && !(has_accelerator && IsCpu(input.problem.hardware(), DeviceId(d)))) {
      devices.emplace_back(d);
    }
  }
  std::ranges::stable_sort(devices, std::greater(), [&](DeviceId d) { return loads[d.index()]; });
  devices.resize(std::min(devices.size(), kMost));
  std::ranges::sort(devices);
  return devices;
}

}  // namespace

bool IsTokenPrediction(const sim::ModuleTree& tree, std::int32_t module) {
  const std::string& path = tree.modules[At(module)].path;
  return path.substr(path.find_last_of('.') + 1).starts_with("mtp");
}

std::vector<UnitRange> PartsOf(const NetworkUnits& units,
                               const sim::ModuleTree& tree,
                               StageForm form) {
  const bool has_parts_of_one = form == StageForm::kUnits;
  const std::size_t num_units = units.modules.size();
  std::vector<UnitRange> parts;
  for (std::size_t u = 0; u < num_units; ++u) {
    const bool is_block = u >= units.first_block && u < units.end_block;
    const bool was_block = u > units.first_block && u <= units.end_block;
    const bool is_alone = has_parts_of_one || is_block || IsTokenPrediction(tree, units.modules[u]);
    if (is_alone || parts.empty() || was_block || IsTokenPrediction(tree, units.modules[u - 1])) {
      parts.push_back({u, u});
    }
    parts.back().end = u + 1;
  }
  if (form == StageForm::kRanks) {
    std::erase_if(parts, [&](const UnitRange& part) {
      return part.first < units.first_block || part.first >= units.end_block;
    });
    parts.front().first = 0;
    parts.back().end = num_units;
  }
  return parts;
}

std::vector<std::int32_t> Stages::StageOfOps() const {
  std::vector<std::int32_t> stage_of_unit(units.modules.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t u = stages[s].units.first; u < stages[s].units.end; ++u) {
      stage_of_unit[u] = Size32(s);
    }
  }
  std::vector<std::int32_t> stage_of_op;
  for (const std::size_t unit : units.unit_of) {
    stage_of_op.push_back(stage_of_unit[unit]);
  }
  return stage_of_op;
}

std::optional<Stages> FindStages(const LayoutInput& input,
                                 StageForm form,
                                 const std::string& target,
                                 std::vector<Inexpressible>& reasons) {
  std::optional<NetworkUnits> units = FindUnits(input.problem.graph(), input.tree, input.roles);
  if (!units.has_value()) {
    reasons.push_back(
        {.what = "the network",
         .why = "no repeated blocks, such as layers.0 and layers.1; " + target + " places these"});
    return std::nullopt;
  }
  const std::vector<UnitRange> parts = PartsOf(*units, input.tree, form);
  const std::vector<DeviceSpread> spreads = DevicesOfParts(input, *units, parts);
  Stages found{.units = std::move(*units), .stages = {}, .ranks = {}};
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (spreads[p].is_mixed()) {
      reasons.push_back({.what = PartText(input, found.units, parts[p]),
                         .why = "on " +
                                spreads[p].Text(input.problem.graph(), input.problem.hardware()) +
                                "; stages of " + target + " hold whole modules",
                         .module = found.units.modules[parts[p].first]});
    } else if (!spreads[p].empty() &&
               (found.stages.empty() || found.stages.back().device != spreads[p].device())) {
      found.stages.push_back({.units = {found.stages.empty() ? 0 : parts[p].first, parts[p].end},
                              .device = spreads[p].device(),
                              .rank = RankOf(spreads[p].device(), found.ranks)});
    } else if (!found.stages.empty()) {
      found.stages.back().units.end = parts[p].end;
    }
  }
  if (!reasons.empty() || found.stages.empty()) {
    return std::nullopt;
  }
  AddLoopLimit(input, found, form, target, reasons);
  return found;
}

sim::OpPlacement RoundToStages(const LayoutInput& input, StageForm form) {
  const std::optional<NetworkUnits> units =
      FindUnits(input.problem.graph(), input.tree, input.roles);
  const std::vector<DeviceId> devices = StageDevices(input);
  if (!units.has_value() || devices.empty()) {
    return input.plan.placement;
  }
  const std::vector<UnitRange> parts = PartsOf(*units, input.tree, form);
  std::vector<std::vector<DeviceLoad>> loads(parts.size(),
                                             std::vector<DeviceLoad>(devices.size(), DeviceLoad{}));
  std::vector<std::size_t> part_of_unit(units->modules.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t u = parts[p].first; u < parts[p].end; ++u) {
      part_of_unit[u] = p;
    }
  }
  for (std::size_t i = 0; i < input.roles.size(); ++i) {
    const auto at = std::ranges::find(devices, input.plan.placement[i]);
    if (IsCompute(input.roles[i]) && at != devices.end()) {
      DeviceLoad& load =
          loads[part_of_unit[units->unit_of[i]]][static_cast<std::size_t>(at - devices.begin())];
      load[0] += input.problem.costs().time(OpId(i), *at).picoseconds;
      ++load[1];
    }
  }
  const std::vector<std::size_t> device_of_part = StageRounding(loads, devices.size()).Find();
  sim::OpPlacement placement;
  for (const std::size_t unit : units->unit_of) {
    placement.push_back(devices[device_of_part[part_of_unit[unit]]]);
  }
  return WithLegalPlaces(input, std::move(placement));
}

}  // namespace opyard::experiments
