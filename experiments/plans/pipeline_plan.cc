#include "experiments/plans/pipeline_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "graphs/microbatches/passes.h"
#include "sim/base/array_index.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/plan/order_cycle.h"
#include "sim/plan/validate.h"

namespace opyard::experiments {
namespace {

using graphs::Pass;
using Ops = std::vector<OpId>;  // by topological index

// Stage, micro-batch (kNoMicrobatch for what runs once a step) and pass.
using UnitKey = std::tuple<std::int32_t, std::int32_t, Pass>;

std::vector<Pass> PassesOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kForward:
      return {Pass::kForward};
    case ActionKind::kBackward:
      return {Pass::kInputGradient, Pass::kWeightGradient};
    case ActionKind::kInputGradient:
      return {Pass::kInputGradient};
    case ActionKind::kWeightGradient:
      return {Pass::kWeightGradient};
  }
  return {};
}

class PipelinePlanner {
 public:
  PipelinePlanner(const PipelineSchedule& schedule,
                  const sim::OpGraph& graph,
                  const graphs::PipelineUnits& units,
                  const PipelineFiles& files)
      : schedule_(schedule),
        graph_(graph),
        units_(units),
        files_(files),
        action_of_(graph.num_ops(), nullptr) {
    for (const OpId op : graph.topological_order()) {
      ops_of_[{units.stage[op.index()], units.microbatch[op.index()], units.pass[op.index()]}]
          .push_back(op);
    }
  }

  sim::Plan Make(const std::vector<DeviceId>& devices, const sim::HardwareProfile& hardware) {
    sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kOrder};
    for (const std::int32_t stage : units_.stage) {
      plan.placement.push_back(devices[schedule_.rank_of_stage[At(stage)]]);
    }
    plan.order.resize(hardware.num_devices());
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      plan.order[devices[rank].index()].push_back(StreamOf(rank));
    }
    ReportMissing();
    diagnostics_.ThrowIfAny();
    sim::FindPlanErrors(graph_, hardware, plan, files_.schedule + "#").ThrowIfAny();
    RefuseCycle(plan);
    return plan;
  }

 private:
  sim::Stream StreamOf(std::size_t rank) {
    sim::Stream stream = OpsOnce(rank, Pass::kParameters);
    for (const PipelineAction& action : schedule_.ranks[rank]) {
      Check(action);
      for (const OpId op : OpsOf(action)) {
        action_of_[op.index()] = &action;
        stream.push_back(op);
      }
    }
    const Ops update = OpsOnce(rank, Pass::kUpdate);
    stream.insert(stream.end(), update.begin(), update.end());
    return stream;
  }

  // The ops of `pass` of all stages of a rank, which run once a step.
  [[nodiscard]] Ops OpsOnce(std::size_t rank, Pass pass) const {
    Ops ops;
    for (std::size_t stage = 0; stage < schedule_.num_stages(); ++stage) {
      if (schedule_.rank_of_stage[stage] == rank) {
        Append({static_cast<std::int32_t>(stage), graphs::kNoMicrobatch, pass}, ops);
      }
    }
    SortByTopology(ops);
    return ops;
  }

  void Append(const UnitKey& unit, Ops& ops) const {
    const auto found = ops_of_.find(unit);
    if (found != ops_of_.end()) {
      ops.insert(ops.end(), found->second.begin(), found->second.end());
    }
  }

  void SortByTopology(Ops& ops) const {
    std::ranges::sort(ops, {}, [this](OpId op) { return graph_.topological_index(op); });
  }

  void Check(const PipelineAction& action) {
    if (action.microbatch >= units_.num_microbatches) {
      diagnostics_.AddError(CellPlace(files_.schedule, action),
                            "found " + Quoted(action.text) + ", expected a micro-batch below " +
                                std::to_string(units_.num_microbatches) + ", as many as " +
                                Quoted(files_.graph) +
                                " has; opyard graph microbatch makes a step of several");
    }
  }

  [[nodiscard]] Ops OpsOf(const PipelineAction& action) const {
    Ops ops;
    for (const Pass pass : PassesOf(action.kind)) {
      Append({action.stage, action.microbatch, pass}, ops);
    }
    if (action.kind == ActionKind::kBackward) {
      SortByTopology(ops);
      PutHandedOnLast(ops);
    }
    return ops;
  }

  // Moves to the end what other stages wait for and what depends on that, all in their order.
  void PutHandedOnLast(Ops& ops) const {
    std::vector<OpId> last;
    std::vector<OpId> first;
    for (const OpId op : ops) {
      const bool is_last = IsAwaitedElsewhere(op) || DependsOn(op, last);
      (is_last ? last : first).push_back(op);
    }
    ops = std::move(first);
    ops.insert(ops.end(), last.begin(), last.end());
  }

  [[nodiscard]] bool IsAwaitedElsewhere(OpId op) const {
    const auto is_elsewhere = [&](OpId other) {
      return units_.stage[other.index()] != units_.stage[op.index()];
    };
    bool is_awaited = std::ranges::any_of(graph_.control_consumers(op), is_elsewhere);
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const auto consumers = graph_.consumers(graph_.output(op, i));
      is_awaited = is_awaited || std::ranges::any_of(consumers, is_elsewhere);
    }
    return is_awaited;
  }

  // True if `op` waits for one of `ops`, which are by topological index.
  [[nodiscard]] bool DependsOn(OpId op, const Ops& ops) const {
    const auto is_there = [&](OpId other) {
      return std::ranges::binary_search(ops, graph_.topological_index(other), {}, [this](OpId one) {
        return graph_.topological_index(one);
      });
    };
    return std::ranges::any_of(graph_.control_inputs(op), is_there) ||
           std::ranges::any_of(graph_.inputs(op), [&](TensorId input) {
             return is_there(graph_.tensor(input).producer);
           });
  }

  void ReportMissing() {
    for (const auto& [unit, ops] : ops_of_) {
      const auto& [stage, microbatch, pass] = unit;
      if (microbatch != graphs::kNoMicrobatch && action_of_[ops.front().index()] == nullptr) {
        diagnostics_.AddError(
            files_.schedule + ":" + std::to_string(schedule_.rank_of_stage[At(stage)] + 1),
            "found no action for the pass " + std::string(graphs::NameOf(pass)) + " of stage " +
                std::to_string(stage) + " and micro-batch " + std::to_string(microbatch) +
                ", expected one: it has " + std::to_string(ops.size()) + " ops of " +
                Quoted(files_.graph));
      }
    }
  }

  void RefuseCycle(const sim::Plan& plan) const {
    const std::vector<sim::OrderWait> cycle = sim::FindOrderCycle(graph_, plan);
    if (!cycle.empty()) {
      throw InputError(files_.schedule +
                       ": deadlock, this schedule can never go on: " + CycleText(cycle) +
                       "; expected each action behind those it waits for, on all ranks");
    }
  }

  // "2B0 (line 1, cell 3)"
  [[nodiscard]] std::string ActionText(OpId op) const {
    const PipelineAction* action = action_of_[op.index()];
    return action == nullptr ? "op " + Quoted(graph_.op(op).name)
                             : action->text + " (line " + std::to_string(action->line) + ", cell " +
                                   std::to_string(action->cell) + ")";
  }

  [[nodiscard]] static bool IsInStream(const sim::OrderWait& wait) {
    return wait.kind == sim::OrderWaitKind::kStream;
  }

  // The cycle by actions: ops that stand behind each other are one part of it.
  [[nodiscard]] std::string CycleText(std::vector<sim::OrderWait> cycle) const {
    const auto is_input = [](const sim::OrderWait& wait) { return !IsInStream(wait); };
    std::ranges::rotate(cycle, std::ranges::find_if(cycle, is_input));
    std::string text = ActionText(std::get<OpId>(cycle.front().step));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const bool goes_on = i + 1 < cycle.size() && IsInStream(cycle[i]) && IsInStream(cycle[i + 1]);
      if (!goes_on) {
        text += (i == 0 ? " " : ", which ") +
                std::string(IsInStream(cycle[i]) ? "stands behind " : "waits for ") +
                ActionText(std::get<OpId>(cycle[i].awaited));
      }
    }
    return text;
  }

  const PipelineSchedule& schedule_;
  const sim::OpGraph& graph_;
  const graphs::PipelineUnits& units_;
  const PipelineFiles& files_;
  std::map<UnitKey, Ops> ops_of_;
  std::vector<const PipelineAction*> action_of_;  // [num_ops]; null for what runs once
  Diagnostics diagnostics_;
};

