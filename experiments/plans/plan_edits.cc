#include "experiments/plans/plan_edits.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/plan/queue_name.h"

namespace opyard::experiments {
namespace {

OpId FindOp(const std::string& name, const std::string& option, const sim::OpGraph& graph) {
  const auto found = std::ranges::find(graph.ops(), name, &sim::Op::name);
  if (found != graph.ops().end()) {
    return OpId(static_cast<std::size_t>(found - graph.ops().begin()));
  }
  std::vector<std::string> names;
  for (const sim::Op& op : graph.ops()) {
    names.push_back(op.name);
  }
  throw InputError(option + ": op " + Quoted(name) + " does not exist in graph " +
                   Quoted(graph.name()) + DidYouMean(name, names));
}

// The texts before and behind the last "=".
std::pair<std::string, std::string> Split(const std::string& text,
                                          const std::string& option,
                                          const std::string& form) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos) {
    throw InputError(option + ": found " + Quoted(text) + ", expected " + form);
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

DeviceChange ReadDeviceChange(const std::string& text,
                              const std::string& option,
                              const sim::OpGraph& graph,
                              const sim::HardwareProfile& hardware,
                              const sim::Plan& plan) {
  const auto [name, device_name] = Split(text, option, "OP=DEVICE");
  const OpId op = FindOp(name, option, graph);
  const std::optional<DeviceId> device = hardware.FindDevice(device_name);
  if (!device.has_value()) {
    throw InputError(option + ": device " + Quoted(device_name) +
                     " does not exist; this machine has " + JoinNames(hardware.DeviceNames()));
  }
  DeviceChange change{.ops = {}, .from = plan.placement[op.index()], .to = *device};
  const auto label = graph.op(op).colocation;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (OpId(i) == op || (label.has_value() && graph.op(OpId(i)).colocation == label)) {
      change.ops.emplace_back(i);
    }
  }
  return change;
}

std::pair<OpId, std::int64_t> ReadOpPriority(const std::string& text,
                                             const std::string& option,
                                             const sim::OpGraph& graph) {
  const auto [name, number] = Split(text, option, "OP=NUMBER");
  const OpId op = FindOp(name, option, graph);
  std::int64_t priority = 0;
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, priority);
  const bool is_legal = error == std::errc() && stop == end && !number.empty() &&
                        priority <= sim::kLargestPriority && priority >= -sim::kLargestPriority;
  if (!is_legal) {
    throw InputError(option + ": found " + Quoted(number) + " for op " + Quoted(name) +
                     ", expected a whole number in ±2^53");
  }
  return {op, priority};
}

void SetOpPriority(OpId op, std::int64_t priority, const std::string& option, sim::Plan& plan) {
  if (sim::HasStreams(plan.queue)) {
    throw InputError(option + ": found a plan of queue " + std::string(sim::NameOf(plan.queue)) +
                     ", expected fifo or priority: streams start their ops in order");
  }
  if (plan.op_priority.empty() || plan.queue == sim::QueueDiscipline::kFifo) {
    plan.op_priority.assign(plan.placement.size(), 0);
  }
  plan.queue = sim::QueueDiscipline::kPriority;
  plan.op_priority[op.index()] = priority;
}

}  // namespace opyard::experiments
