#include "tests/support/random_cases.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/op_graph_parts.h"
#include "sim/plan/validate.h"
#include "tests/support/random_choices.h"
#include "tests/support/reference_simulator.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

double RandomSeconds(Rng& rng, Values values) {
  if (values == Values::kRound) {
    return OneOf<double>(rng, std::array{0.0, 1e-6, 1e-6, 2e-6, 3e-6, 5e-6});
  }
  return Chance(rng, 0.05) ? 0.0 : rng.Uniform() * 1e-5;
}

std::int64_t RandomBytes(Rng& rng, Values values) {
  if (values == Values::kRound) {
    return OneOf<std::int64_t>(rng, std::array<std::int64_t, 5>{0, 1000, 1000, 2000, 6000});
  }
  return Chance(rng, 0.05) ? 0 : rng.Between(1, 20'000);
}

constexpr double kFlopsPerSecond = 1e12;

sim::FusionClass RandomFusionClass(Rng& rng) {
  using enum sim::FusionClass;
  return OneOf(rng,
               std::array{kElementwise,
                          kElementwise,
                          kElementwise,
                          kBroadcast,
                          kReduction,
                          kReduction,
                          kReshape,
                          kHeavy,
                          kOpaque});
}

// Samples the ops of one graph in topological order.
class GraphMaker {
 public:
  GraphMaker(Rng& rng, Values values, const CaseLimits& limits, const sim::HardwareProfile& machine)
      : rng_(rng),
        values_(values),
        machine_(machine),
        fuses_(limits.fuses),
        num_ops_(rng.Between(limits.least_ops, limits.most_ops)),
        window_(Chance(rng, 0.5) ? num_ops_ : rng.Between(1, 8)),
        mean_inputs_(rng.Between(1, 3)),
        index_of_rank_(static_cast<std::size_t>(num_ops_)) {
    std::iota(index_of_rank_.begin(), index_of_rank_.end(), 0);
    if (Chance(rng, 0.7)) {
      rng.Shuffle(std::span<std::int64_t>(index_of_rank_));
    }
  }

  std::shared_ptr<const sim::OpGraph> Make() {
    std::vector<sim::OpSpec> specs(static_cast<std::size_t>(num_ops_));
    for (std::int64_t rank = 0; rank < num_ops_; ++rank) {
      sim::OpSpec op = Chance(rng_, 0.08) ? MakeVariable() : MakeOp(rank);
      const std::int64_t index = index_of_rank_[static_cast<std::size_t>(rank)];
      op.name = "op" + std::to_string(index);
      num_outputs_.push_back(static_cast<std::int64_t>(op.outputs.size()));
      if (op.type == "Variable") {
        variable_ranks_.push_back(rank);
      }
      specs[static_cast<std::size_t>(index)] = std::move(op);
    }
    sim::OpGraphBuilder builder("random");
    if (fuses_ && Chance(rng_, 0.5)) {
      builder.SetMeasured(sim::Measured::kKernel);
    }
    for (sim::OpSpec& op : specs) {
      builder.AddOp(std::move(op));
    }
    return builder.Build();
  }

 private:
  sim::OpSpec MakeVariable() {
    const std::int64_t bytes = RandomBytes(rng_, values_);
    sim::OpSpec op{.type = "Variable", .param_bytes = Bytes{bytes}};
    op.outputs.push_back(sim::OutputSpec{.bytes = Bytes{bytes}, .alias = sim::Alias::kParams});
    op.seconds.push_back({.where = "*", .seconds = 0.0});
    return op;
  }

  sim::OpSpec MakeOp(std::int64_t rank) {
    sim::OpSpec op{.type = "MatMul"};
    AddInputs(rank, op);
    AddControlInputs(rank, op);
    AddOutputs(op);
    if (fuses_) {
      op.fusion_class = RandomFusionClass(rng_);
    }
    if (fuses_ && !op.inputs.empty() && Chance(rng_, 0.3)) {
      MakeAlias(op);
    } else if (fuses_ && Chance(rng_, 0.6)) {
      op.flops = Flops{Chance(rng_, 0.3) ? 0.0 : RandomSeconds(rng_, values_) * kFlopsPerSecond};
    } else {
      AddTimes(op);
    }
    if (Chance(rng_, 0.2)) {
      op.workspace_bytes = Bytes{RandomBytes(rng_, values_)};
    }
    if (Chance(rng_, 0.1)) {
      op.param_bytes = Bytes{RandomBytes(rng_, values_)};
    }
    if (Chance(rng_, 0.1)) {
      op.colocation = "group" + std::to_string(rng_.Below(3));
    } else if (Chance(rng_, 0.15)) {
      op.device_kinds = sim::DeviceKindSet::None();
      op.device_kinds.Insert(OneOf(rng_, machine_.devices).kind);
    }
    return op;
  }

  // The rank of an earlier op: near, or now and then any, or a Variable.
  std::int64_t EarlierRank(std::int64_t rank) {
    if (!variable_ranks_.empty() && Chance(rng_, 0.15)) {
      return OneOf(rng_, variable_ranks_);
    }
    const std::int64_t first = Chance(rng_, 0.1) ? 0 : std::max<std::int64_t>(0, rank - window_);
    return rng_.Between(first, rank - 1);
  }

  void AddInputs(std::int64_t rank, sim::OpSpec& op) {
    const std::int64_t count = rank == 0 ? 0 : rng_.Between(0, 2 * mean_inputs_);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t from = EarlierRank(rank);
      const std::int64_t outputs = num_outputs_[static_cast<std::size_t>(from)];
      if (outputs > 0) {
        op.inputs.push_back({.op = index_of_rank_[static_cast<std::size_t>(from)],
                             .output = rng_.Between(0, outputs - 1)});
      }
    }
    if (!op.inputs.empty() && Chance(rng_, 0.1)) {
      op.inputs.push_back(op.inputs.front());
    }
  }

  void AddControlInputs(std::int64_t rank, sim::OpSpec& op) {
    std::set<std::int64_t> chosen;
    for (int i = 0; rank > 0 && i < 2; ++i) {
      if (Chance(rng_, 0.1)) {
        chosen.insert(index_of_rank_[static_cast<std::size_t>(EarlierRank(rank))]);
      }
    }
    op.control_inputs.assign(chosen.begin(), chosen.end());
  }

  void AddOutputs(sim::OpSpec& op) {
    const auto count = OneOf<int>(rng_, std::array{0, 1, 1, 1, 1, 1, 2, 3});
    for (int i = 0; i < count; ++i) {
      sim::OutputSpec output{.bytes = Bytes{RandomBytes(rng_, values_)},
                             .keep = Chance(rng_, 0.07)};
      if (!op.inputs.empty() && Chance(rng_, 0.25)) {
        output.alias = sim::Alias::kInput;
        output.alias_input = static_cast<std::int32_t>(rng_.Below(op.inputs.size()));
      }
      op.outputs.push_back(output);
    }
  }

  // A view of its inputs, or an update in their place; measured everywhere, on some devices or on
  // none, often as taking no time.
  void MakeAlias(sim::OpSpec& op) {
    op.type = "Reshape";
    if (op.outputs.empty()) {
      op.outputs.push_back({.bytes = Bytes{RandomBytes(rng_, values_)}});
    }
    for (sim::OutputSpec& output : op.outputs) {
      output.alias = sim::Alias::kInput;
      output.alias_input = static_cast<std::int32_t>(rng_.Below(op.inputs.size()));
    }
    op.flops = Flops{Chance(rng_, 0.5) ? 0.0 : RandomSeconds(rng_, values_) * kFlopsPerSecond};
    op.fusion_class = Chance(rng_, 0.8) ? sim::FusionClass::kReshape : *op.fusion_class;
    for (const char* where : {"*", "cpu", "test-gpu-fast", "dev1"}) {
      if (Chance(rng_, 0.15)) {
        const double seconds = Chance(rng_, 0.5) ? 0.0 : RandomSeconds(rng_, values_);
        op.seconds.push_back({.where = where, .seconds = seconds});
      }
    }
  }

  void AddTimes(sim::OpSpec& op) {
    op.seconds.push_back({.where = "*", .seconds = RandomSeconds(rng_, values_)});
    for (const char* where : {"cpu", "test-gpu-fast", "dev1"}) {
      if (Chance(rng_, 0.2)) {
        op.seconds.push_back({.where = where, .seconds = RandomSeconds(rng_, values_)});
      }
    }
  }

  Rng& rng_;
  Values values_;
  const sim::HardwareProfile& machine_;
  bool fuses_;
  std::int64_t num_ops_;
  std::int64_t window_;  // how far back inputs usually reach, in ranks
  std::int64_t mean_inputs_;
  std::vector<std::int64_t> index_of_rank_;
  std::vector<std::int64_t> num_outputs_;  // by rank
  std::vector<std::int64_t> variable_ranks_;
};

