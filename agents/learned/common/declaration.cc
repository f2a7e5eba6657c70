#include "agents/learned/common/declaration.h"

namespace opyard::agents {

OptionTable<TrainingSession> TrainingSessionOptions() {
  return OptionTable<TrainingSession>(
      {{.name = "threads",
        .field = Whole(&TrainingSession::num_threads, 1, 1024),
        .meaning = "threads of the network; with one, plans are the same on every machine"},
       {.name = "checkpoint",
        .field = Text(&TrainingSession::checkpoint),
        .meaning = "file of weights that the search begins with, whose network it then has: "
                   "`opyard train` writes them, and `save`; empty: fresh ones"},
       {.name = "save",
        .field = Text(&TrainingSession::save),
        .meaning = "file that the weights at the end of the search are written to"}});
}

}  // namespace opyard::agents
