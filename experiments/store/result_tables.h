// The contents of a store as tables for other programs (docs/formats.md, Results).
#pragma once

#include "experiments/store/result_store.h"
#include "experiments/text/csv.h"

namespace opyard::experiments {

// A row of the first three begins with what names the run.
struct ResultTables {
  CsvTable runs{{"run",
                 "graph",
                 "hardware",
                 "agent",
                 "seed",
                 "graph_sha256",
                 "hardware_sha256",
                 "agent_name",
                 "params",
                 "settings",
                 "status",
                 "outcome",
                 "makespan_ps",
                 "score",
                 "evaluations",
                 "failures",
                 "seconds",
                 "seconds_to_best",
                 "threads",
                 "version",
                 "reproduce",
                 "cpu_seconds",
                 "reference_score",
                 "reference_makespan_ps",
                 "reference_seconds",
                 "reference_cpu_seconds",
                 "training_id",
                 "failure",
                 "start",
                 "cost_model",
                 "agent_bound"}};
  CsvTable history{{"run",
                    "graph",
                    "hardware",
                    "agent",
                    "seed",
                    "evaluations",
                    "seconds",
                    "score",
                    "makespan_ps"}};
  CsvTable training{{"run",
                     "graph",
                     "hardware",
                     "agent",
                     "seed",
                     "name",
                     "num_updates",
                     "evaluations",
                     "seconds",
                     "value"}};
  CsvTable trainings{{"training_id",
                      "agent",
                      "agent_name",
                      "params",
                      "settings",
                      "num_updates",
                      "evaluations",
                      "seconds",
                      "cpu_seconds",
                      "weights",
                      "weights_sha256",
                      "version",
                      "reproduce"}};
  CsvTable bounds{{"graph", "hardware", "kind", "makespan_ps", "source"}};
};

// Reads all of `store`.
[[nodiscard]] ResultTables TablesOf(ResultStore& store);

}  // namespace opyard::experiments
