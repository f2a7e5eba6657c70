#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/random_cases.h"
#include "tests/support/random_choices.h"

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

}  // namespace

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
