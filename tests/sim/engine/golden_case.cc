#include "tests/sim/engine/golden_case.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/machine_words.h"
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
std::string YesNo(bool claim) {
  return claim ? "yes" : "no";
}

template <class Words, class Enumerator>
std::string Word(const Words& words, Enumerator value) {
  return std::string(words.at(static_cast<std::size_t>(value)));
}

// "; key value" where the value is not the plain one.
std::string Changed(const std::string& key, const std::string& value, const std::string& plain) {
  return value == plain ? "" : "; " + key + " " + value;
}

std::string Text(const sim::ChannelKinds& kinds) {
  const auto& [links, egress, ingress, pair] = kinds;
  return std::string(links ? "links," : "") + (egress ? "egress," : "") +
         (ingress ? "ingress," : "") + (pair ? "pair," : "");
}

// A field more in one of the following structs has no name here, so that nothing compiles until its
// value stands in the text.

std::string ChangedRules(const sim::TransferRules& rules) {
  const sim::TransferRules plain;
  const auto& [sharing, channels, one_per, gap_after] = rules;
  return Changed("sharing", Word(sim::kSharingWords, sharing), "serial") +
         Changed("channels", Text(channels), Text(plain.channels)) +
         Changed("one_per", Word(sim::kOnePerWords, one_per), "destination") +
         Changed("gap_after", Text(gap_after), "0");
}

std::string ChangedRules(const sim::ExecutionRules& rules) {
  const auto& [dispatch, gap_after_op, trailing_gaps_count] = rules;
  return Changed("dispatch", Text(dispatch), "0") +
         Changed("gap_after_op", Text(gap_after_op), "0") +
         Changed("trailing_gaps_count", YesNo(trailing_gaps_count), "no");
}

std::string ChangedRules(const sim::FusionLimits& limits) {
  const auto& [max_ops, max_depth_span] = limits;
  return Changed("max_ops", Text(max_ops), "64") +
         Changed("max_depth_span", Text(max_depth_span), "32");
}

std::string ChangedRules(const sim::MemoryRules& rules) {
  const auto& [on_exceed, reserve] = rules;
  return Changed("on_exceed", Word(sim::kOnExceedWords, on_exceed), "fail") +
         Changed("reserve", Text(std::lround(100.0 * reserve)), "0");
}

std::string Text(const sim::HardwareProfile& machine) {
  const auto& [name,
               devices,
               switches,
               links,
               routes,
               rules,
               execution,
               fusion,
               transfers,
               memory,
               provenance] = machine;
  return "machine: " + Text(std::ssize(devices)) + " devices" +
         Changed("rules", Word(sim::kRulesWords, rules), "opyard") + ChangedRules(transfers) +
         ChangedRules(execution) + ChangedRules(fusion) + ChangedRules(memory) + "\n";
}

template <class Number>
std::string List(const std::string& name, const std::vector<Number>& numbers) {
  std::string text = numbers.empty() ? "" : "; " + name;
  for (const Number number : numbers) {
    text += " " + Text(number);
  }
  return text;
}

std::string Text(const sim::Plan& plan) {
  const auto& [placement, queue, op_priority, transfer_priority, fusion_priority] = plan;
  std::string text = queue == sim::QueueDiscipline::kFifo ? "plan: fifo" : "plan: priority";
  text += List("on", placement) + List("priorities", op_priority) +
          List("fusion", fusion_priority) + (transfer_priority.empty() ? "" : "; transfers");
  for (const sim::TransferPriority& transfer : transfer_priority) {
    text += " " + Text(transfer.tensor.value) + ">" + Text(transfer.destination) + "=" +
            Text(transfer.priority);
  }
  return text + "\n";
}

// "123" of a run that completed; "o123", "d123" and "c123" of others, by the first letter of the
// outcome.
std::string Instant(const sim::SimResult& result) {
  const bool is_complete = result.outcome == sim::Outcome::kCompleted;
  return (is_complete ? "" : std::string(sim::NameOf(result.outcome)).substr(0, 1)) +
         Text(result.makespan);
}

// What the texts of one run are made of.
class GoldenRun {
 public:
  explicit GoldenRun(const GoldenCase& golden)
      : golden_(golden), both_(golden.graph, golden.machine) {
    report_ = both_.RunEngine(golden.plan, workspace_);
    EXPECT_EQ(simulator().Run(golden.plan, workspace_), report_.result);
    EXPECT_EQ(simulator().Remember(golden.plan, workspace_, history_), report_.result);
  }

  [[nodiscard]] std::string Make() {
    return RunLine() + Failure() + Devices() + Channels() + Ops() + Transfers() +
           NeighboursLine("neighbours:", kNoLimit) + Limited();
  }

 private:
  [[nodiscard]] const sim::Simulator& simulator() const { return both_.simulator(); }

