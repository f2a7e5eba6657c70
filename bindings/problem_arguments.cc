// Conversions between the words of Python callers and the specification of a problem.
#include "bindings/bindings.h"
#include "env/problem_words.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/plan/queue_name.h"

namespace opyard::bindings {
namespace {

constexpr const char* kPlace = "objective";

std::optional<env::Objective> ReadWeights(const std::map<std::string, double>& weights,
                                          const std::string& place,
                                          Diagnostics& diagnostics) {
  std::vector<env::WrittenWeight> written;
  for (const auto& [name, weight] : weights) {
    written.push_back({.name = name, .value = weight, .place = place + "/" + PointerToken(name)});
  }
  return env::ReadWeights(written, place, diagnostics);
}

std::optional<env::Objective> ReadObjective(const ObjectiveSpec& objective,
                                            Diagnostics& diagnostics) {
  if (const auto* name = std::get_if<std::string>(&objective)) {
    return env::ReadObjective(*name, kPlace, diagnostics);
  }
  const std::string weighted = NameOf(env::ObjectiveKind::kWeighted);
  const auto& table = std::get<1>(objective);
  if (table.size() == 1 && table.begin()->first == weighted) {
    return ReadWeights(table.begin()->second, std::string(kPlace) + "/" + weighted, diagnostics);
  }
  std::vector<std::string> keys;
  for (const auto& [key, weights] : table) {
    keys.push_back(Quoted(key));
  }
  diagnostics.AddError(
      kPlace, "found the keys {" + JoinNames(keys) + "}, expected " + Quoted(weighted) + " alone");
  return std::nullopt;
}

}  // namespace

env::ProblemSpec ToProblemSpec(const ProblemWords& words) {
  Diagnostics diagnostics;
  const auto tasks = env::ReadTasks(words.tasks, "tasks", diagnostics);
  const auto objective = ReadObjective(words.objective, diagnostics);
  const auto units = env::ReadUnits(words.group, "group", diagnostics);
  const auto fusion = env::ReadFusion(words.fusion, "fusion", diagnostics);
  const auto queue = env::ReadQueue(words.queue, "queue", diagnostics);
  const auto devices = words.devices.has_value()
                           ? env::ReadDevices(*words.devices, "devices", diagnostics)
                           : std::vector<std::string>();
  diagnostics.ThrowIfAny();
  return {.graph = nullptr,
          .hardware = nullptr,
          .tasks = *tasks,
          .objective = *objective,
          .default_queue = *queue,
          .default_fusion = *fusion,
          .decide_per = units->decide_per,
          .max_groups = units->max_groups,
          .devices = *devices};
}

ProblemWords WordsOf(const env::ProblemSpec& spec) {
  ObjectiveSpec objective = NameOf(spec.objective.kind);
  if (spec.objective.kind == env::ObjectiveKind::kWeighted) {
    objective = std::map<std::string, std::map<std::string, double>>{
        {NameOf(spec.objective.kind), env::WeightsOf(spec.objective)}};
  }
  return {.tasks = NamesOf(spec.tasks),
          .objective = std::move(objective),
          .group = env::WordOf({.decide_per = spec.decide_per, .max_groups = spec.max_groups}),
          .fusion = NameOf(spec.default_fusion),
          .queue = NameOf(spec.default_queue),
          .devices = spec.devices.empty() ? std::nullopt : std::optional(spec.devices)};
}

}  // namespace opyard::bindings
