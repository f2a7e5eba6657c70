#include "tests/sim/engine/golden_case.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/sim/engine/golden_lines.h"
#include "tests/support/agreement.h"

namespace opyard::testing {
namespace {

constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

std::string Text(std::int64_t number) {
  return std::to_string(number);
}
std::string Text(SimTime time) {
  return Text(time.picoseconds);
}
std::string Text(Bytes bytes) {
  return Text(bytes.count);
}
std::string Text(DeviceId device) {
  return "d" + std::to_string(device.value);
}
const std::string& Text(const std::string& text) {
  return text;
}
std::string YesNo(bool claim) {
  return claim ? "yes" : "no";
}

std::string Text(const std::vector<sim::Resident>& residents) {
  std::string text;
  for (const sim::Resident& resident : residents) {
    text += " " + resident.name + " " + Text(resident.bytes) + ",";
  }
  return text;
}

template <class Item>
std::string Joined(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    text += " " + Text(item);
  }
  return text;
}

// "123" of a run that completed; "o123", "d123" and "c123" of others, by the first letter of the
// outcome.
std::string Instant(const sim::SimResult& result) {
  const bool is_complete = result.outcome == sim::Outcome::kCompleted;
  return (is_complete ? "" : std::string(sim::NameOf(result.outcome)).substr(0, 1)) +
         Text(result.makespan);
}

// The parts of the texts of one run.
class GoldenRun {
 public:
  explicit GoldenRun(const GoldenCase& golden)
      : golden_(golden), both_(golden.graph, golden.machine) {
    report_ = both_.RunEngine(golden.plan, workspace_);
    EXPECT_EQ(simulator().Run(golden.plan, workspace_), report_.result);
    EXPECT_EQ(simulator().RunWithCheckpoints(golden.plan, workspace_, history_), report_.result);
  }

  [[nodiscard]] std::string Make() {
    std::string text = RunLine() + Failure() + Devices() + Channels();
    if (golden_.detail == GoldenDetail::kSpans) {
      text += Kernels() + Ops() + Transfers();
    }
    return text + Residents() + Neighbours();
  }

 private:
  [[nodiscard]] const sim::Simulator& simulator() const { return both_.simulator(); }

  [[nodiscard]] std::string RunLine() const {
    const sim::SimResult& result = report_.result;
    return std::string("run: ") + sim::NameOf(result.outcome) + " " + Text(result.makespan) +
           ", peak " + Text(result.peak_memory) + ", " + Text(result.num_transfers) +
           " transfers; plan bound " + Text(report_.plan_bound) + ", problem bound " +
           Text(report_.problem_bound) + "; remembers " +
           YesNo(simulator().SupportsCheckpoints(golden_.plan)) + "\n";
  }

  // Limits of the makespan, one less, and half of it.
  [[nodiscard]] std::string UntilLine(std::int64_t makespan) {
    std::string line;
    for (const std::int64_t limit : {makespan, makespan - 1, makespan / 2}) {
      line += " " + Text(limit) + ": " +
              Instant(simulator().RunUntil(golden_.plan, SimTime{limit}, workspace_)) + ";";
    }
    return line;
  }