DeviceId AnyAllowed(Rng& rng, const sim::Op& op, const sim::HardwareProfile& machine) {
  std::vector<DeviceId> allowed;
  for (std::size_t i = 0; i < machine.num_devices(); ++i) {
    if (sim::IsAllowedOn(op, machine.devices[i])) {
      allowed.emplace_back(i);
    }
  }
  return OneOf(rng, allowed);
}

std::vector<std::int64_t> RandomPriorities(Rng& rng, std::size_t count) {
  if (Chance(rng, 0.1)) {
    return {};
  }
  const std::int64_t most = OneOf<std::int64_t>(rng, std::array<std::int64_t, 3>{1, 3, 1'000'000});
  std::vector<std::int64_t> priorities(count);
  std::ranges::generate(priorities, [&] { return rng.Between(-1, most); });
  return priorities;
}

void AddTransferPriorities(Rng& rng,
                           const sim::HardwareProfile& machine,
                           std::size_t num_tensors,
                           sim::Plan& plan) {
  const double share = OneOf<double>(rng, std::array{0.0, 0.1, 0.5});
  for (std::size_t tensor = 0; tensor < num_tensors; ++tensor) {
    for (std::size_t device = 0; device < machine.num_devices(); ++device) {
      if (Chance(rng, share)) {
        plan.transfer_priority.push_back({.tensor = TensorId(tensor),
                                          .destination = DeviceId(device),
                                          .priority = rng.Between(-2, 3)});
      }
    }
  }
}

}  // namespace

