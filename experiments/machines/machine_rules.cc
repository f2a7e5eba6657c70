#include "experiments/machines/machine_rules.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"
#include "sim/io/machine/machine_words.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOf(sim::Rules rules) {
  return std::string(sim::WordOf(sim::kRulesWords, rules));
}

std::string NameOf(sim::StreamRule streams) {
  return std::string(sim::WordOf(sim::kStreamRuleWords, streams));
}

std::string NameOf(sim::Sharing sharing) {
  return std::string(sim::WordOf(sim::kSharingWords, sharing));
}

std::string NameOf(sim::OnePer one_per) {
  return std::string(sim::WordOf(sim::kOnePerWords, one_per));
}

std::string NameOf(sim::OnExceed on_exceed) {
  return std::string(sim::WordOf(sim::kOnExceedWords, on_exceed));
}

std::vector<std::string> ChannelNames(const sim::ChannelKinds& channels) {
  std::vector<std::string> names;
  for (const auto& [name, is_occupied] : {std::pair("links", channels.links),
                                          std::pair("egress", channels.egress),
                                          std::pair("ingress", channels.ingress),
                                          std::pair("pair", channels.pair)}) {
    if (is_occupied) {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

std::string RulesText(const sim::HardwareProfile& machine) {
  const sim::TransferRules& transfers = machine.transfers;
  TextTable table({{.title = "rule"}, {.title = "value"}});
  table.AddRow({"rules", NameOf(machine.rules)});
  table.AddRow({"transfers.sharing", NameOf(transfers.sharing)});
  if (transfers.sharing == sim::Sharing::kSerial) {
    table.AddRow({"transfers.channels", JoinNames(ChannelNames(transfers.channels))});
    table.AddRow({"transfers.gap_after", TimeText(transfers.gap_after)});
  }
  table.AddRow({"transfers.one_per", NameOf(transfers.one_per)});
  table.AddRow({"memory.on_exceed", NameOf(machine.memory.on_exceed)});
  table.AddRow({"memory.reserve", Fixed(machine.memory.reserve * 100.0, 1) + " %"});
  table.AddRow({"execution.dispatch", TimeText(machine.execution.dispatch)});
  table.AddRow({"execution.gap_after_op", TimeText(machine.execution.gap_after_op)});
  table.AddRow(
      {"execution.trailing_gaps_count", machine.execution.trailing_gaps_count ? "true" : "false"});
  table.AddRow({"execution.streams", NameOf(machine.execution.streams)});
  table.AddRow({"fusion.max_ops", std::to_string(machine.fusion.max_ops)});
  table.AddRow({"fusion.max_depth_span", std::to_string(machine.fusion.max_depth_span)});
  return table.Text();
}

Json RulesJson(const sim::HardwareProfile& machine) {
  const sim::TransferRules& transfers = machine.transfers;
  const sim::ExecutionRules& execution = machine.execution;
  return {
      {"rules", NameOf(machine.rules)},
      {"execution",
       {{"dispatch_s", execution.dispatch.seconds()},
        {"gap_after_op_s", execution.gap_after_op.seconds()},
        {"trailing_gaps_count", execution.trailing_gaps_count},
        {"streams", NameOf(execution.streams)}}},
      {"fusion",
       {{"max_ops", machine.fusion.max_ops}, {"max_depth_span", machine.fusion.max_depth_span}}},
      {"transfers",
       {{"sharing", NameOf(transfers.sharing)},
        {"channels", ChannelNames(transfers.channels)},
        {"one_per", NameOf(transfers.one_per)},
        {"gap_after_s", transfers.gap_after.seconds()}}},
      {"memory",
       {{"on_exceed", NameOf(machine.memory.on_exceed)}, {"reserve", machine.memory.reserve}}}};
}

}  // namespace opyard::experiments
