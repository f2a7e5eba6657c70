#include "sim/plan/order_check.h"

#include <optional>
#include <vector>

#include "sim/base/quote.h"
#include "sim/plan/queue_name.h"

namespace opyard::sim {
namespace {

class OrderCheck {
 public:
  OrderCheck(const OpGraph& graph,
             const HardwareProfile& hardware,
             const Plan& plan,
             const std::string& place,
             Diagnostics& diagnostics)
      : graph_(graph),
        hardware_(hardware),
        plan_(plan),
        place_(place),
        diagnostics_(diagnostics),
        place_of_(graph.num_ops()) {}

  void Run() {
    if (HasStreams(plan_.queue) && !plan_.op_priority.empty()) {
      diagnostics_.AddError(place_ + "/op_priority",
                            "found beside queue " + Quoted(NameOf(plan_.queue)) +
                                ", expected none: a device with streams starts their ops in order");
    }
    if (plan_.queue != QueueDiscipline::kOrder) {
      NeedNoOrder();
      return;
    }
    if (plan_.order.size() != hardware_.num_devices()) {
      diagnostics_.AddError(place_ + "/order",
                            "found streams of " + std::to_string(plan_.order.size()) +
                                " devices, expected those of the machine's " +
                                std::to_string(hardware_.num_devices()));
      return;
    }
    for (std::size_t device = 0; device < plan_.order.size(); ++device) {
      for (std::size_t stream = 0; stream < plan_.order[device].size(); ++stream) {
        CheckStream(DeviceId(device), stream);
      }
    }
    ReportMissing();
  }

 private:
  void NeedNoOrder() {
    if (!plan_.order.empty()) {
      diagnostics_.AddError(place_ + "/order",
                            "found beside queue " + Quoted(NameOf(plan_.queue)) +
                                ", expected it with queue \"order\" only");
    }
  }

  [[nodiscard]] std::string StreamPlace(DeviceId device, std::size_t stream) const {
    return "/order/" + PointerToken(hardware_.devices[device.index()].name) + "/" +
           std::to_string(stream);
  }

  void CheckStream(DeviceId device, std::size_t stream) {
    const Stream& ops = plan_.order[device.index()][stream];
    for (std::size_t i = 0; i < ops.size(); ++i) {
      CheckEntry(device, ops[i], StreamPlace(device, stream) + "/" + std::to_string(i));
    }
  }

  void CheckEntry(DeviceId device, OpId op, const std::string& entry) {
    if (op.value < 0 || op.index() >= graph_.num_ops()) {
      diagnostics_.AddError(place_ + entry,
                            "op " + std::to_string(op.value) + " does not exist; this graph has " +
                                std::to_string(graph_.num_ops()));
      return;
    }
    if (place_of_[op.index()].has_value()) {
      diagnostics_.AddError(place_ + entry,
                            "found op " + OpText(op) + " of " + *place_of_[op.index()] +
                                " again, expected each op once");
      return;
    }
    place_of_[op.index()] = entry;
    CheckDevice(device, op, entry);
  }

  void CheckDevice(DeviceId device, OpId op, const std::string& entry) {
    if (op.index() >= plan_.placement.size() || plan_.placement[op.index()] == device) {
      return;  // a short placement is reported as such
    }
    const DeviceId placed = plan_.placement[op.index()];
    if (placed.value >= 0 && placed.index() < hardware_.num_devices()) {
      diagnostics_.AddError(place_ + entry,
                            "found op " + OpText(op) + ", which /placement puts on " +
                                Quoted(hardware_.devices[placed.index()].name));
    }
  }

  void ReportMissing() {
    for (std::size_t i = 0; i < graph_.num_ops(); ++i) {
      if (!place_of_[i].has_value()) {
        diagnostics_.AddError(
            place_ + "/order",
            "op " + OpText(OpId(i)) + " stands in no stream, expected it in one of its device");
      }
    }
  }

  [[nodiscard]] std::string OpText(OpId op) const {
    return std::to_string(op.value) + " " + Quoted(graph_.op(op).name);
  }

  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const Plan& plan_;
  const std::string& place_;
  Diagnostics& diagnostics_;
  std::vector<std::optional<std::string>> place_of_;  // [num_ops]: where it was found first
};

}  // namespace

void CheckOrder(const OpGraph& graph,
                const HardwareProfile& hardware,
                const Plan& plan,
                const std::string& place,
                Diagnostics& diagnostics) {
  OrderCheck(graph, hardware, plan, place, diagnostics).Run();
}

}  // namespace opyard::sim
