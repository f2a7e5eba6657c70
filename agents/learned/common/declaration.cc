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

OptionTable<EntropySchedule> EntropyScheduleOptions() {
  return OptionTable<EntropySchedule>(
      {{.name = "entropy",
        .field = Real(&EntropySchedule::weight, 0.0, 100.0),
        .meaning = "weight of the mean entropy of a decision, in nats, at the start",
        .paper = "none"},
       {.name = "entropy_share",
        .field = Real(&EntropySchedule::share, 0.0, 1.0),
        .meaning = "share of the budget over which that weight falls linearly to 0; 0: it stays"},
       {.name = "entropy_updates",
        .field = Whole(&EntropySchedule::num_updates, 0, kMostUpdates),
        .meaning = "updates over which it falls instead; 0: entropy_share counts"}});
}

}  // namespace opyard::agents
