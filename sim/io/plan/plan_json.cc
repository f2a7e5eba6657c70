#include "sim/io/plan/plan_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "sim/base/input_file.h"
#include "sim/base/quote.h"
#include "sim/io/json/json_cursor.h"
#include "sim/io/json/json_kind.h"
#include "sim/io/json/json_text.h"
#include "sim/io/plan/copy_json.h"
#include "sim/io/plan/order_json.h"
#include "sim/io/plan/transfer_order_json.h"
#include "sim/io/text/text_file.h"
#include "sim/plan/order_cycle.h"
#include "sim/plan/queue_name.h"
#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

constexpr std::string_view kPlanFormat = "opyard-plan/1";
constexpr WantedJson kWantedPlan = {.what = "a plan (opyard-plan/1)",
                                    .family = "opyard-plan/",
                                    .body_key = "placement",
                                    .advice = "opyard place --out FILE writes one"};
constexpr std::int64_t kGreatestInt32 = std::numeric_limits<std::int32_t>::max();

// A plan as it is being read. Entries of the wrong form are reported at once; what stands in for
// them must cause no further message.
struct PlanReading {
  const OpGraph* graph = nullptr;
  const HardwareProfile* hardware = nullptr;
  std::map<std::string_view, DeviceId> devices;
  std::vector<std::optional<DeviceId>> placement;
  bool has_placement = false;
  std::optional<QueueDiscipline> queue;
  bool has_op_priority = false;
  bool has_bad_transfers = false;
  bool has_bad_order = false;
  std::string graph_name;
  Plan plan;
};

std::optional<DeviceId> ReadDevice(const JsonCursor& value, const PlanReading& reading) {
  const std::optional<std::string_view> name = value.Text();
  if (!name.has_value()) {
    return std::nullopt;
  }
  const auto found = reading.devices.find(*name);
  if (found == reading.devices.end()) {
    return ReadDeviceName(value, *reading.hardware);  // which reports it
  }
  return found->second;
}

void ReadFormat(const JsonCursor& value, PlanReading& /*reading*/) {
  const std::optional<std::string_view> format = value.Text();
  if (format.has_value() && *format != kPlanFormat) {
    value.ReportExpected(JsonString(kPlanFormat));
  }
}

void ReadGraphName(const JsonCursor& value, PlanReading& reading) {
  reading.graph_name = value.Text().value_or("");
}

void ReadQueue(const JsonCursor& value, PlanReading& reading) {
  reading.queue = ReadEnum(value, FindQueue, JoinNames(QueueNames()).c_str());
}

void ReadPlacement(const JsonCursor& value, PlanReading& reading) {
  reading.has_placement = value.ForEachItem([&reading](const JsonCursor& item) {
    reading.placement.push_back(ReadDevice(item, reading));
  });
}

// An empty list would pass for none at all.
void NeedEntries(const JsonCursor& value, std::size_t found) {
  if (value.kind() == JsonKind::kArray && found == 0) {
    value.Report("found 0 entries, expected one per op");
  }
}

void ReadOpPriority(const JsonCursor& value, PlanReading& reading) {
  reading.has_op_priority = true;
  value.ForEachItem([&reading](const JsonCursor& item) {
    reading.plan.op_priority.push_back(item.Integer().value_or(0));
  });
  NeedEntries(value, reading.plan.op_priority.size());
}

void ReadFusionPriority(const JsonCursor& value, PlanReading& reading) {
  value.ForEachItem([&reading](const JsonCursor& item) {
    const std::optional<std::int64_t> priority = item.IntegerIn(0, kGreatestInt32);
    reading.plan.fusion_priority.push_back(static_cast<std::int32_t>(priority.value_or(0)));
  });
  NeedEntries(value, reading.plan.fusion_priority.size());
}

void ReadFusionRegion(const JsonCursor& value, PlanReading& reading) {
  value.ForEachItem([&reading](const JsonCursor& item) {
    const std::optional<std::int64_t> region = item.IntegerIn(0, kGreatestInt32);
    reading.plan.fusion_region.push_back(static_cast<std::int32_t>(region.value_or(0)));
  });
  NeedEntries(value, reading.plan.fusion_region.size());
}

// One entry of transfer_priority before its indices are resolved.
struct TransferReading {
  CopyReading copy;
  std::optional<std::int64_t> priority;
};

constexpr auto kTransferFields = std::to_array<JsonField<TransferReading>>({
    {"op", [](const JsonCursor& v, TransferReading& r) { ReadCopyOp(v, r.copy); }, true},
    {"output", [](const JsonCursor& v, TransferReading& r) { ReadCopyOutput(v, r.copy); }, true},
    {"device", [](const JsonCursor& v, TransferReading& r) { ReadCopyDevice(v, r.copy); }, true},
    {"priority", [](const JsonCursor& v, TransferReading& r) { r.priority = v.Integer(); }, true},
});

