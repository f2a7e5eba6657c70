#include "sim/analysis/span_names.h"

namespace opyard::sim {

std::string NameOf(const OpGraph& graph, TensorId tensor) {
  const Tensor& named = graph.tensor(tensor);
  return graph.op(named.producer).name + ":" + std::to_string(named.output_index);
}

std::string SpanNames::Of(SpanId span) const {
  const auto index = static_cast<std::size_t>(span.index);
  if (span.kind == SpanKind::kTransfer) {
    return "copy of " + NameOf(graph_, timeline_.transfers[index].tensor);
  }
  const auto ops = timeline_.ops(index);
  const std::string& first = graph_.op(ops.front()).name;
  return ops.size() == 1 ? first : first + " +" + std::to_string(ops.size() - 1);
}

std::string SpanNames::Of(const CriticalPart& part) const {
  const std::string subject = Of(part.subject);
  const std::string behind = part.behind.has_value() ? Of(*part.behind) : "";
  switch (part.kind) {
    case PartKind::kKernel:
    case PartKind::kTransfer:
      return subject;
    case PartKind::kSignal:
      return "signal from " + behind + " to " + subject;
    case PartKind::kQueueWait:
    case PartKind::kChannelWait:
    case PartKind::kStreamHead:
    case PartKind::kChannelTurn:
      return subject + " waits behind " + behind;
    case PartKind::kMemoryWait:
      return subject + " waits for memory";
    case PartKind::kDispatch:
      return subject + " waits for the host";
    case PartKind::kGap:
      return part.behind == part.subject ? "rest after " + subject
                                         : subject + " waits for the rest after " + behind;
    case PartKind::kRelease:
      return subject + " waits for its release";
    case PartKind::kMemoryBandwidth:
      return subject + " shares its memory's bandwidth";
  }
  return "";
}

std::string SpanNames::Destinations(const HardwareProfile& hardware, std::size_t transfer) const {
  std::string names;
  for (const DeviceId device : timeline_.destinations_of(transfer)) {
    names += (names.empty() ? "" : ", ") + hardware.devices[device.index()].name;
  }
  return names;
}

}  // namespace opyard::sim