  [[nodiscard]] std::string RunLine() const {
    const sim::SimResult& result = report_.result;
    return std::string("run: ") + sim::NameOf(result.outcome) + " " + Text(result.makespan) +
           ", peak " + Text(result.peak_memory) + ", " + Text(result.num_transfers) +
           " transfers; plan bound " + Text(report_.plan_bound) + ", problem bound " +
           Text(report_.problem_bound) + "; remembers " +
           YesNo(simulator().CanRememberStates(golden_.plan)) + "\n";
  }

  // What runs with a limit say. Not under `wait`, where one that exceeds its limit goes on without
  // the op that does, up to a deadlock, instead of being cut off.
  [[nodiscard]] std::string Limited() {
    if (golden_.machine.memory.on_exceed == sim::OnExceed::kWait) {
      return "";
    }
    const SimTime makespan = report_.result.makespan;
    return UntilLine(makespan.picoseconds) +
           NeighboursLine("neighbours until " + Text(makespan) + ":", makespan);
  }

  // Limits of the makespan, one less, and half of it.
  [[nodiscard]] std::string UntilLine(std::int64_t makespan) {
    std::string line = "run until:";
    for (const std::int64_t limit : {makespan, makespan - 1, makespan / 2}) {
      line += " " + Text(limit) + ": " +
              Instant(simulator().RunUntil(golden_.plan, SimTime{limit}, workspace_)) + ";";
    }
    return line + "\n";
  }

  [[nodiscard]] std::string Failure() const {
    std::string text;
    if (const auto& failure = report_.failure) {
      text += "failure: " + failure->what + " on " + failure->device + " at " +
              Text(failure->time) + " asks " + Text(failure->requested) + ", " +
              Text(failure->in_use) + " of " + Text(failure->capacity) + " in use:";
      for (const sim::Resident& resident : failure->largest_residents) {
        text += " " + resident.name + " " + Text(resident.bytes) + ",";
      }
      text += "\n";
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

  [[nodiscard]] std::string Ops() const {
    std::string text;
    for (std::size_t i = 0; i < report_.ops.size(); ++i) {
      text += "  " + golden_.graph->op(OpId(i)).name;
      if (const auto& span = report_.ops[i]) {
        text += " " + Text(span->device) + " " + Text(span->start) + " " + Text(span->finish);
      }
      const bool is_fused = !golden_.plan.fusion_priority.empty();
      text += (is_fused ? ", kernel " + Text(report_.groups[i]) : "") + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string Transfers() const {
    std::string text;
    for (const sim::TransferSpan& span : report_.transfers) {
      const sim::Tensor& tensor = golden_.graph->tensor(span.tensor);
      text += "  copy of " + golden_.graph->op(tensor.producer).name + ":" +
              Text(tensor.output_index) + " " + Text(span.src) + ">" + Text(span.dst) + ": " +
              Text(span.offered) + " " + Text(span.start) + " " + Text(span.finish) + "\n";
    }
    return text;
  }

  [[nodiscard]] std::string NeighboursLine(const std::string& name, SimTime limit) {
    std::string line = name;
    for (std::size_t op = 0; op < golden_.graph->num_ops(); ++op) {
      line += " " + Neighbour(MoveOf(op), limit);
    }
    return line + "\n";
  }

  [[nodiscard]] sim::OpChange MoveOf(std::size_t op) const {
    const sim::Plan& plan = golden_.plan;
    const std::size_t next = (plan.placement[op].index() + 1) % golden_.machine.num_devices();
    const std::int64_t priority = plan.op_priority.empty() ? 0 : plan.op_priority[op];
    return {.op = OpId(op), .device = DeviceId(next), .priority = priority + 3};
  }

  [[nodiscard]] std::string Neighbour(const sim::OpChange& change, SimTime limit) {
    sim::Plan changed = golden_.plan;
    sim::Apply({&change, 1}, changed);
    try {
      const sim::SimResult found =
          simulator().RunNeighbour(history_, {&change, 1}, limit, workspace_);
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
  sim::RunHistory history_;
  sim::SimReport report_;
};

}  // namespace

std::string GoldenLegend() {
  return R"(# Whole runs of the engine; picoseconds and bytes. What a machine's rules leave out is plain.
#   DEVICE: its time busy and idle: no ready work, waiting for memory, for the host, resting
#   channels: time busy of those that carried anything
#   OP: device, start, finish
#   copy of TENSOR: offer, start, finish
#   neighbours: each op in turn on the next device, its priority three more: the makespan, or
#     o, d, c and the instant at which a run went out of memory, into a deadlock, was cut off
# Made by `./dev goldens`.

)";
}

std::string TextOf(const GoldenCase& golden) {
  const std::string head = "[" + golden.name + "]\n" + Text(golden.machine) + Text(golden.plan);
  try {
    return head + GoldenRun(golden).Make() + "\n";
  } catch (const Error& error) {
    return head + "refused: " + error.what() + "\n\n";
  }
}

}  // namespace opyard::testing
