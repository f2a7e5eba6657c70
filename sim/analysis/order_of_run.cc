#include "sim/analysis/order_of_run.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

bool HasOpPriorities(const Plan& plan) {
  return plan.queue == QueueDiscipline::kPriority && !plan.op_priority.empty();
}

void EnsureItIsKnown(const HardwareProfile& hardware, const Plan& plan, const SimReport& report) {
  if (report.result.outcome != Outcome::kCompleted) {
    throw PlanError(std::string("plan: the order of a run that ended in ") +
                    NameOf(report.result.outcome) + " is not known, expected one that completes");
  }
  if (!CanRepeatRun(hardware, plan)) {
    throw UnsupportedError(
        "machine " + hardware.name +
        ": transfers.one_per: under edge each edge has the priority of its own "
        "consumer, which no order says; expected queue fifo, or another one_per");
  }
}

// The priorities that the run gave its transfers. One transfer may serve several devices.
std::vector<TransferPriority> PrioritiesOfTransfers(const HardwareProfile& hardware,
                                                    const SimReport& report) {
  const bool is_joint = hardware.transfers.one_per == OnePer::kOutput;
  std::vector<TransferPriority> priorities;
  for (const TransferSpan& transfer : report.transfers) {
    for (std::size_t d = 0; d < hardware.num_devices(); ++d) {
      if (DeviceId(d) == transfer.dst || (is_joint && DeviceId(d) != transfer.src)) {
        priorities.push_back(
            {.tensor = transfer.tensor, .destination = DeviceId(d), .priority = transfer.priority});
      }
    }
  }
  std::ranges::sort(priorities, {}, [](const TransferPriority& entry) {
    return std::pair(entry.tensor, entry.destination);
  });
  return priorities;
}

}  // namespace

bool CanRepeatRun(const HardwareProfile& hardware, const Plan& plan) {
  const bool transfers_queue = hardware.transfers.sharing == Sharing::kSerial ||
                               hardware.memory.on_exceed == OnExceed::kWait;
  return hardware.transfers.one_per != OnePer::kEdge || !transfers_queue || !HasOpPriorities(plan);
}

Plan OrderOfRun(const HardwareProfile& hardware, const Plan& plan, const SimReport& report) {
  if (plan.queue == QueueDiscipline::kOrder) {
    return plan;
  }
  EnsureItIsKnown(hardware, plan, report);
  Plan ordered = plan;
  ordered.queue = QueueDiscipline::kOrder;
  ordered.op_priority.clear();
  if (HasOpPriorities(plan) && hardware.transfers.one_per != OnePer::kEdge) {
    ordered.transfer_priority = PrioritiesOfTransfers(hardware, report);
  }
  ordered.order.assign(hardware.num_devices(), std::vector<Stream>(1));
  for (const OpId op : report.start_order) {
    ordered.order[plan.placement[op.index()].index()].front().push_back(op);
  }
  return ordered;
}

}  // namespace opyard::sim