std::shared_ptr<const sim::OpGraph> RandomGraph(Rng& rng,
                                                Values values,
                                                const CaseLimits& limits,
                                                const sim::HardwareProfile& machine) {
  return GraphMaker(rng, values, limits, machine).Make();
}

sim::Plan RandomPlan(Rng& rng, const sim::OpGraph& graph, const sim::HardwareProfile& machine) {
  sim::Plan plan;
  std::vector<std::optional<DeviceId>> device_of_label(graph.colocation_labels().size());
  const double stay = Chance(rng, 0.5) ? 0.0 : 0.8;  // probability to follow the op before
  for (const sim::Op& op : graph.ops()) {
    DeviceId device = AnyAllowed(rng, op, machine);
    if (!plan.placement.empty() && Chance(rng, stay) &&
        sim::IsAllowedOn(op, machine.devices[plan.placement.back().index()])) {
      device = plan.placement.back();
    }
    if (op.colocation) {
      std::optional<DeviceId>& shared = device_of_label[static_cast<std::size_t>(*op.colocation)];
      device = shared.value_or(device);
      shared = device;
    }
    plan.placement.push_back(device);
  }
  if (Chance(rng, 0.6)) {
    plan.queue = sim::QueueDiscipline::kPriority;
    plan.op_priority = RandomPriorities(rng, graph.num_ops());
  } else if (Chance(rng, 0.2)) {
    plan.op_priority = RandomPriorities(rng, graph.num_ops());
  }
  AddTransferPriorities(rng, machine, graph.num_tensors(), plan);
  return plan;
}

void AddRandomFusionLimits(Rng& rng, sim::HardwareProfile& machine) {
  machine.fusion.max_ops = OneOf<std::int32_t>(rng, std::array{64, 64, 2, 3, 5});
  machine.fusion.max_depth_span = OneOf<std::int32_t>(rng, std::array{32, 32, 1, 2});
  for (sim::Device& device : machine.devices) {
    device.launch_overhead_s = OneOf<double>(rng, std::array{0.0, 1e-6, 2e-6});
    device.memory_bandwidth_bytes_per_s = OneOf<double>(rng, std::array{1e9, 2e9});
    device.peak_flops_per_s = {{sim::DType::kF32, kFlopsPerSecond}};
  }
}

