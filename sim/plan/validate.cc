#include "sim/plan/validate.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "sim/base/quote.h"
#include "sim/plan/order_check.h"
#include "sim/plan/transfer_order_check.h"

namespace opyard::sim {
namespace {

class PlanCheck {
 public:
  PlanCheck(const OpGraph& graph,
            const HardwareProfile& hardware,
            const Plan& plan,
            const std::string& place)
      : graph_(graph), hardware_(hardware), plan_(plan), place_(place) {}

  Diagnostics Run() {
    NeedLength("/placement", plan_.placement.size());
    for (std::size_t i = 0; i < NumToCheck(plan_.placement.size()); ++i) {
      CheckDevice(OpId(i));
    }
    if (plan_.placement.size() == graph_.num_ops()) {
      CheckColocation();  // of another graph's plan, every label would be split
    }
    CheckOpPriorities();
    CheckFusionPriorities();
    CheckFusionRegions();
    CheckTransferPriorities();
    CheckOrder(graph_, hardware_, plan_, place_, diagnostics_);
    if (plan_.placement.size() == graph_.num_ops() &&
        std::ranges::all_of(plan_.placement, [&](DeviceId device) { return IsDevice(device); })) {
      CheckTransferOrder(graph_, hardware_, plan_, place_, diagnostics_);
    }
    return std::move(diagnostics_);
  }

 private:
  void Report(const std::string& list, std::size_t index, const std::string& message) {
    diagnostics_.AddError(place_ + list + "/" + std::to_string(index), message);
  }

  void NeedLength(const std::string& list, std::size_t found) {
    if (found != graph_.num_ops()) {
      diagnostics_.AddError(place_ + list,
                            "found " + std::to_string(found) +
                                " entries, expected one per op of graph " + Quoted(graph_.name()) +
                                " (" + std::to_string(graph_.num_ops()) + ")");
    }
  }

  // Entries that belong to an op, where a list is too long.
  [[nodiscard]] std::size_t NumToCheck(std::size_t size) const {
    return std::min(size, graph_.num_ops());
  }

  [[nodiscard]] bool IsDevice(DeviceId device) const {
    return device.value >= 0 && device.index() < hardware_.num_devices();
  }

  [[nodiscard]] std::string NoSuchDevice(DeviceId device) const {
    return "device " + std::to_string(device.value) + " does not exist; this machine has " +
           JoinNames(hardware_.DeviceNames());
  }

  void CheckDevice(OpId op) {
    const DeviceId device = plan_.placement[op.index()];
    if (!IsDevice(device)) {
      Report("/placement", op.index(), NoSuchDevice(device));
    } else if (!IsAllowedOn(graph_.op(op), hardware_.devices[device.index()])) {
      Report("/placement", op.index(), PlaceMessage(op, hardware_.devices[device.index()]));
    }
  }

  [[nodiscard]] std::string PlaceMessage(OpId op, const Device& device) const {
    if (graph_.op(op).device_kinds.Contains(device.kind)) {
      return "found " + Quoted(device.name) + ", expected a device where op " +
             Quoted(graph_.op(op).name) + " may run: " + WhyNotAllowed(graph_.op(op), device);
    }
    std::vector<std::string> allowed;
    for (std::size_t k = 0; k < kNumDeviceKinds; ++k) {
      if (graph_.op(op).device_kinds.Contains(static_cast<DeviceKind>(k))) {
        allowed.emplace_back(NameOf(static_cast<DeviceKind>(k)));
      }
    }
    return "found " + Quoted(device.name) + ", a " + std::string(NameOf(device.kind)) +
           "; expected a device of a kind that op " + Quoted(graph_.op(op).name) +
           " allows: " + JoinNames(allowed);
  }

  void CheckColocation() {
    std::vector<std::optional<OpId>> first_of_label(graph_.colocation_labels().size());
    for (std::size_t i = 0; i < NumToCheck(plan_.placement.size()); ++i) {
      const std::optional<std::int32_t> label = graph_.ops()[i].colocation;
      if (!label.has_value()) {
        continue;
      }
      std::optional<OpId>& first = first_of_label[static_cast<std::size_t>(*label)];
      if (!first.has_value()) {
        first = OpId(i);
      } else if (plan_.placement[i] != plan_.placement[first->index()]) {
        Report("/placement", i, SplitMessage(OpId(i), *first));
      }
    }
  }

