#include "experiments/plans/schedule_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "experiments/text/csv_fields.h"
#include "experiments/text/csv_reader.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/plan/order_cycle.h"
#include "sim/plan/validate.h"

namespace opyard::experiments {
namespace {

constexpr auto kTitles = std::to_array<const char*>({"op", "device", "start_s"});

struct Entry {
  OpId op;
  DeviceId device;
  SimTime start;
  std::size_t line = 0;
};

class ScheduleTable {
 public:
  ScheduleTable(const std::string& place,
                const sim::OpGraph& graph,
                const sim::HardwareProfile& hardware)
      : place_(place), graph_(graph), hardware_(hardware), entry_of_(graph.num_ops()) {
    for (std::size_t i = 0; i < graph.num_ops(); ++i) {
      ops_.emplace(graph.op(OpId(i)).name, i);
    }
  }

  sim::Plan Read(std::string_view text) {
    const std::vector<CsvRow> rows = ReadCsv(text, place_);
    const std::vector<std::size_t> columns = FindColumns(rows, kTitles, place_);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      ReadRow(rows[i], columns);
    }
    if (diagnostics_.empty()) {
      ReportMissing();
    }
    diagnostics_.ThrowIfAny();
    return MakePlan();
  }

 private:
  void Report(std::size_t line, const std::string& message) {
    diagnostics_.AddError(place_ + ":" + std::to_string(line), message);
  }

  void ReadRow(const CsvRow& row, const std::vector<std::size_t>& columns) {
    const std::optional<OpId> op = FindOp(row, row.fields[columns[0]]);
    const std::string& name = row.fields[columns[1]];
    const std::optional<DeviceId> device = hardware_.FindDevice(name);
    if (!device.has_value()) {
      Report(row.line,
             "device: " + Quoted(name) + " does not exist; this machine has " +
                 JoinNames(hardware_.DeviceNames()));
    }
    const std::string& start_text = row.fields[columns[2]];
    const std::optional<SimTime> start = TimeIn(start_text);
    if (!start.has_value()) {
      Report(row.line,
             "start_s: found " + Quoted(start_text) + ", expected seconds from 0 to 4.6e6");
    }
    if (op.has_value()) {
      entry_of_[op->index()] = {.op = *op,
                                .device = device.value_or(DeviceId()),
                                .start = start.value_or(SimTime()),
                                .line = row.line};
    }
  }

  // The op of that name, if the graph has it and no row before did.
  std::optional<OpId> FindOp(const CsvRow& row, const std::string& name) {
    const auto found = ops_.find(name);
    if (found == ops_.end()) {
      Report(row.line,
             "op: " + Quoted(name) + " does not exist in graph " + Quoted(graph_.name()) +
                 ", expected the name of an op");
      return std::nullopt;
    }
    const std::size_t before = entry_of_[found->second].line;
    if (before > 0) {
      Report(row.line,
             "op: found " + Quoted(name) + " again, expected each op once: it stands in line " +
                 std::to_string(before));
      return std::nullopt;
    }
    return OpId(found->second);
  }

  void ReportMissing() {
    for (std::size_t i = 0; i < entry_of_.size(); ++i) {
      if (entry_of_[i].line == 0) {
        diagnostics_.AddError(
            place_, "found no row of op " + Quoted(graph_.op(OpId(i)).name) + ", expected one");
      }
    }
  }

  sim::Plan MakePlan() {
    sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kOrder};
    for (const Entry& entry : entry_of_) {
      plan.placement.push_back(entry.device);
    }
    std::ranges::sort(entry_of_, {}, [this](const Entry& entry) {
      return std::tuple(entry.start, graph_.topological_index(entry.op));
    });
    plan.order.assign(hardware_.num_devices(), std::vector<sim::Stream>(1));
    for (const Entry& entry : entry_of_) {
      plan.order[entry.device.index()].front().push_back(entry.op);
    }
    sim::FindPlanErrors(graph_, hardware_, plan, place_ + "#").ThrowIfAny();
    if (const auto cycle = sim::FindOrderCycle(graph_, plan); !cycle.empty()) {
      throw InputError(place_ + ": deadlock, the order of these starts can never go on: " +
                       sim::CycleText(graph_, hardware_, cycle) +
                       "; expected each op to start after those it waits for");
    }
    return plan;
  }

  const std::string& place_;
  const sim::OpGraph& graph_;
  const sim::HardwareProfile& hardware_;
  std::unordered_map<std::string, std::size_t> ops_;
  std::vector<Entry> entry_of_;  // [num_ops], line 0: no row; at last by start
  Diagnostics diagnostics_;
};

}  // namespace

sim::Plan PlanOfSchedule(std::string_view text,
                         const std::string& place,
                         const sim::OpGraph& graph,
                         const sim::HardwareProfile& hardware) {
  return ScheduleTable(place, graph, hardware).Read(text);
}

}  // namespace opyard::experiments