std::vector<std::int32_t> RandomFusionPriorities(Rng& rng, std::size_t num_ops) {
  const auto highest = OneOf<std::int32_t>(rng, std::array{1, 2, 19, 19, 1'000'000});
  const double decline = OneOf<double>(rng, std::array{0.0, 0.0, 0.1, 0.5, 1.0});
  std::vector<std::int32_t> priorities(num_ops);
  for (std::int32_t& priority : priorities) {
    priority = Chance(rng, decline) ? 0 : static_cast<std::int32_t>(rng.Between(1, highest));
  }
  return priorities;
}

std::shared_ptr<const sim::OpGraph> WithRandomReleases(Rng& rng,
                                                       Values values,
                                                       const sim::OpGraph& graph) {
  const double share = OneOf<double>(rng, std::array{0.1, 0.5, 1.0});
  const std::int64_t latest_us =
      Chance(rng, 0.5) ? 8 : 1 + 2 * static_cast<std::int64_t>(graph.num_ops());
  sim::OpGraphBuilder builder(graph.name(), graph.origin());
  builder.SetMeasured(graph.measured());
  for (sim::OpSpec& op : sim::SpecsOf(graph)) {
    if (Chance(rng, share)) {
      op.release = values == Values::kRound ? Microseconds(rng.Between(0, latest_us))
                                            : SimTime{rng.Between(0, latest_us * 1'000'000)};
    }
    builder.AddOp(std::move(op));
  }
  return builder.Build();
}

RandomCase MakeRandomCase(std::uint64_t seed, Values values, const CaseLimits& limits) {
  Rng rng(seed);
  RandomCase made;
  made.hardware = RandomMachine(rng, values, limits);
  made.graph = RandomGraph(rng, values, limits, made.hardware);
  made.plan = RandomPlan(rng, *made.graph, made.hardware);
  AddRandomRules(rng, values, limits.rules, made.hardware);
  if (limits.fuses) {
    AddRandomFusionLimits(rng, made.hardware);
    made.plan.fusion_priority = RandomFusionPriorities(rng, made.graph->num_ops());
  }
  if (limits.has_regions) {
    for (std::size_t op = 0; op < made.graph->num_ops(); ++op) {
      made.plan.fusion_region.push_back(static_cast<std::int32_t>(rng.Between(0, 2)));
    }
  }
  if (limits.rules.releases && Chance(rng, 0.5)) {
    made.graph = WithRandomReleases(rng, values, *made.graph);
  }
  if (limits.rules.streams) {
    AddRandomStreams(rng, *made.graph, made.hardware, made.plan);
    if (Chance(rng, 0.5)) {
      made.hardware.execution.streams = sim::StreamRule::kParallel;
    }
    if (Chance(rng, 0.5)) {
      AddRandomTransferOrders(rng, made);
    }
  }
  return made;
}

void TightenMemory(Rng& rng, sim::OnExceed on_exceed, RandomCase& made) {
  const auto costs = CostsOf(*made.graph, made.hardware);
  const sim::SimReport wanted =
      SimulateSlowly(*made.graph, made.hardware, *costs, made.plan).report;
  made.hardware.memory.on_exceed = on_exceed;
  made.hardware.memory.reserve = rng.Below(3) == 0 ? 0.1 : 0.0;
  const auto tightened = [&](Bytes peak) {
    const double share = rng.Below(2) == 0 ? 1.2 : 0.25 + rng.Uniform();
    return Bytes{1 + static_cast<std::int64_t>(share * static_cast<double>(peak.count))};
  };
  for (std::size_t i = 0; i < made.hardware.num_devices(); ++i) {
    made.hardware.devices[i].memory = tightened(wanted.devices[i].peak_memory);
  }
  for (std::size_t i = 0; i < made.hardware.memory_pools.size(); ++i) {
    made.hardware.memory_pools[i].memory = tightened(wanted.memory_pools[i].peak_memory);
  }
}

}  // namespace opyard::testing
