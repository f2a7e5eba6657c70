#include "experiments/cli/results/results_json.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json CellJson(const CellKey& cell) {
  return {{"graph", cell.graph},
          {"hardware", cell.hardware},
          {"agent", cell.agent},
          {"seed", cell.seed}};
}

Json StoreJson(const ListedStore& store) {
  const StoreOverview& overview = store.overview;
  std::set<std::string> agents;
  std::set<std::pair<std::string, std::string>> problems;
  for (const StoredRun& run : overview.runs) {
    agents.insert(run.record.cell.agent);
    problems.emplace(run.record.cell.graph, run.record.cell.hardware);
  }
  return {
      {"results", store.results},
      {"experiment", overview.info.experiment},
      {"shard", overview.info.shard.empty() ? Json(nullptr) : Json(overview.info.shard)},
      {"done", overview.runs.size() - overview.num_failed},
      {"failed", overview.num_failed},
      {"missing", overview.missing.has_value() ? Json(overview.missing->size()) : Json(nullptr)},
      {"problems", problems.size()},
      {"agents", agents},
      {"trainings", store.num_trainings},
      {"bytes", overview.bytes}};
}

Json RunJson(const StoredRun& run, const std::string& failure) {
  const RunRecord& record = run.record;
  const bool is_done = record.status == RunStatus::kDone;
  Json json = CellJson(record.cell);
  json["status"] = is_done ? "done" : "failed";
  json["outcome"] = record.outcome;
  json["makespan_s"] =
      is_done ? Json(record.makespan.value_or(SimTime{}).seconds()) : Json(nullptr);
  json["evaluations"] = record.evaluations;
  json["seconds"] = record.seconds;
  json["cpu_seconds"] = OrNull(record.cpu_seconds);
  json["training_id"] = OrNull(record.training_id);
  json["agent_bound"] = OrNull(record.agent_bound);
  json["failure"] = failure.empty() ? Json(nullptr) : Json(failure);
  json["reproduce"] = record.reproduce;
  return json;
}

Json TrainingJson(const StoredTraining& training) {
  return {{"id", training.id},
          {"agent", training.agent},
          {"updates", training.num_updates},
          {"evaluations", training.evaluations},
          {"seconds", training.seconds},
          {"cpu_seconds", training.cpu_seconds},
          {"weights", training.weights},
          {"weights_sha256", training.weights_sha256},
          {"reproduce", training.reproduce}};
}

Json BoundJson(const StoredBound& bound) {
  return {{"graph", bound.graph},
          {"hardware", bound.hardware},
          {"kind", bound.kind},
          {"makespan_s", bound.makespan.seconds()},
          {"source", bound.source}};
}

}  // namespace

std::string ResultsListJson(const std::vector<ListedStore>& stores) {
  Json json = Json::array();
  for (const ListedStore& store : stores) {
    json.push_back(StoreJson(store));
  }
  return json.dump();
}

std::string ResultsShowJson(const ShownStore& shown) {
  const StoreOverview& overview = shown.store.overview;
  Json json = StoreJson(shown.store);
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < overview.runs.size(); ++i) {
    json["cells"].push_back(RunJson(overview.runs[i], shown.failures[i]));
  }
  for (const CellKey& cell : overview.missing.value_or(std::vector<CellKey>())) {
    json["cells"].push_back(CellJson(cell));
    json["cells"].back()["status"] = "missing";
  }
  json["trainings"] = Json::array();
  for (const StoredTraining& training : shown.trainings) {
    json["trainings"].push_back(TrainingJson(training));
  }
  json["bounds"] = Json::array();
  for (const StoredBound& bound : shown.bounds) {
    json["bounds"].push_back(BoundJson(bound));
  }
  return json.dump();
}

std::string ResultsBestJson(const std::vector<ListedPlan>& plans) {
  Json json = Json::array();
  for (const ListedPlan& listed : plans) {
    const RunRecord& record = listed.run.record;
    Json item = CellJson(record.cell);
    item["outcome"] = record.outcome;
    item["makespan_s"] = record.makespan.value_or(SimTime{}).seconds();
    item["score"] = OrNull(record.score);
    item["evaluations"] = record.evaluations;
    item["lower_bound_s"] =
        listed.bound.has_value() ? Json(listed.bound->seconds()) : Json(nullptr);
    item["plan"] = OrNull(listed.plan);
    item["simulate"] = OrNull(listed.simulate);
    json.push_back(std::move(item));
  }
  return json.dump();
}

}  // namespace opyard::experiments
