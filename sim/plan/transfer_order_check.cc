#include "sim/plan/transfer_order_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/base/quote.h"
#include "sim/hardware/channel_map.h"
#include "sim/hardware/routes.h"

namespace opyard::sim {
namespace {

using DevicePair = std::pair<DeviceId, DeviceId>;

// The channels that transfers occupy, by source and destination.
class ChannelNames {
 public:
  explicit ChannelNames(const HardwareProfile& hardware) {
    const RouteTable routes(hardware);
    ChannelMap channels(hardware);
    for (std::size_t src = 0; src < hardware.num_devices(); ++src) {
      for (std::size_t dst = 0; dst < hardware.num_devices(); ++dst) {
        const Route* route = src == dst ? nullptr : routes.Find(DeviceId(src), DeviceId(dst));
        if (route == nullptr) {
          continue;
        }
        for (const std::int32_t channel : channels.Occupied(*route, DeviceId(src), DeviceId(dst))) {
          numbers_[{DeviceId(src), DeviceId(dst)}].insert(channel);
        }
      }
    }
    names_ = channels.names();
  }

  [[nodiscard]] bool Exists(const std::string& name) const {
    return std::ranges::find(names_, name) != names_.end();
  }
  [[nodiscard]] bool Passes(const DevicePair& pair, const std::string& name) const {
    const auto found = numbers_.find(pair);
    return found != numbers_.end() && std::ranges::any_of(found->second, [&](std::int32_t number) {
             return names_[static_cast<std::size_t>(number)] == name;
           });
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<DevicePair, std::set<std::int32_t>> numbers_;
  std::vector<std::string> names_;
};

class TransferOrderCheck {
 public:
  TransferOrderCheck(const OpGraph& graph,
                     const HardwareProfile& hardware,
                     const Plan& plan,
                     const std::string& place,
                     Diagnostics& diagnostics)
      : graph_(graph),
        hardware_(hardware),
        plan_(plan),
        place_(place + "/transfer_order"),
        diagnostics_(diagnostics),
        channels_(hardware) {}

  void Run() {
    if (!HasChannels()) {
      diagnostics_.AddError(place_,
                            "found on machine " + Quoted(hardware_.name) +
                                ", expected one with rules opyard, transfers.sharing serial and "
                                "transfers.one_per destination: only there transfers wait for "
                                "channels one by one");
      return;
    }
    std::set<std::string> seen;
    for (const ChannelOrder& order : plan_.transfer_order) {
      const std::string here = place_ + "/" + PointerToken(order.channel);
      if (!channels_.Exists(order.channel)) {
        diagnostics_.AddError(here,
                              "channel " + Quoted(order.channel) +
                                  " does not exist; transfers of this machine occupy " +
                                  JoinNames(channels_.all()));
      } else if (!seen.insert(order.channel).second) {
        diagnostics_.AddError(here, "found again, expected each channel once");
      } else {
        CheckChannel(order, here);
      }
    }
  }

 private:
  [[nodiscard]] bool HasChannels() const {
    return hardware_.rules == Rules::kOpyard && hardware_.transfers.sharing == Sharing::kSerial &&
           hardware_.transfers.one_per == OnePer::kDestination;
  }

  void CheckChannel(const ChannelOrder& order, const std::string& here) {
    std::set<CopyId> seen;
    for (std::size_t i = 0; i < order.copies.size(); ++i) {
      const CopyId& copy = order.copies[i];
      const std::string error = !seen.insert(copy).second ? "found again, expected each copy once"
                                                          : ErrorOf(copy, order.channel);
      if (!error.empty()) {
        diagnostics_.AddError(here + "/" + std::to_string(i), error);
      }
    }
  }

  // Empty if there is none.
  [[nodiscard]] std::string ErrorOf(const CopyId& copy, const std::string& channel) const {
    if (copy.tensor.value < 0 || copy.tensor.index() >= graph_.num_tensors()) {
      return "tensor " + std::to_string(copy.tensor.value) + " does not exist; this graph has " +
             std::to_string(graph_.num_tensors());
    }
    if (copy.destination.value < 0 || copy.destination.index() >= hardware_.num_devices()) {
      return "device " + std::to_string(copy.destination.value) +
             " does not exist; this machine has " + JoinNames(hardware_.DeviceNames());
    }
    const DeviceId src = plan_.placement[graph_.tensor(copy.tensor).producer.index()];
    const std::string& destination = hardware_.devices[copy.destination.index()].name;
    if (src == copy.destination || !IsReadOn(copy)) {
      return "the plan makes no copy of this tensor on " + Quoted(destination) +
             ", expected a device other than that of its producer, with an op that reads it";
    }
    if (!channels_.Passes({src, copy.destination}, channel)) {
      return "the copy goes from " + Quoted(hardware_.devices[src.index()].name) + " to " +
             Quoted(destination) + " and does not pass this channel, expected one that does";
    }
    return "";
  }

  [[nodiscard]] bool IsReadOn(const CopyId& copy) const {
    return std::ranges::any_of(graph_.consumers(copy.tensor), [&](OpId reader) {
      return plan_.placement[reader.index()] == copy.destination;
    });
  }

  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const Plan& plan_;
  std::string place_;
  Diagnostics& diagnostics_;
  ChannelNames channels_;
};

}  // namespace

void CheckTransferOrder(const OpGraph& graph,
                        const HardwareProfile& hardware,
                        const Plan& plan,
                        const std::string& place,
                        Diagnostics& diagnostics) {
  if (!plan.transfer_order.empty()) {
    TransferOrderCheck(graph, hardware, plan, place, diagnostics).Run();
  }
}

}  // namespace opyard::sim
