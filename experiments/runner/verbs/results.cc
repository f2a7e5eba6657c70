#include "experiments/runner/verbs/results.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "experiments/runner/store/result_store.h"
#include "experiments/text/csv.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// Shortest text that reads back exactly; "" for nothing.
std::string Number(const std::optional<double>& value) {
  return value.has_value() ? ToText(*value) : "";
}

std::string Picoseconds(const std::optional<SimTime>& time) {
  return time.has_value() ? std::to_string(time->picoseconds) : "";
}

// What names the cell of a row in every table.
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

class Tables {
 public:
  void Add(const StoredRun& run, ResultStore& store) {
    AddRun(run);
    for (const HistoryRow& row : store.HistoryOf(run.id)) {
      history_.AddRow(RowOf(run,
                            {std::to_string(row.evaluations),
                             Number(row.seconds),
                             Number(row.score),
                             Picoseconds(row.makespan)}));
    }
    for (const TrainingRow& row : store.TrainingOf(run.id)) {
      for (const auto& [name, value] : row.values) {
        training_.AddRow(RowOf(run,
                               {name,
                                std::to_string(row.num_updates),
                                std::to_string(row.evaluations),
                                Number(row.seconds),
                                Number(value)}));
      }
    }
  }

  void Write(const fs::path& folder, const Console& console) const {
    for (const auto& [name, table] : {std::pair("runs.csv", &runs_),
                                      {"history.csv", &history_},
                                      {"training.csv", &training_}}) {
      sim::WriteTextFile(folder / name, table->text());
      console.out << (folder / name).string() << ": " << table->num_rows() << " rows\n";
    }
  }

 private:
  void AddRun(const StoredRun& run) {
    const RunRecord& record = run.record;
    runs_.AddRow(RowOf(run,
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
                        record.reproduce}));
  }

  CsvTable runs_{{"run",          "graph",           "hardware",        "agent",   "seed",
                  "graph_sha256", "hardware_sha256", "agent_name",      "params",  "settings",
                  "status",       "outcome",         "makespan_ps",     "score",   "evaluations",
                  "failures",     "seconds",         "seconds_to_best", "threads", "version",
                  "reproduce"}};
  CsvTable history_{{"run",
                     "graph",
                     "hardware",
                     "agent",
                     "seed",
                     "evaluations",
                     "seconds",
                     "score",
                     "makespan_ps"}};
  CsvTable training_{{"run",
                      "graph",
                      "hardware",
                      "agent",
                      "seed",
                      "name",
                      "num_updates",
                      "evaluations",
                      "seconds",
                      "value"}};
};

}  // namespace

int ExportResults(const ResultsExportOptions& options, const Console& console) {
  ResultStore store = ResultStore::OpenToRead(options.results);
  const fs::path folder = options.out;
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw InputError("--out " + options.out + ": cannot make this folder: " + error.message());
  }
  Tables tables;
  for (const StoredRun& run : store.Runs()) {
    tables.Add(run, store);
  }
  tables.Write(folder, console);
  return kSuccess;
}

}  // namespace opyard::experiments
