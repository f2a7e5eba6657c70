#include "experiments/store/result_tables.h"

#include <optional>
#include <string>
#include <vector>

#include "sim/base/options.h"

namespace opyard::experiments {
namespace {

// Shortest text that reads back exactly; "" for nothing.
std::string Number(const std::optional<double>& value) {
  return value.has_value() ? ToText(*value) : "";
}

std::string Picoseconds(const std::optional<SimTime>& time) {
  return time.has_value() ? std::to_string(time->picoseconds) : "";
}

// The fields that name the cell of a row in every table.
std::vector<std::string> CellFields(const StoredRun& run) {
  const CellKey& cell = run.record.cell;
  return {std::to_string(run.id), cell.graph, cell.hardware, cell.agent, std::to_string(cell.seed)};
}

// The same, with the fields of one row after it.
std::vector<std::string> RowOf(const StoredRun& run, const std::vector<std::string>& more) {
  std::vector<std::string> fields = CellFields(run);
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// The processor time of a run, and the reference of its rewards.
std::vector<std::string> AccountFields(const RunRecord& record) {
  const auto& reference = record.reference;
  if (!reference.has_value()) {
    return {Number(record.cpu_seconds), "", "", "", ""};
  }
  return {Number(record.cpu_seconds),
          Number(reference->score),
          Picoseconds(reference->makespan),
          Number(reference->seconds),
          Number(reference->cpu_seconds)};
}

std::vector<std::string> RunRow(const StoredRun& run) {
  const RunRecord& record = run.record;
  std::vector<std::string> fields = RowOf(run,
                                          {record.graph_sha256,
                                           record.hardware_sha256,
                                           record.agent_name,
                                           record.params,
                                           record.settings,
                                           record.status == RunStatus::kDone ? "done" : "failed",
                                           record.outcome,
                                           Picoseconds(record.makespan),
                                           Number(record.score),
                                           std::to_string(record.evaluations),
                                           std::to_string(record.failures),
                                           Number(record.seconds),
                                           Number(record.seconds_to_best),
                                           std::to_string(record.threads),
                                           record.version,
                                           record.reproduce});
  const std::vector<std::string> accounts = AccountFields(record);
  fields.insert(fields.end(), accounts.begin(), accounts.end());
  fields.push_back(record.training_id.has_value() ? std::to_string(*record.training_id) : "");
  fields.push_back(record.failure);
  fields.push_back(record.start);
  fields.push_back(record.cost_model);
  fields.push_back(Number(record.agent_bound));
  return fields;
}

void AddRows(const StoredRun& run, ResultStore& store, ResultTables& tables) {
  tables.runs.AddRow(RunRow(run));
  for (const agents::HistoryRow& row : store.HistoryOf(run.id)) {
    tables.history.AddRow(RowOf(run,
                                {std::to_string(row.evaluations),
                                 Number(row.seconds),
                                 Number(row.score),
                                 Picoseconds(row.makespan)}));
  }
  for (const agents::TrainingRow& row : store.TrainingOf(run.id)) {
    for (const auto& [name, value] : row.values) {
      tables.training.AddRow(RowOf(run,
                                   {name,
                                    std::to_string(row.num_updates),
                                    std::to_string(row.evaluations),
                                    Number(row.seconds),
                                    Number(value)}));
    }
  }
}

std::vector<std::string> TrainingFields(const StoredTraining& training) {
  return {std::to_string(training.id),
          training.agent,
          training.agent_name,
          training.params,
          training.settings,
          std::to_string(training.num_updates),
          std::to_string(training.evaluations),
          Number(training.seconds),
          Number(training.cpu_seconds),
          training.weights,
          training.weights_sha256,
          training.version,
          training.reproduce};
}

}  // namespace

ResultTables TablesOf(ResultStore& store) {
  ResultTables tables;
  for (const StoredRun& run : store.Runs()) {
    AddRows(run, store, tables);
  }
  for (const StoredTraining& training : store.Trainings()) {
    tables.trainings.AddRow(TrainingFields(training));
  }
  for (const StoredBound& bound : store.Bounds()) {
    tables.bounds.AddRow({bound.graph,
                          bound.hardware,
                          bound.kind,
                          std::to_string(bound.makespan.picoseconds),
                          bound.source});
  }
  return tables;
}

}  // namespace opyard::experiments