  [[nodiscard]] std::string Failure() const {
    std::string text;
    if (const auto& failure = report_.failure) {
      text += "failure: " + failure->what + " on " + failure->device + " at " +
              Text(failure->time) + " asks " + Text(failure->requested) + ", " +
              Text(failure->in_use) + " of " + Text(failure->capacity) +
              " in use:" + Text(failure->largest_residents) + "\n";
    }
    if (const auto& deadlock = report_.deadlock) {
      text += "deadlock: " + Text(deadlock->num_waits) + " wait at " + Text(deadlock->time) + "\n";
      for (const std::string& wait : deadlock->waits) {
        text += "wait: " + wait + "\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::string Devices() const {
    std::string text;
    for (const sim::DeviceReport& device : report_.devices) {
      text += device.name + ": busy " + Text(device.busy) + ", idle " +
              Text(device.idle_no_ready_work) + " " + Text(device.idle_waiting_for_memory) + " " +
              Text(device.idle_dispatch) + " " + Text(device.idle_gap) + ", peak " +
              Text(device.peak_memory) + " at " + Text(device.peak_instant) + " of " +
              Text(device.capacity) + ", resident " + Text(device.resident) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string Channels() const {
    std::string line = "channels:";
    for (const sim::ChannelReport& channel : report_.channels) {
      if (channel.bytes > Bytes{}) {
        line += " " + channel.name + " " + Text(channel.busy) + ";";
      }
    }
    return line + "\n";
  }

  [[nodiscard]] std::string Kernels() const {
    if (golden_.plan.fusion_priority.empty()) {
      return "";
    }
    return "kernels:" + Joined(report_.groups) + "\n";
  }

  [[nodiscard]] std::string Ops() const {
    std::string text;
    for (std::size_t i = 0; i < report_.ops.size(); ++i) {
      text += "  " + golden_.graph->op(OpId(i)).name;
      if (const auto& span = report_.ops[i]) {
        text += " " + Text(span->start) + " " + Text(span->finish);
        EXPECT_EQ(span->device, golden_.plan.placement[i]);
      }
      text += "\n";
    }
    return text;
  }

  [[nodiscard]] std::string Transfers() const {
    std::string text;
    for (const sim::TransferSpan& span : report_.transfers) {
      const sim::Tensor& tensor = golden_.graph->tensor(span.tensor);
      text += "  " + golden_.graph->op(tensor.producer).name + ":" + Text(tensor.output_index) +
              " " + Text(span.src) + ">" + Text(span.dst) + " " + Text(span.offered) + " " +
              Text(span.start) + " " + Text(span.finish) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string Residents() {
    std::string text;
    if (golden_.machine.memory.on_exceed == sim::OnExceed::kIgnore) {
      const auto residents = simulator().PeakResidents(golden_.plan, workspace_);
      for (std::size_t d = 0; d < residents.size(); ++d) {
        text += "peak of " + report_.devices[d].name + ":" + Text(residents[d]) + "\n";
      }
    }
    return text;
  }

  [[nodiscard]] std::string Neighbours() {
    const std::vector<std::string> free = NeighboursUntil(kNoLimit);
    const std::string text = "neighbours:" + Joined(free) + "\n";
    const SimTime makespan = report_.result.makespan;
    std::vector<std::string> limited = NeighboursUntil(makespan);
    for (std::size_t op = 0; op < limited.size(); ++op) {
      limited[op] = limited[op] == free[op] ? "=" : limited[op];
    }
    return text + "run until:" + UntilLine(makespan.picoseconds) + "\nneighbours until " +
           Text(makespan) + ":" + Joined(limited) + "\n";
  }

  [[nodiscard]] std::vector<std::string> NeighboursUntil(SimTime limit) {
    std::vector<std::string> instants;
    for (std::size_t op = 0; op < golden_.graph->num_ops(); ++op) {
      instants.push_back(Neighbour(MoveOf(op), limit));
    }
    return instants;
  }

  [[nodiscard]] sim::OpChange MoveOf(std::size_t op) const {
    const sim::Plan& plan = golden_.plan;
    const std::size_t next = (plan.placement[op].index() + 1) % golden_.machine.num_devices();
    const std::int64_t priority = plan.op_priority.empty() ? 0 : plan.op_priority[op];
    return {.op = OpId(op), .device = DeviceId(next), .priority = priority + 3};
  }

  // With a limit in a workspace that holds what the neighbour before has left, else in a new one.
  [[nodiscard]] std::string Neighbour(const sim::OpChange& change, SimTime limit) {
    sim::Workspace unused;
    sim::Workspace& workspace = limit == kNoLimit ? unused : neighbour_workspace_;
    sim::Plan changed = golden_.plan;
    sim::Apply({&change, 1}, changed);
    try {
      const sim::SimResult found =
          simulator().ResimulateFrom(history_, {&change, 1}, limit, workspace);
      if (found.outcome != sim::Outcome::kCutOff) {
        EXPECT_EQ(found, simulator().Run(changed, workspace_));
      }
      return Instant(found);
    } catch (const PlanError&) {
      return "refused";
    }
  }

  const GoldenCase& golden_;
  EngineAndReference both_;
  sim::Workspace workspace_;
  sim::Workspace neighbour_workspace_;
  sim::RunHistory history_;
  sim::SimReport report_;
};

}  // namespace

std::string GoldenLegend() {
  return R"(# Whole runs of the engine; picoseconds and bytes. What a machine's rules leave out is plain.
#   DEVICE: its time busy and idle: no ready work, waiting for memory, for the host, resting
#   channels: time busy of those that carried anything
#   OP: start, finish
#   TENSOR FROM>TO: offer, start, finish of a copy
#   neighbours: each op in turn on the next device, its priority three more: the makespan, or
#     o, d, c and the instant at which a run went out of memory, into a deadlock, was cut off;
#     with a limit "=" where that changes nothing
# Made by `./dev goldens`.

)";
}

std::string TextOf(const GoldenCase& golden) {
  const std::string head = "[" + golden.name + "]\n" + MachineLine(golden.machine) +
                           PlanLine(golden.plan) + ReleaseLine(*golden.graph);
  try {
    return head + GoldenRun(golden).Make() + "\n";
  } catch (const Error& error) {
    return head + "refused: " + error.what() + "\n\n";
  }
}

}  // namespace opyard::testing