void ReadTransfer(const JsonCursor& item, PlanReading& reading) {
  TransferReading transfer{.copy = {.graph = reading.graph, .hardware = reading.hardware}};
  ReadFields<TransferReading>(item, kTransferFields, transfer);
  const std::optional<CopyId> copy = FindCopy(transfer.copy, item);
  if (copy.has_value() && transfer.priority.has_value()) {
    reading.plan.transfer_priority.push_back(
        {.tensor = copy->tensor, .destination = copy->destination, .priority = *transfer.priority});
  } else {
    reading.has_bad_transfers = true;
  }
}

void ReadTransfers(const JsonCursor& value, PlanReading& reading) {
  value.ForEachItem([&reading](const JsonCursor& item) { ReadTransfer(item, reading); });
}

void ReadStreams(const JsonCursor& value, PlanReading& reading) {
  auto order = ReadOrder(value, *reading.graph, *reading.hardware);
  reading.has_bad_order = !order.has_value();
  reading.plan.order = std::move(order).value_or(std::vector<std::vector<Stream>>{});
}

void ReadChannels(const JsonCursor& value, PlanReading& reading) {
  auto orders = ReadTransferOrder(value, *reading.graph, *reading.hardware);
  reading.plan.transfer_order = std::move(orders).value_or(std::vector<ChannelOrder>{});
}

constexpr auto kPlanFields = std::to_array<JsonField<PlanReading>>({
    {"format", ReadFormat, true},
    {"graph", ReadGraphName},
    {"queue", ReadQueue},
    {"placement", ReadPlacement, true},
    {"op_priority", ReadOpPriority},
    {"transfer_priority", ReadTransfers},
    {"fusion_priority", ReadFusionPriority},
    {"fusion_region", ReadFusionRegion},
    {"order", ReadStreams},
    {"transfer_order", ReadChannels},
});

// A device for `op`, whose own entry cannot be read, that the checks of the plan do not object to
// if any such device exists.
DeviceId StandIn(const PlanReading& reading, OpId op) {
  const Op& values = reading.graph->op(op);
  const std::vector<Device>& devices = reading.hardware->devices;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (IsAllowedOn(values, devices[i])) {
      return DeviceId(i);
    }
  }
  return DeviceId();
}

// The first readable device of each co-location label.
std::vector<std::optional<DeviceId>> DevicesOfLabels(const PlanReading& reading) {
  std::vector<std::optional<DeviceId>> devices(reading.graph->colocation_labels().size());
  for (std::size_t i = 0; i < std::min(reading.placement.size(), reading.graph->num_ops()); ++i) {
    const std::optional<std::int32_t> label = reading.graph->ops()[i].colocation;
    if (label.has_value() && !devices[static_cast<std::size_t>(*label)].has_value()) {
      devices[static_cast<std::size_t>(*label)] = reading.placement[i];
    }
  }
  return devices;
}

OpPlacement FillPlacement(PlanReading& reading) {
  const OpGraph& graph = *reading.graph;
  if (!reading.has_placement) {
    reading.placement.assign(graph.num_ops(), std::nullopt);
  }
  std::vector<std::optional<DeviceId>> of_label = DevicesOfLabels(reading);
  OpPlacement placement;
  for (std::size_t i = 0; i < reading.placement.size(); ++i) {
    std::optional<DeviceId> device = reading.placement[i];
    if (!device.has_value() && i < graph.num_ops()) {
      const std::optional<std::int32_t> label = graph.ops()[i].colocation;
      std::optional<DeviceId> alone;
      std::optional<DeviceId>& shared =
          label.has_value() ? of_label[static_cast<std::size_t>(*label)] : alone;
      shared = shared.has_value() ? *shared : StandIn(reading, OpId(i));
      device = shared;
    }
    placement.push_back(device.value_or(DeviceId()));
  }
  return placement;
}

// The queue of a plan that names none.
QueueDiscipline DefaultQueue(const PlanReading& reading) {
  if (!reading.plan.order.empty()) {
    return QueueDiscipline::kOrder;
  }
  return reading.has_op_priority ? QueueDiscipline::kPriority : QueueDiscipline::kFifo;
}

void CheckThatOrderGoesOn(const PlanReading& reading,
                          const std::string& root,
                          Diagnostics& diagnostics) {
  const Plan& plan = reading.plan;
  if (plan.order.empty() && plan.transfer_order.empty()) {
    return;
  }
  const std::vector<OrderWait> cycle = FindOrderCycle(*reading.graph, plan);
  if (cycle.empty()) {
    return;
  }
  const bool has_copies = std::ranges::any_of(
      cycle, [](const OrderWait& wait) { return wait.kind == OrderWaitKind::kChannel; });
  diagnostics.AddError(
      root + (has_copies ? "/transfer_order" : "/order"),
      "deadlock, this order can never go on: " +
          CycleText(*reading.graph, *reading.hardware, cycle) +
          (has_copies ? "; expected each copy behind those it waits for, on all channels"
                      : "; expected each op behind those it waits for, on all devices"));
}

