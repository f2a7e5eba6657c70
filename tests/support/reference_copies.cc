#include "tests/support/reference_copies.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace opyard::testing {
namespace {

using sim::HardwareProfile;
using sim::OpGraph;
using sim::Plan;

std::string LinkChannel(const HardwareProfile& hardware, const sim::LinkDirection& hop) {
  const sim::Link& link = hardware.links[static_cast<std::size_t>(hop.link)];
  if (link.duplex == sim::Duplex::kHalf) {
    return link.name;
  }
  return link.name + (hop.is_reversed ? "<" : ">");
}

std::set<std::string> ChannelsOf(const HardwareProfile& hardware,
                                 const sim::Route& route,
                                 DeviceId src,
                                 DeviceId dst) {
  std::set<std::string> channels;
  if (hardware.transfers.sharing == sim::Sharing::kNone) {
    return channels;
  }
  const std::string& src_name = hardware.devices[src.index()].name;
  const std::string& dst_name = hardware.devices[dst.index()].name;
  const sim::ChannelKinds& kinds = hardware.transfers.channels;
  if (kinds.links) {
    for (const sim::LinkDirection& hop : route.hops) {
      channels.insert(LinkChannel(hardware, hop));
    }
  }
  if (kinds.egress) {
    channels.insert("egress:" + src_name);
  }
  if (kinds.ingress) {
    channels.insert("ingress:" + dst_name);
  }
  if (kinds.pair) {
    channels.insert("pair:" + src_name + ">" + dst_name);
  }
  return channels;
}

// The plan's own priority where given; else, in a priority plan, the greatest of the consumers on
// the destination; else 0 for all.
std::int64_t PriorityOf(const Plan& plan, const ReferenceCopy& copy) {
  for (const sim::TransferPriority& given : plan.transfer_priority) {
    if (given.tensor == copy.tensor && given.destination == copy.dst) {
      return given.priority;
    }
  }
  if (plan.queue == sim::QueueDiscipline::kFifo || plan.op_priority.empty()) {
    return 0;
  }
  std::set<std::int64_t> priorities;
  for (const OpId consumer : copy.consumers) {
    priorities.insert(plan.op_priority[consumer.index()]);
  }
  return *priorities.rbegin();
}

// The consumers of `tensor` on devices other than its producer's, by device.
std::map<DeviceId, std::vector<OpId>> RemoteConsumers(const OpGraph& graph,
                                                      const Plan& plan,
                                                      TensorId tensor) {
  const DeviceId src = plan.placement[graph.tensor(tensor).producer.index()];
  std::map<DeviceId, std::vector<OpId>> remote;
  for (const OpId consumer : graph.consumers(tensor)) {
    const DeviceId dst = plan.placement[consumer.index()];
    if (dst != src) {
      remote[dst].push_back(consumer);
    }
  }
  return remote;
}

}  // namespace

std::vector<std::int32_t> TopologicalIndices(const OpGraph& graph) {
  std::vector<std::set<OpId>> producers(graph.num_ops());
  std::vector<std::set<OpId>> followers(graph.num_ops());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    const OpId op(i);
    for (const TensorId input : graph.inputs(op)) {
      producers[i].insert(graph.tensor(input).producer);
    }
    producers[i].insert(graph.control_inputs(op).begin(), graph.control_inputs(op).end());
    for (const OpId producer : producers[i]) {
      followers[producer.index()].insert(op);
    }
  }
  std::set<OpId> free_ops;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (producers[i].empty()) {
      free_ops.insert(OpId(i));
    }
  }
  std::vector<std::int32_t> indices(graph.num_ops());
  for (std::int32_t next = 0; !free_ops.empty(); ++next) {
    const OpId op = *free_ops.begin();
    free_ops.erase(op);
    indices[op.index()] = next;
    for (const OpId follower : followers[op.index()]) {
      producers[follower.index()].erase(op);
      if (producers[follower.index()].empty()) {
        free_ops.insert(follower);
      }
    }
  }
  return indices;
}

std::vector<ReferenceCopy> FindCopies(const OpGraph& graph,
                                      const HardwareProfile& hardware,
                                      const sim::RouteTable& routes,
                                      const Plan& plan) {
  const std::vector<std::int32_t> indices = TopologicalIndices(graph);
  std::vector<ReferenceCopy> copies;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const TensorId tensor(i);
    const sim::Tensor& made = graph.tensor(tensor);
    const DeviceId src = plan.placement[made.producer.index()];
    for (const auto& [dst, consumers] : RemoteConsumers(graph, plan, tensor)) {
      const sim::Route* route = routes.Find(src, dst);
      if (route == nullptr) {
        throw std::invalid_argument("no route between devices that exchange a tensor");
      }
      const double seconds = static_cast<double>(made.bytes.count) / route->bandwidth_bytes_per_s;
      ReferenceCopy copy{.tensor = tensor,
                         .producer = made.producer,
                         .src = src,
                         .dst = dst,
                         .producer_index = indices[made.producer.index()],
                         .output_index = made.output_index,
                         .consumers = consumers,
                         .channels = ChannelsOf(hardware, *route, src, dst),
                         .duration = route->latency + SimTime::FromSeconds(seconds),
                         .bytes = made.bytes};
      copy.priority = PriorityOf(plan, copy);
      copies.push_back(copy);
    }
  }
  return copies;
}

}  // namespace opyard::testing
