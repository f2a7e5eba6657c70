#include "sim/engine/run/stream_setup.h"

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/plan/streams.h"

namespace opyard::sim {
namespace {

// Strings the kernels of the stream that begins with the op `first`.
void LayStream(std::int32_t first, Workspace& w) {
  std::int32_t last = Streams::kNone;
  for (std::int32_t op = first; op != Streams::kNone; op = w.scratch.streams.next[At(op)]) {
    const std::size_t kernel = w.prepared.KernelOf(At(op));
    if (w.state.turns[kernel] != Turn::kNone) {
      continue;  // its first op stands before
    }
    w.state.turns[kernel] = Turn::kIssued;
    const auto number = static_cast<std::int32_t>(kernel);
    if (last == Streams::kNone) {
      w.prepared.heads.push_back(number);
    } else {
      w.prepared.next_in_stream[At(last)] = number;
    }
    last = number;
  }
}

}  // namespace

bool FindStreamsOfPlan(const LoweredProblem& problem, const Plan& plan, Workspace& workspace) {
  if (!HasStreams(plan.queue)) {
    return plan.order.empty();
  }
  const bool has_right_order = plan.queue == QueueDiscipline::kOrder || plan.order.empty();
  return plan.op_priority.empty() && has_right_order &&
         FindStreams(*problem.graph, plan, problem.num_devices, workspace.scratch.streams);
}

void LayStreams(const Plan& plan, Workspace& workspace) {
  PreparedPlan& prepared = workspace.prepared;
  prepared.next_in_stream.clear();
  prepared.heads.clear();
  if (!HasStreams(plan.queue)) {
    return;
  }
  std::vector<Turn>& turns = workspace.state.turns;
  turns.assign(prepared.graph->num_kernels, Turn::kNone);
  prepared.next_in_stream.assign(prepared.graph->num_kernels, Streams::kNone);
  for (const std::int32_t first : workspace.scratch.streams.first) {
    LayStream(first, workspace);
  }
  std::ranges::fill(turns, Turn::kNone);
  for (const std::int32_t kernel : prepared.heads) {
    turns[At(kernel)] = Turn::kHead;
  }
}

}  // namespace opyard::sim
