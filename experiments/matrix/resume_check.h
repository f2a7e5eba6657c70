// Check that an experiment may go on with the results of a store.
#pragma once

#include <map>

#include "experiments/matrix/prepared_experiment.h"
#include "experiments/store/result_store.h"
#include "experiments/store/run_record.h"
#include "experiments/store/shard.h"

namespace opyard::experiments {

// Stored runs without plans, by cell.
using StoredRuns = std::map<CellKey, RunRecord>;

// An experiment may grow: graphs, machines, agents and seeds may join, and all but seeds may be
// left out. Throws InputError that names each difference ("budget.evaluations: …") in what changes
// the meaning of a stored run or of a mean over them. That is the name, problem and budget of the
// experiment, a stored seed that it leaves out, an agent's name, parameters, training or plugin,
// the content of a graph or machine, or the piece of the matrix.
void CheckMayResume(ResultStore& store,
                    const StoredRuns& runs,
                    const PreparedExperiment& experiment,
                    const Shard& shard = {});

}  // namespace opyard::experiments
