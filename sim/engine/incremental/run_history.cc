#include "sim/engine/incremental/run_history.h"

#include <limits>

#include "sim/engine/queues/never.h"
#include "sim/engine/run/workspace_reset.h"

namespace opyard::sim {
namespace {

// States per run: more make the steps between them shorter and remembering dearer.
constexpr std::size_t kNumCheckpoints = 32;

}  // namespace

void RunHistory::Begin(const Plan& new_plan, const Workspace& workspace) {
  plan = new_plan;
  keys = workspace.prepared.keys;
  if (HasStreams(plan.queue)) {
    streams = workspace.scratch.streams;
  }
  kernels = workspace.state.kernels;
  AddWorkUp(kernels, workspace.state.devices.size(), device_total_ps);
  finish_ps.assign(kernels.size(), kNever);
  pair_sizes = workspace.prepared.queue_sizes;
  ready_sizes = workspace.prepared.num_ready;
  checkpoints.resize(kNumCheckpoints);
  num_checkpoints = 0;
}

std::size_t RunHistory::NextMark() const {
  return num_checkpoints < kNumCheckpoints
             ? kernels.size() * (num_checkpoints + 1) / (kNumCheckpoints + 1)
             : std::numeric_limits<std::size_t>::max();
}

StateKeeper RunHistory::Keeper() {
  return {.finish_ps = finish_ps,
          .next_mark = NextMark(),
          .keep = [this](const Workspace& workspace, const RunProgress& progress) {
            AddCheckpoint(workspace, progress);
            return NextMark();
          }};
}

void RunHistory::AddCheckpoint(const Workspace& workspace, const RunProgress& progress) {
  Checkpoint& next = checkpoints[num_checkpoints];
  next.settled = num_checkpoints == 0 ? Settled{} : checkpoints[num_checkpoints - 1].settled;
  SaveState(workspace, progress, finish_ps, next);
  ++num_checkpoints;
}

}  // namespace opyard::sim
