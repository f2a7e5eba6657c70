#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/random_cases.h"
#include "tests/support/random_choices.h"
#include "tests/support/reference_copies.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// A random order in which all ops can run.
std::vector<OpId> RandomTopologicalOrder(Rng& rng, const sim::OpGraph& graph) {
  std::vector<std::size_t> num_awaited(graph.num_ops());
  std::vector<OpId> ready;
  const auto count = [&](OpId op) {
    return graph.inputs(op).size() + graph.control_inputs(op).size();
  };
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    num_awaited[i] = count(OpId(i));
    if (num_awaited[i] == 0) {
      ready.push_back(OpId(i));
    }
  }
  std::vector<OpId> order;
  const auto arrive = [&](OpId op, std::size_t times) {
    num_awaited[op.index()] -= times;
    if (num_awaited[op.index()] == 0) {
      ready.push_back(op);
    }
  };
  while (!ready.empty()) {
    std::swap(ready[rng.Below(ready.size())], ready.back());
    const OpId op = ready.back();
    ready.pop_back();
    order.push_back(op);
    for (std::size_t o = 0; o < graph.num_outputs(op); ++o) {
      const TensorId tensor = graph.output(op, o);
      for (const OpId consumer : graph.consumers(tensor)) {
        arrive(consumer,
               static_cast<std::size_t>(std::ranges::count(graph.inputs(consumer), tensor)));
      }
    }
    for (const OpId follower : graph.control_consumers(op)) {
      arrive(follower, 1);
    }
  }
  return order;
}

bool HasOrderedChannels(const sim::HardwareProfile& machine) {
  return machine.rules == sim::Rules::kOpyard &&
         machine.transfers.sharing == sim::Sharing::kSerial &&
         machine.transfers.one_per == sim::OnePer::kDestination;
}

}  // namespace

void AddRandomTransferOrders(Rng& rng, RandomCase& made) {
  if (!HasOrderedChannels(made.hardware)) {
    return;
  }
  const auto costs = CostsOf(*made.graph, made.hardware);
  const sim::SimReport run = SimulateSlowly(*made.graph, made.hardware, *costs, made.plan).report;
  const sim::RouteTable routes(made.hardware);
  std::map<std::string, std::vector<sim::CopyId>> carried;
  for (const sim::TransferSpan& span : run.transfers) {
    const sim::Route& route = *routes.Find(span.src, span.dst);
    for (const std::string& channel : ChannelsOf(made.hardware, route, span.src, span.dst)) {
      if (!Chance(rng, 0.2)) {
        carried[channel].push_back({.tensor = span.tensor, .destination = span.dst});
      }
    }
  }
  for (auto& [channel, copies] : carried) {
    for (std::size_t i = 1; i < copies.size(); ++i) {
      if (Chance(rng, 0.3)) {
        std::swap(copies[i - 1], copies[i]);
      }
    }
    if (Chance(rng, 0.7)) {
      made.plan.transfer_order.push_back({.channel = channel, .copies = copies});
    }
  }
}

void AddRandomStreams(Rng& rng,
                      const sim::OpGraph& graph,
                      const sim::HardwareProfile& machine,
                      sim::Plan& plan) {
  plan.op_priority.clear();
  if (Chance(rng, 0.25)) {
    plan.queue = sim::QueueDiscipline::kProgram;
    return;
  }
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order.assign(machine.num_devices(), {});
  const auto num_streams = OneOf<std::size_t>(rng, std::array<std::size_t, 4>{1, 1, 2, 4});
  for (std::vector<sim::Stream>& streams : plan.order) {
    streams.resize(num_streams);
  }
  for (const OpId op : RandomTopologicalOrder(rng, graph)) {
    plan.order[plan.placement[op.index()].index()][rng.Below(num_streams)].push_back(op);
  }
  if (Chance(rng, 0.15)) {  // some of these can never go on
    sim::Stream& stream = plan.order[rng.Below(plan.order.size())].front();
    if (stream.size() > 1) {
      std::swap(stream[rng.Below(stream.size())], stream[rng.Below(stream.size())]);
    }
  }
}

}  // namespace opyard::testing