// Turns the reading into a plan and adds the errors of the plan to those of the file.
Plan Finish(PlanReading& reading, const std::string& root, Diagnostics& diagnostics) {
  Plan& plan = reading.plan;
  plan.placement = FillPlacement(reading);
  plan.queue = reading.queue.value_or(DefaultQueue(reading));
  if (reading.has_bad_transfers) {
    plan.transfer_priority.clear();  // else positions in later messages would shift
  }
  if (reading.has_bad_order) {
    plan.queue = QueueDiscipline::kFifo;  // else all its ops would be missing
  }
  if (!diagnostics.empty()) {
    plan.transfer_order.clear();  // whose copies stand and fall with the placement
  }
  diagnostics.Append(FindPlanErrors(*reading.graph, *reading.hardware, plan, root));
  if (diagnostics.empty()) {
    CheckThatOrderGoesOn(reading, root, diagnostics);
  }
  return std::move(plan);
}

std::string IntegerList(const auto& values) {
  std::string list = "[";
  for (const auto value : values) {
    list += (list.size() == 1 ? "" : ", ") + std::to_string(value);
  }
  return list + "]";
}

std::string PlacementText(const Plan& plan, const HardwareProfile& hardware) {
  std::string list = "[";
  for (const DeviceId device : plan.placement) {
    list += (list.size() == 1 ? "" : ", ") + JsonString(hardware.devices[device.index()].name);
  }
  return list + "]";
}

std::string TransferText(const Plan& plan, const OpGraph& graph, const HardwareProfile& hardware) {
  std::string list = "[";
  for (const TransferPriority& transfer : plan.transfer_priority) {
    const Tensor& tensor = graph.tensor(transfer.tensor);
    list += list.size() == 1 ? "\n  " : ",\n  ";
    list += "{\"op\": " + std::to_string(tensor.producer.value) +
            ", \"output\": " + std::to_string(tensor.output_index) +
            ", \"device\": " + JsonString(hardware.devices[transfer.destination.index()].name) +
            ", \"priority\": " + std::to_string(transfer.priority) + "}";
  }
  return list + "]";
}

PlanOfGraph ReadText(std::string_view text,
                     const std::string& place,
                     const OpGraph& graph,
                     const HardwareProfile& hardware) {
  EnsureUtf8(text, place);
  Diagnostics diagnostics;
  const JsonTree tree = ParseJson(text, place, diagnostics);
  if (tree.nodes.empty()) {
    ThrowIfOfAnotherKind(text, place, kWantedPlan);
    diagnostics.ThrowIfAny();
  }
  const std::string root = place + "#";
  PlanReading reading{.graph = &graph, .hardware = &hardware};
  for (std::size_t i = 0; i < hardware.num_devices(); ++i) {
    reading.devices.emplace(hardware.devices[i].name, DeviceId(i));
  }
  ReadFields<PlanReading>(JsonCursor(tree, 0, JsonPlace(root), diagnostics), kPlanFields, reading);
  if (!diagnostics.empty()) {
    ThrowIfOfAnotherKind(text, place, kWantedPlan);
  }
  Plan plan = Finish(reading, root, diagnostics);
  diagnostics.ThrowIfAny();
  return {.plan = std::move(plan), .graph = std::move(reading.graph_name)};
}

}  // namespace

PlanOfGraph ReadNamedPlanFile(const std::filesystem::path& path,
                              const OpGraph& graph,
                              const HardwareProfile& hardware) {
  return ReadText(ReadTextFile(path), InputName(path), graph, hardware);
}

Plan ReadPlanFile(const std::filesystem::path& path,
                  const OpGraph& graph,
                  const HardwareProfile& hardware) {
  return ReadNamedPlanFile(path, graph, hardware).plan;
}

Plan ReadPlanText(std::string_view text,
                  const std::string& place,
                  const OpGraph& graph,
                  const HardwareProfile& hardware) {
  return ReadText(text, place, graph, hardware).plan;
}

std::string WritePlanText(const Plan& plan, const OpGraph& graph, const HardwareProfile& hardware) {
  ValidatePlan(graph, hardware, plan);
  std::string text = "{\"format\": " + JsonString(kPlanFormat) +
                     ", \"graph\": " + JsonString(graph.name()) +
                     ", \"queue\": " + JsonString(NameOf(plan.queue)) +
                     ",\n \"placement\": " + PlacementText(plan, hardware);
  if (!plan.op_priority.empty()) {
    text += ",\n \"op_priority\": " + IntegerList(plan.op_priority);
  }
  if (!plan.transfer_priority.empty()) {
    text += ",\n \"transfer_priority\": " + TransferText(plan, graph, hardware);
  }
  if (!plan.fusion_priority.empty()) {
    text += ",\n \"fusion_priority\": " + IntegerList(plan.fusion_priority);
  }
  if (!plan.fusion_region.empty()) {
    text += ",\n \"fusion_region\": " + IntegerList(plan.fusion_region);
  }
  if (!plan.order.empty()) {
    text += ",\n \"order\": " + OrderText(plan, hardware);
  }
  if (!plan.transfer_order.empty()) {
    text += ",\n \"transfer_order\": " + TransferOrderText(plan, graph, hardware);
  }
  return text + "}\n";
}

void WritePlanFile(const Plan& plan,
                   const OpGraph& graph,
                   const HardwareProfile& hardware,
                   const std::filesystem::path& path) {
  WriteTextFile(path, WritePlanText(plan, graph, hardware));
}

}  // namespace opyard::sim
