// What every learned agent takes: known with and without LibTorch.
#pragma once

#include <string>

#include "agents/base/option_table.h"

namespace opyard::agents {

// How a search that learns runs.
struct TrainingSession {
  int num_threads = 1;     // of LibTorch (torch_session.h)
  std::string checkpoint;  // weights to begin with; empty: fresh ones
  std::string save;        // where the weights at the end go; empty: nowhere
};

[[nodiscard]] OptionTable<TrainingSession> TrainingSessionOptions();

}  // namespace opyard::agents
