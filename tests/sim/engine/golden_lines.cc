#include "tests/sim/engine/golden_lines.h"

#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sim/io/machine/machine_words.h"
#include "sim/plan/queue_name.h"

// A field more in one of the structs has no name here, so that nothing compiles until its value
// stands in the text.
namespace opyard::testing {
namespace {

std::string Text(std::int64_t number) {
  return std::to_string(number);
}
std::string Text(SimTime time) {
  return Text(time.picoseconds);
}
std::string Text(OpId op) {
  return Text(op.value);
}
std::string Text(DeviceId device) {
  return "d" + Text(device.value);
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

std::string ChangedRules(const sim::TransferRules& rules) {
  const sim::TransferRules plain;
  const auto& [sharing, channels, one_per, gap_after] = rules;
  return Changed("sharing", Word(sim::kSharingWords, sharing), "serial") +
         Changed("channels", Text(channels), Text(plain.channels)) +
         Changed("one_per", Word(sim::kOnePerWords, one_per), "destination") +
         Changed("gap_after", Text(gap_after), "0");
}

std::string ChangedRules(const sim::ExecutionRules& rules) {
  const auto& [dispatch, gap_after_op, trailing_gaps_count, streams] = rules;
  return Changed("dispatch", Text(dispatch), "0") +
         Changed("gap_after_op", Text(gap_after_op), "0") +
         Changed("trailing_gaps_count", trailing_gaps_count ? "yes" : "no", "no") +
         Changed("streams", Word(sim::kStreamRuleWords, streams), "serial");
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

template <class Item>
std::string List(const std::string& name, const std::vector<Item>& items) {
  std::string text = items.empty() ? "" : "; " + name;
  for (const Item& item : items) {
    text += " " + Text(item);
  }
  return text;
}

}  // namespace

std::string MachineLine(const sim::HardwareProfile& machine) {
  const auto& [name,
               devices,
               memory_pools,
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
         Changed("memory_pools", Text(std::ssize(memory_pools)), "0") +
         Changed("rules", Word(sim::kRulesWords, rules), "opyard") + ChangedRules(transfers) +
         ChangedRules(execution) + ChangedRules(fusion) + ChangedRules(memory) + "\n";
}

std::string PlanLine(const sim::Plan& plan) {
  const auto& [placement,
               queue,
               op_priority,
               transfer_priority,
               fusion_priority,
               fusion_region,
               order,
               transfer_order] = plan;
  std::string text = std::string("plan: ") + sim::NameOf(queue);
  text += List("on", placement) + List("priorities", op_priority) +
          List("fusion", fusion_priority) + List("regions", fusion_region) +
          (transfer_priority.empty() ? "" : "; transfers");
  for (const sim::TransferPriority& transfer : transfer_priority) {
    text += " " + Text(transfer.tensor.value) + ">" + Text(transfer.destination) + "=" +
            Text(transfer.priority);
  }
  for (std::size_t device = 0; device < order.size(); ++device) {
    for (const sim::Stream& stream : order[device]) {
      text += List("stream of " + Text(DeviceId(device)), stream);
    }
  }
  for (const sim::ChannelOrder& channel : transfer_order) {
    text += "; " + channel.channel;
    for (const sim::CopyId& copy : channel.copies) {
      text += " " + Text(copy.tensor.value) + ">" + Text(copy.destination);
    }
  }
  return text + "\n";
}

std::string ReleaseLine(const sim::OpGraph& graph) {
  std::string text;
  bool has_any = false;
  for (const sim::Op& op : graph.ops()) {
    text += " " + Text(op.release);
    has_any = has_any || op.release > SimTime{};
  }
  return has_any ? "releases:" + text + "\n" : "";
}

}  // namespace opyard::testing
