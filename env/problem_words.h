// The words in which users ask a problem, the same in experiment files, on the command line and in
// Python (docs/formats.md, "The words of a problem"): read and printed here, and nowhere else. The
// table of settings (problem_fields.h) joins them to the fields of ProblemSettings.
//
// Each Read function adds what is wrong as "`place`: found, expected", all of it, to `diagnostics`,
// and then answers nothing. `place` says where the words stand: "FILE:LINE:COLUMN", "--tasks". What
// is printed reads as the same value.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "env/objective.h"
#include "env/problem_settings.h"
#include "env/setting_value.h"
#include "sim/base/error.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// Tasks: "placement", "scheduling", "fusion" in any order, at least one, none of them twice.
[[nodiscard]] std::optional<TaskSet> ReadTasks(const std::vector<std::string>& names,
                                               const std::string& place,
                                               Diagnostics& diagnostics);
[[nodiscard]] std::vector<std::string> NamesOf(const TaskSet& tasks);
[[nodiscard]] std::vector<std::string> TaskNames();  // all

// On one line: "placement,scheduling".
[[nodiscard]] std::string TasksText(const TaskSet& tasks);

// Objectives: "makespan", "peak_memory", or "weighted:A:B" for A × makespan + B × peak memory.
[[nodiscard]] std::optional<Objective> ReadObjective(const std::string& text,
                                                     const std::string& place,
                                                     Diagnostics& diagnostics);
[[nodiscard]] std::string ObjectiveText(const Objective& objective);
[[nodiscard]] const char* NameOf(ObjectiveKind kind);
[[nodiscard]] std::vector<std::string> ObjectiveNames();

// The heaviest weight of a weighted objective; the lightest is 0, and one is above it.
inline constexpr double kHeaviestWeight = 1e9;

// The same objective as a map, {"makespan": 1, "peak_memory": 0.1}: what is left out weighs 0. No
// name stands twice in `weights`.
[[nodiscard]] std::optional<Objective> ReadWeights(std::span<const WrittenWeight> weights,
                                                   const std::string& place,
                                                   Diagnostics& diagnostics);
// REQUIRES: objective.kind == kWeighted.
[[nodiscard]] std::map<std::string, double> WeightsOf(const Objective& objective);

// Queues where scheduling is no task: "fifo" or "priority" (sim/plan/queue_name.h).
[[nodiscard]] std::optional<sim::QueueDiscipline> ReadQueue(const std::string& name,
                                                            const std::string& place,
                                                            Diagnostics& diagnostics);

// The fusion where it is no task: "framework", "none" or "module".
[[nodiscard]] std::optional<DefaultFusion> ReadFusion(const std::string& name,
                                                      const std::string& place,
                                                      Diagnostics& diagnostics);
[[nodiscard]] const char* NameOf(DefaultFusion fusion);
[[nodiscard]] std::vector<std::string> FusionNames();

// The unit of decision, and the depth of modules that are decided as a whole.
struct DecisionUnit {
  DecidePer decide_per = DecidePer::kGroup;
  std::optional<std::int32_t> module_depth = {};  // kModule alone; nothing: innermost modules
  friend bool operator==(const DecisionUnit&, const DecisionUnit&) = default;
};
// "group" or, the same, "colocation"; "op" or, the same, "none" (nothing beyond co-location is
// grouped); "module", or "module:DEPTH" with a depth from 1 to sim::kMostModuleDepth. The first of
// each pair is printed.
[[nodiscard]] std::optional<DecisionUnit> ReadDecisionUnit(const std::string& name,
                                                           const std::string& place,
                                                           Diagnostics& diagnostics);
[[nodiscard]] std::string UnitText(const DecisionUnit& unit);
[[nodiscard]] const char* NameOf(DecidePer decide_per);
[[nodiscard]] std::vector<std::string> DecidePerNames();  // without depths

inline constexpr std::int64_t kMostGroups = std::numeric_limits<std::int32_t>::max();

// The devices that ops may be placed on: names, at least one, none twice; that the machine has them
// is Problem's business. Sorted, so that equal sets are equal.
[[nodiscard]] std::optional<std::vector<std::string>> ReadDevices(
    const std::vector<std::string>& names, const std::string& place, Diagnostics& diagnostics);

// The rule of a device whose memory is full: "fail", "wait" or "ignore".
[[nodiscard]] std::optional<sim::OnExceed> ReadMemory(const std::string& name,
                                                      const std::string& place,
                                                      Diagnostics& diagnostics);
[[nodiscard]] std::string NameOf(sim::OnExceed memory);
[[nodiscard]] std::vector<std::string> MemoryNames();

// The cost model: one of sim::CostModelNames().
[[nodiscard]] std::optional<std::string> ReadCostModel(const std::string& name,
                                                       const std::string& place,
                                                       Diagnostics& diagnostics);

// The unit of decision, and how many groups there may be, as one value: a name of the unit, with
// the default number of groups, or a number of groups from 0 to kMostGroups.
struct DecisionUnits {
  DecidePer decide_per = DecidePer::kGroup;
  std::optional<std::int32_t> module_depth = {};
  std::int32_t max_groups = 0;
};
using UnitsWord = std::variant<std::int64_t, std::string>;
[[nodiscard]] std::optional<DecisionUnits> ReadUnits(const UnitsWord& word,
                                                     const std::string& place,
                                                     Diagnostics& diagnostics);
// The unit alone for kOp, which takes no number of groups, for kModule, and where the number is the
// default.
[[nodiscard]] UnitsWord WordOf(const DecisionUnits& units);

}  // namespace opyard::env
