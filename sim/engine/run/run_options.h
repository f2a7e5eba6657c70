// Options of a run: recording, states to keep, a limit, a start from a kept state.
#pragma once

#include <optional>

#include "sim/base/units.h"
#include "sim/engine/run/recorder.h"
#include "sim/engine/run/run_state.h"
#include "sim/engine/run/state_keeper.h"

namespace opyard::sim {

struct RunOptions {
  Recorder* recorder = nullptr;         // writes spans down
  StateKeeper* state_keeper = nullptr;  // saves states on the way
  std::optional<SimTime> limit;         // as Simulator::RunUntil says
  const RunProgress* from = nullptr;    // goes on from here instead of time 0
};

}  // namespace opyard::sim
