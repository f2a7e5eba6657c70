// What every learned agent takes: known with and without LibTorch.
#pragma once

#include <string>

#include "agents/base/option_table.h"

namespace opyard::agents {

// How a search that learns runs.
struct TrainingSession {
  int num_threads = 1;  // of LibTorch (torch_session.h)
  std::string load;     // a checkpoint to go on from; empty: none
  std::string save;     // where the state at the end goes; empty: nowhere
};

[[nodiscard]] OptionTable<TrainingSession> TrainingSessionOptions();

}  // namespace opyard::agents