  [[nodiscard]] std::string DeviceText(DeviceId device) const {
    return IsDevice(device) ? Quoted(hardware_.devices[device.index()].name)
                            : std::to_string(device.value);
  }

  [[nodiscard]] std::string SplitMessage(OpId op, OpId first) const {
    const auto label = static_cast<std::size_t>(*graph_.op(op).colocation);
    return "found " + DeviceText(plan_.placement[op.index()]) + ", expected " +
           DeviceText(plan_.placement[first.index()]) + " as for op " +
           Quoted(graph_.op(first).name) + ": both are co-located as " +
           Quoted(graph_.colocation_labels()[label]);
  }

  void NeedRange(const std::string& list,
                 std::size_t index,
                 std::int64_t found,
                 std::int64_t low,
                 std::int64_t high) {
    if (found < low || found > high) {
      Report(list,
             index,
             "found " + std::to_string(found) + ", expected an integer from " +
                 std::to_string(low) + " to " + std::to_string(high));
    }
  }

  void CheckOpPriorities() {
    if (plan_.op_priority.empty()) {
      return;
    }
    NeedLength("/op_priority", plan_.op_priority.size());
    for (std::size_t i = 0; i < plan_.op_priority.size(); ++i) {
      NeedRange("/op_priority", i, plan_.op_priority[i], -kLargestPriority, kLargestPriority);
    }
  }

  void CheckFusionPriorities() {
    if (plan_.fusion_priority.empty()) {
      return;
    }
    NeedLength("/fusion_priority", plan_.fusion_priority.size());
    for (std::size_t i = 0; i < plan_.fusion_priority.size(); ++i) {
      NeedRange("/fusion_priority", i, plan_.fusion_priority[i], 0, kLargestFusionPriority);
    }
  }

  void CheckFusionRegions() {
    if (plan_.fusion_region.empty()) {
      return;
    }
    NeedLength("/fusion_region", plan_.fusion_region.size());
    for (std::size_t i = 0; i < plan_.fusion_region.size(); ++i) {
      NeedRange(
          "/fusion_region", i, plan_.fusion_region[i], 0, std::numeric_limits<std::int32_t>::max());
    }
  }

  void CheckTransferPriorities() {
    const std::vector<TransferPriority>& all = plan_.transfer_priority;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].tensor.value < 0 || all[i].tensor.index() >= graph_.num_tensors()) {
        Report("/transfer_priority",
               i,
               "tensor " + std::to_string(all[i].tensor.value) +
                   " does not exist; this graph has " + std::to_string(graph_.num_tensors()));
      }
      if (!IsDevice(all[i].destination)) {
        Report("/transfer_priority", i, NoSuchDevice(all[i].destination));
      }
      NeedRange("/transfer_priority", i, all[i].priority, -kLargestPriority, kLargestPriority);
    }
    CheckTransfersUnique();
  }

  void CheckTransfersUnique() {
    std::vector<std::tuple<TensorId, DeviceId, std::size_t>> sorted;
    for (std::size_t i = 0; i < plan_.transfer_priority.size(); ++i) {
      const TransferPriority& transfer = plan_.transfer_priority[i];
      sorted.emplace_back(transfer.tensor, transfer.destination, i);
    }
    std::ranges::sort(sorted);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const auto& [tensor, destination, index] = sorted[i];
      const auto& [tensor_before, destination_before, index_before] = sorted[i - 1];
      if (tensor == tensor_before && destination == destination_before) {
        Report("/transfer_priority",
               index,
               "found the tensor and device of /transfer_priority/" + std::to_string(index_before) +
                   " again, expected each pair once");
      }
    }
  }

  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const Plan& plan_;
  const std::string& place_;
  Diagnostics diagnostics_;
};

}  // namespace

Diagnostics FindPlanErrors(const OpGraph& graph,
                           const HardwareProfile& hardware,
                           const Plan& plan,
                           const std::string& place) {
  return PlanCheck(graph, hardware, plan, place).Run();
}

void ValidatePlan(const OpGraph& graph, const HardwareProfile& hardware, const Plan& plan) {
  const Diagnostics diagnostics = FindPlanErrors(graph, hardware, plan);
  if (!diagnostics.empty()) {
    throw PlanError(diagnostics.Text());
  }
}

}  // namespace opyard::sim
