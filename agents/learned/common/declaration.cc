#include "agents/learned/common/declaration.h"

namespace opyard::agents {

OptionTable<TrainingSession> TrainingSessionOptions() {
  return OptionTable<TrainingSession>(
      {{.name = "threads",
        .field = Whole(&TrainingSession::num_threads, 1, 1024),
        .meaning = "threads of the network; with one, plans are the same on every machine"},
       {.name = "load",
        .field = Text(&TrainingSession::load),
        .meaning = "file of a checkpoint, from which training goes on as if it had never stopped"},
       {.name = "save",
        .field = Text(&TrainingSession::save),
        .meaning = "file that the state at the end of the search is written to"}});
}

}  // namespace opyard::agents
