#include "sim/io/plan/transfer_order_json.h"

#include <array>
#include <span>

#include "sim/io/json/json_text.h"
#include "sim/io/plan/copy_json.h"

namespace opyard::sim {
namespace {

constexpr auto kCopyFields = std::to_array<JsonField<CopyReading>>({
    {"op", ReadCopyOp, true},
    {"output", ReadCopyOutput, true},
    {"device", ReadCopyDevice, true},
});

std::string CopyText(const CopyId& copy, const OpGraph& graph, const HardwareProfile& hardware) {
  const Tensor& tensor = graph.tensor(copy.tensor);
  return "{\"op\": " + std::to_string(tensor.producer.value) +
         ", \"output\": " + std::to_string(tensor.output_index) +
         ", \"device\": " + JsonString(hardware.devices[copy.destination.index()].name) + "}";
}

}  // namespace

std::optional<std::vector<ChannelOrder>> ReadTransferOrder(const JsonCursor& value,
                                                           const OpGraph& graph,
                                                           const HardwareProfile& hardware) {
  std::vector<ChannelOrder> orders;
  bool is_good = true;
  const auto read_copy = [&](const JsonCursor& item) {
    CopyReading reading{.graph = &graph, .hardware = &hardware};
    ReadFields<CopyReading>(item, kCopyFields, reading);
    const std::optional<CopyId> copy = FindCopy(reading, item);
    is_good = is_good && copy.has_value();
    orders.back().copies.push_back(copy.value_or(CopyId{}));
  };
  const bool is_object = value.ForEachMember([&](std::string_view name, const JsonCursor& copies) {
    orders.push_back({.channel = std::string(name), .copies = {}});
    is_good = copies.ForEachItem(read_copy) && is_good;
  });
  return is_object && is_good ? std::optional(std::move(orders)) : std::nullopt;
}

std::string TransferOrderText(const Plan& plan,
                              const OpGraph& graph,
                              const HardwareProfile& hardware) {
  std::string text = "{";
  for (const ChannelOrder& order : plan.transfer_order) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + JsonString(order.channel) + ": [";
    for (std::size_t i = 0; i < order.copies.size(); ++i) {
      text += (i == 0 ? "" : ", ") + CopyText(order.copies[i], graph, hardware);
    }
    text += "]";
  }
  return text + "}";
}

}  // namespace opyard::sim
