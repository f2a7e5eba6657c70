#include "sim/io/plan/order_json.h"

#include <algorithm>
#include <cstdint>

#include "sim/base/quote.h"
#include "sim/io/json/json_text.h"

namespace opyard::sim {
namespace {

// False if an entry is of the wrong form.
bool ReadStream(const JsonCursor& value, const OpGraph& graph, Stream& stream) {
  const auto last = static_cast<std::int64_t>(graph.num_ops()) - 1;
  bool is_good = true;
  const bool is_list = value.ForEachItem([&](const JsonCursor& item) {
    const std::optional<std::int64_t> op = item.IntegerIn(0, last);
    is_good = is_good && op.has_value();
    stream.push_back(OpId(static_cast<std::size_t>(op.value_or(0))));
  });
  return is_list && is_good;
}

bool ReadStreams(const JsonCursor& value, const OpGraph& graph, std::vector<Stream>& streams) {
  bool is_good = true;
  const bool is_list = value.ForEachItem([&](const JsonCursor& item) {
    streams.emplace_back();
    is_good = ReadStream(item, graph, streams.back()) && is_good;
  });
  return is_list && is_good;
}

std::string StreamText(const Stream& stream) {
  std::string list = "[";
  for (const OpId op : stream) {
    list += (list.size() == 1 ? "" : ", ") + std::to_string(op.value);
  }
  return list + "]";
}

std::string StreamsText(const std::vector<Stream>& streams) {
  std::string list = "[";
  for (const Stream& stream : streams) {
    list += (list.size() == 1 ? "" : ", ") + StreamText(stream);
  }
  return list + "]";
}

}  // namespace

std::optional<std::vector<std::vector<Stream>>> ReadOrder(const JsonCursor& value,
                                                          const OpGraph& graph,
                                                          const HardwareProfile& hardware) {
  std::vector<std::vector<Stream>> order(hardware.num_devices());
  bool is_good = true;
  const bool is_object = value.ForEachMember([&](std::string_view name, const JsonCursor& streams) {
    const auto device = std::ranges::find(hardware.devices, name, &Device::name);
    if (device == hardware.devices.end()) {
      streams.Report("device " + Quoted(name) + " does not exist; this machine has " +
                     JoinNames(hardware.DeviceNames()));
      is_good = false;
      return;
    }
    const auto index = static_cast<std::size_t>(device - hardware.devices.begin());
    is_good = ReadStreams(streams, graph, order[index]) && is_good;
  });
  return is_object && is_good ? std::optional(std::move(order)) : std::nullopt;
}

std::string OrderText(const Plan& plan, const HardwareProfile& hardware) {
  std::string text = "{";
  for (std::size_t device = 0; device < plan.order.size(); ++device) {
    text += (device == 0 ? "\n  " : ",\n  ") + JsonString(hardware.devices[device].name) + ": " +
            StreamsText(plan.order[device]);
  }
  return text + "}";
}

}  // namespace opyard::sim
