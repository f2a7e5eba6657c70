#include "tests/support/reference_copies.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/support/reference_kernels.h"

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

std::set<std::string> LinkChannels(const HardwareProfile& hardware, const sim::Route& route) {
  std::set<std::string> channels;
  for (const sim::LinkDirection& hop : route.hops) {
    channels.insert(LinkChannel(hardware, hop));
  }
  return channels;
}

// The consumers of one tensor on devices other than its producer's, by device.
using RemoteConsumers = std::map<DeviceId, std::vector<OpId>>;

// Finds the transfers of one problem and plan.
class CopyFinder {
 public:
  CopyFinder(const OpGraph& graph,
             const HardwareProfile& hardware,
             const sim::RouteTable& routes,
             const Plan& plan,
             const ReferenceKernels& kernels)
      : graph_(graph),
        hardware_(hardware),
        routes_(routes),
        plan_(plan),
        kernels_(kernels),
        indices_(TopologicalIndices(graph)) {}

  std::vector<ReferenceCopy> Find() {
    for (std::size_t i = 0; i < graph_.num_tensors(); ++i) {
      const RemoteConsumers remote = RemoteConsumersOf(TensorId(i));
      if (remote.empty()) {
        continue;
      }
      if (hardware_.transfers.one_per == sim::OnePer::kOutput) {
        Add(MakeCopy(TensorId(i), remote));
      } else if (hardware_.transfers.one_per == sim::OnePer::kDestination) {
        for (const auto& entry : remote) {
          Add(MakeCopy(TensorId(i), {entry}));
        }
      } else {
        AddEdges(TensorId(i), remote);
      }
    }
    return copies_;
  }

 private:
  [[nodiscard]] RemoteConsumers RemoteConsumersOf(TensorId tensor) const {
    const DeviceId src = plan_.placement[graph_.tensor(tensor).producer.index()];
    RemoteConsumers remote;
    for (const OpId consumer : graph_.consumers(tensor)) {
      const DeviceId dst = plan_.placement[consumer.index()];
      if (dst != src) {
        remote[dst].push_back(consumer);
      }
    }
    return remote;
  }

  void AddEdges(TensorId tensor, const RemoteConsumers& remote) {
    for (const auto& [dst, consumers] : remote) {
      for (const OpId consumer : consumers) {
        ReferenceCopy copy = MakeCopy(tensor, {{dst, {consumer}}});
        copy.consumer_index = indices_[consumer.index()];
        for (std::size_t i = 0; i < graph_.inputs(consumer).size(); ++i) {
          if (graph_.inputs(consumer)[i] == tensor) {
            copy.edge = ReferenceEdge(consumer, static_cast<std::int32_t>(i));
            Add(copy);
          }
        }
      }
    }
  }

  void Add(ReferenceCopy copy) {
    copy.id = copies_.size();
    copies_.push_back(std::move(copy));
  }

  // To all of `remote` together: the longest duration, the greatest priority, all channels.
  [[nodiscard]] ReferenceCopy MakeCopy(TensorId tensor, const RemoteConsumers& remote) const {
    const sim::Tensor& made = graph_.tensor(tensor);
    ReferenceCopy copy{.tensor = tensor,
                       .producer = made.producer,
                       .src = plan_.placement[made.producer.index()],
                       .dst = remote.begin()->first,
                       .producer_index = indices_[made.producer.index()],
                       .output_index = made.output_index,
                       .bytes = made.bytes};
    std::set<std::int64_t> priorities;
    for (const auto& [dst, consumers] : remote) {
      copy.destinations.insert(dst);
      copy.consumers.insert(copy.consumers.end(), consumers.begin(), consumers.end());
      priorities.insert(PriorityOf(tensor, dst, consumers));
      if (hardware_.rules != sim::Rules::kRegal) {
        AddRoute(dst, copy);
      }
    }
    copy.priority = *priorities.rbegin();
    copy.behind = CopiesAheadOf(copy);
    return copy;
  }

  [[nodiscard]] std::set<std::pair<TensorId, DeviceId>> CopiesAheadOf(
      const ReferenceCopy& copy) const {
    std::set<std::pair<TensorId, DeviceId>> ahead;
    for (const sim::ChannelOrder& order : plan_.transfer_order) {
      const auto own = std::ranges::find(order.copies, sim::CopyId{copy.tensor, copy.dst});
      for (auto other = order.copies.begin(); own != order.copies.end() && other != own; ++other) {
        ahead.emplace(other->tensor, other->destination);
      }
    }
    return ahead;
  }

  void AddRoute(DeviceId dst, ReferenceCopy& copy) const {
    const sim::Route* route = routes_.Find(copy.src, dst);
    if (route == nullptr) {
      throw std::invalid_argument("no route between devices that exchange a tensor");
    }
    const double seconds = static_cast<double>(copy.bytes.count) / route->bandwidth_bytes_per_s;
    copy.latency = std::max(copy.latency, route->latency);
    copy.duration = std::max(copy.duration, route->latency + SimTime::FromSeconds(seconds));
    copy.channels.merge(ChannelsOf(hardware_, *route, copy.src, dst));
  }

  // The plan's own priority where given; else the greatest of the kernels that `consumers` are part
  // of.
  [[nodiscard]] std::int64_t PriorityOf(TensorId tensor,
                                        DeviceId dst,
                                        const std::vector<OpId>& consumers) const {
    for (const sim::TransferPriority& given : plan_.transfer_priority) {
      if (given.tensor == tensor && given.destination == dst) {
        return given.priority;
      }
    }
    std::set<std::int64_t> priorities;
    for (const OpId consumer : consumers) {
      priorities.insert(kernels_[kernels_.Of(consumer)].priority);
    }
    return *priorities.rbegin();
  }

  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const sim::RouteTable& routes_;
  const Plan& plan_;
  const ReferenceKernels& kernels_;
  std::vector<std::int32_t> indices_;
  std::vector<ReferenceCopy> copies_;
};

}  // namespace

std::set<std::string> ChannelsOf(const HardwareProfile& hardware,
                                 const sim::Route& route,
                                 DeviceId src,
                                 DeviceId dst) {
  std::set<std::string> channels;
  if (hardware.transfers.sharing == sim::Sharing::kNone) {
    return channels;
  }
  if (hardware.transfers.sharing == sim::Sharing::kFair) {
    return LinkChannels(hardware, route);
  }
  const std::string& src_name = hardware.devices[src.index()].name;
  const std::string& dst_name = hardware.devices[dst.index()].name;
  const sim::ChannelKinds& kinds = hardware.transfers.channels;
  if (kinds.links) {
    channels = LinkChannels(hardware, route);
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
                                      const Plan& plan,
                                      const ReferenceKernels& kernels) {
  return CopyFinder(graph, hardware, routes, plan, kernels).Find();
}

std::map<std::string, double> FairCapacities(const HardwareProfile& hardware) {
  std::map<std::string, double> capacities;
  for (std::size_t i = 0; i < hardware.links.size(); ++i) {
    for (const bool is_reversed : {false, true}) {
      const sim::LinkDirection direction{static_cast<std::int32_t>(i), is_reversed};
      capacities[LinkChannel(hardware, direction)] = hardware.links[i].bandwidth_bytes_per_s;
    }
  }
  return capacities;
}

}  // namespace opyard::testing
