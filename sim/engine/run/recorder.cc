#include "sim/engine/run/recorder.h"

#include <algorithm>
#include <utility>

namespace opyard::sim {
namespace {

Activity ActivityOf(const Workspace& workspace, std::size_t device) {
  if (workspace.state.devices[device].running >= 0) {
    return Activity::kBusy;
  }
  if (workspace.state.devices[device].running == DeviceState::kResting) {
    return Activity::kGap;
  }
  if (!workspace.state.wide_queues.ready.empty(device)) {
    return Activity::kMemory;
  }
  if (workspace.state.devices[device].num_held > 0) {
    return Activity::kStreamHead;
  }
  return workspace.state.devices[device].num_unissued > 0 ? Activity::kDispatch
                                                          : Activity::kNoReadyWork;
}

}  // namespace

void ActivityClock::Change(Activity next, std::int64_t time_ps) {
  if (next != now) {
    total_ps[static_cast<std::size_t>(now)] += time_ps - since_ps;
    now = next;
    since_ps = time_ps;
  }
}

SimTime ActivityClock::Until(Activity activity, std::int64_t end_ps) const {
  const std::int64_t before = total_ps[static_cast<std::size_t>(activity)];
  return SimTime{activity == now ? before + std::max<std::int64_t>(end_ps - since_ps, 0) : before};
}

Recorder::Recorder(const LoweredProblem& problem)
    : ops(problem.num_ops), devices(problem.num_devices), holdings(problem.num_devices) {}

void Recorder::NoteDevices(const LoweredProblem& problem,
                           const Workspace& workspace,
                           std::int64_t now_ps) {
  ++num_samples;
  for (std::size_t d = 0; d < problem.num_devices; ++d) {
    devices[d].Change(ActivityOf(workspace, d), now_ps);
    const std::int64_t bytes = workspace.state.memory.account(d).in_use;
    if (std::exchange(holdings[d].in_use, bytes) != bytes) {
      memory.push_back({SimTime{now_ps}, DeviceId(d), Bytes{bytes}});
    }
    if (bytes > holdings[d].peak) {
      holdings[d].peak = bytes;
      holdings[d].peak_sample = num_samples;
    }
  }
  if (after_sample) {
    after_sample();
  }
}

}  // namespace opyard::sim
