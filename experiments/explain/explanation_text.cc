#include "experiments/explain/explanation_text.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "experiments/explain/path_text.h"
#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/analysis/span_names.h"

namespace opyard::experiments {
namespace {

std::string IdleText(const sim::SimReport& report) {
  TextTable table({{.title = "idle time"},
                   {.title = "no work ready", .align = Align::kRight},
                   {.title = "memory", .align = Align::kRight},
                   {.title = "stream head", .align = Align::kRight},
                   {.title = "dispatch", .align = Align::kRight},
                   {.title = "gaps", .align = Align::kRight},
                   {.title = "idle", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(report.result.makespan);
  for (const sim::DeviceReport& device : report.devices) {
    const SimTime idle = device.idle_no_ready_work + device.idle_waiting_for_memory +
                         device.idle_stream_head + device.idle_dispatch + device.idle_gap;
    table.AddRow({OneLine(device.name),
                  TimeText(device.idle_no_ready_work, unit),
                  TimeText(device.idle_waiting_for_memory, unit),
                  TimeText(device.idle_stream_head, unit),
                  TimeText(device.idle_dispatch, unit),
                  TimeText(device.idle_gap, unit),
                  PercentText(idle, report.result.makespan)});
  }
  return table.Text();
}

// The device whose peak is the greatest share of its capacity, the first of equals.
std::size_t FullestDevice(const sim::SimReport& report) {
  const auto share = [](const sim::DeviceReport& device) {
    return static_cast<double>(device.peak_memory.count) /
           std::max(static_cast<double>(device.capacity.count), 1.0);
  };
  return static_cast<std::size_t>(std::ranges::max_element(report.devices, {}, share) -
                                  report.devices.begin());
}

// The largest residents of the device whose memory ran out, which need not be the fullest device.
std::string FailureText(const sim::OutOfMemoryReport& failure) {
  const std::string where = failure.memory_pool.empty()
                                ? "on " + OneLine(failure.device)
                                : "in memory pool " + OneLine(failure.memory_pool);
  TextTable table({{.title = "largest " + where + ", which ran out"},
                   {.title = "bytes", .align = Align::kRight}});
  for (const sim::Resident& resident : failure.largest_residents) {
    table.AddRow({OneLine(resident.name), BytesText(resident.bytes)});
  }
  table.AddRow({"all, at " + TimeText(failure.time), BytesText(failure.in_use)});
  table.AddRow({"asked for by " + OneLine(failure.what), BytesText(failure.requested)});
  table.AddRow({"capacity", BytesText(failure.capacity)});
  return table.Text();
}

std::string ResidentsText(const sim::SimReport& report, const Explanation& explanation) {
  if (report.failure.has_value()) {
    return FailureText(*report.failure);
  }
  const std::size_t fullest = FullestDevice(report);
  const sim::DeviceReport& device = report.devices[fullest];
  TextTable table({{.title = "largest at the peak of " + OneLine(device.name)},
                   {.title = "bytes", .align = Align::kRight}});
  for (const sim::Resident& resident : explanation.peak_residents[fullest]) {
    table.AddRow({OneLine(resident.name), BytesText(resident.bytes)});
  }
  table.AddRow({"all, at " + TimeText(device.peak_instant, UnitOf(report.result.makespan)),
                BytesText(device.peak_memory)});
  return table.Text();
}

// A step that failed ends before the others.
SimTime LongestStep(const sim::SimResult& base, const std::vector<WhatIf>& answers) {
  SimTime longest = base.makespan;
  for (const WhatIf& answer : answers) {
    longest = std::max(longest, answer.result.makespan);
  }
  return longest;
}

std::string WhatIfText(const sim::SimResult& base, const std::vector<WhatIf>& answers) {
  TextTable table({{.title = "what if"},
                   {.title = "makespan", .align = Align::kRight},
                   {.title = "change", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(LongestStep(base, answers));
  for (const WhatIf& answer : answers) {
    const sim::SimResult& result = answer.result;
    if (result.outcome != sim::Outcome::kCompleted) {
      table.AddRow({OneLine(answer.change), sim::NameOf(result.outcome), ""});
    } else if (base.outcome != sim::Outcome::kCompleted) {
      table.AddRow({OneLine(answer.change), TimeText(result.makespan, unit), "completes"});
    } else {
      table.AddRow({OneLine(answer.change),
                    TimeText(result.makespan, unit),
                    result.makespan == base.makespan
                        ? "none"
                        : ChangeText(base.makespan, result.makespan, unit)});
    }
  }
  return table.Text();
}

std::string DeviceName(const sim::SimulatedStep& step, DeviceId device) {
  return OneLine(step.hardware.devices[device.index()].name);
}

// "a", or "a and 2 with it".
std::string OpsText(const sim::SimulatedStep& step, const std::vector<OpId>& ops) {
  const std::size_t others = ops.size() - 1;
  return OneLine(step.graph.op(ops.front()).name) +
         (others > 0 ? " and " + std::to_string(others) + " with it" : "");
}

// "after all others instead of priority 3".
std::string RankText(std::int64_t from, std::int64_t to) {
  return std::string(to > from ? "before" : "after") + " all others instead of priority " +
         std::to_string(from);
}

std::string Sentence(const sim::SimulatedStep& step, const DeviceChange& change) {
  return OpsText(step, change.ops) + " on " + DeviceName(step, change.to) + " instead of " +
         DeviceName(step, change.from);
}

std::string Sentence(const sim::SimulatedStep& step, const PriorityChange& change) {
  return OneLine(step.graph.op(change.op).name) + " " + RankText(change.from, change.to);
}

std::string Sentence(const sim::SimulatedStep& step, const TransferChange& change) {
  return "copy of " + OneLine(sim::NameOf(step.graph, change.tensor)) + " to " +
         DeviceName(step, change.destination) + " " + RankText(change.from, change.to);
}

std::string Sentence(const sim::SimulatedStep& step, const FusionChange& change) {
  return OpsText(step, change.ops) +
         (change.to == 0 ? " declining to be fused" : " no longer declining to be fused");
}

std::string DecisionsText(const sim::SimulatedStep& step, const Counterfactuals& found) {
  TextTable table({{.title = "change", .align = Align::kRight},
                   {.title = "one other decision (" + std::to_string(found.num_tried) + " tried, " +
                             std::to_string(found.num_incomplete) + " of them do not complete)"}});
  const SimTime makespan = step.report.result.makespan;
  const TimeUnit unit = UnitOf(makespan);
  for (const std::vector<Counterfactual>* list : {&found.savings, &found.costs}) {
    for (const Counterfactual& counterfactual : *list) {
      table.AddRow({ChangeText(makespan, counterfactual.makespan, unit),
                    ChangeSentence(step, counterfactual.change)});
    }
  }
  return table.Text();
}

}  // namespace

std::string ChangeSentence(const sim::SimulatedStep& step, const PlanChange& change) {
  return std::visit([&step](const auto& one) { return Sentence(step, one); }, change);
}

std::string ExplanationText(const sim::SimulatedStep& step, const Explanation& explanation) {
  std::string text;
  if (!explanation.path.empty()) {
    text += PathText(step, explanation.timeline, explanation.path) + "\n";
  }
  text += IdleText(step.report) + "\n" + ResidentsText(step.report, explanation);
  if (!explanation.what_ifs.empty()) {
    text += "\n" + WhatIfText(step.report.result, explanation.what_ifs);
  }
  if (explanation.counterfactuals.has_value()) {
    text += "\n" + DecisionsText(step, *explanation.counterfactuals);
  }
  return text;
}

}  // namespace opyard::experiments