std::vector<DeviceId> Accelerators(const sim::HardwareProfile& hardware) {
  std::vector<DeviceId> devices;
  for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
    if (hardware.devices[d].kind != sim::DeviceKind::kCpu) {
      devices.emplace_back(d);
    }
  }
  return devices;
}

std::vector<DeviceId> NamedDevices(const sim::HardwareProfile& hardware,
                                   const std::vector<std::string>& names,
                                   const std::string& option) {
  std::vector<DeviceId> devices;
  Diagnostics diagnostics;
  for (const std::string& name : names) {
    const std::optional<DeviceId> device = hardware.FindDevice(name);
    if (!device.has_value()) {
      diagnostics.AddError(option,
                           "device " + Quoted(name) + " does not exist; this machine has " +
                               JoinNames(hardware.DeviceNames()));
    } else if (std::ranges::find(devices, *device) != devices.end()) {
      diagnostics.AddError(option, "found " + Quoted(name) + " twice, expected each device once");
    } else {
      devices.push_back(*device);
    }
  }
  diagnostics.ThrowIfAny();
  return devices;
}

}  // namespace

std::vector<DeviceId> DevicesOfRanks(const sim::HardwareProfile& hardware,
                                     const std::vector<std::string>& names,
                                     std::size_t num_ranks,
                                     const std::string& option) {
  std::vector<DeviceId> devices =
      names.empty() ? Accelerators(hardware) : NamedDevices(hardware, names, option);
  const std::string ranks = std::to_string(num_ranks) + ", one for each line of the schedule";
  if (!names.empty() && devices.size() != num_ranks) {
    throw InputError(option + ": found " + std::to_string(devices.size()) + " devices, expected " +
                     ranks);
  }
  if (devices.size() < num_ranks) {
    throw InputError("machine " + Quoted(hardware.name) + ": found " +
                     std::to_string(devices.size()) + " accelerators, expected " + ranks);
  }
  devices.resize(num_ranks);
  return devices;
}

sim::Plan PlanOfPipeline(const PipelineSchedule& schedule,
                         const sim::OpGraph& graph,
                         const graphs::PipelineUnits& units,
                         const sim::HardwareProfile& hardware,
                         const std::vector<DeviceId>& devices,
                         const PipelineFiles& files) {
  return PipelinePlanner(schedule, graph, units, files).Make(devices, hardware);
}

}  // namespace opyard::experiments
