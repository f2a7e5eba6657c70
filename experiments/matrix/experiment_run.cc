#include "experiments/matrix/experiment_run.h"

#include "experiments/matrix/baselines.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/store/folder_lock.h"
#include "experiments/store/result_store.h"

namespace opyard::experiments {

ExperimentAnswer RunWholeExperiment(const ExperimentConfig& config,
                                    const agents::AgentRegistry& registry,
                                    const MatrixOptions& options,
                                    RunListener& listener) {
  const FolderLock lock(options.folder);
  if (!options.resume) {
    ResultStore::RefuseUnlessEmpty(options.folder);
  }
  const PreparedExperiment experiment =
      PrepareExperiment(config, [&](const Notice& notice) { listener.Noticed(notice); });
  ExperimentAnswer answer{.matrix = RunMatrix(experiment, registry, options, listener)};
  if (answer.matrix.was_interrupted) {
    return answer;
  }
  answer.baselines = FindBaselines(experiment, answer.matrix, registry, MeansOf(options));
  answer.agents = Summarize(answer.matrix.runs);
  Compare(answer.agents, answer.baselines);
  if (experiment.optima.has_value()) {
    answer.optima = CompareWithOptima(answer.matrix.runs, *experiment.optima);
  }
  return answer;
}

}  // namespace opyard::experiments
