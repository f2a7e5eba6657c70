#include "sim/engine/lowered_problem.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/machine_rules.h"
#include "sim/hardware/channel_map.h"
#include "sim/plan/validate.h"

namespace opyard::sim {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

std::int32_t Size32(std::size_t size) {
  OPYARD_CHECK(size < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
               "more than 2^31 elements");
  return static_cast<std::int32_t>(size);
}

// Fills a LoweredProblem part by part, in dependency order.
class Lowering {
 public:
  Lowering(std::shared_ptr<const OpGraph> graph,
           std::shared_ptr<const HardwareProfile> hardware,
           std::shared_ptr<const CostTable> costs)
      : result_(std::make_shared<LoweredProblem>()),
        graph_(*graph),
        hardware_(*hardware),
        costs_(*costs) {
    result_->graph = std::move(graph);
    result_->hardware = std::move(hardware);
    result_->costs = std::move(costs);
    result_->num_ops = graph_.num_ops();
    result_->num_tensors = graph_.num_tensors();
    result_->num_devices = hardware_.num_devices();
    result_->num_labels = graph_.colocation_labels().size();
    CopyRules();
  }

  std::shared_ptr<const LoweredProblem> Finish(const RouteTable& routes) {
    NumberTensors();
    ConnectConsumers();
    AddOps();
    ConnectInputs();
    CountUses();
    ResolveAliases();
    AddDurations();
    AddRoutes(routes);
    AddOccupancy();
    AddCapacities();
    EnsureTimesFit();
    EnsureBytesFit();
    return result_;
  }

 private:
  void CopyRules() {
    LoweredProblem& p = *result_;
    const bool is_serial = hardware_.transfers.sharing == Sharing::kSerial;
    p.sharing = hardware_.transfers.sharing;
    p.one_per = hardware_.transfers.one_per;
    p.waits_for_memory = hardware_.memory.on_exceed == OnExceed::kWait;
    p.trailing_gaps_count = hardware_.execution.trailing_gaps_count;
    p.dispatch_ps = hardware_.execution.dispatch.picoseconds;
    p.gap_after_op_ps = hardware_.execution.gap_after_op.picoseconds;
    p.gap_after_transfer_ps = is_serial ? hardware_.transfers.gap_after.picoseconds : 0;
    if (hardware_.rules == Rules::kRegal) {
      p.sharing = Sharing::kNone;
      p.gap_after_transfer_ps = 0;
    }
  }

  void NumberTensors() {
    LoweredProblem& p = *result_;
    p.op_of.assign(graph_.topological_order().begin(), graph_.topological_order().end());
    p.lowered_tensor.resize(p.num_tensors);
    for (std::size_t k = 0; k < p.num_ops; ++k) {
      for (std::size_t i = 0; i < graph_.num_outputs(p.op_of[k]); ++i) {
        const TensorId id = graph_.output(p.op_of[k], i);
        p.lowered_tensor[id.index()] = Size32(p.tensor_of.size());
        p.tensor_of.push_back(id);
        p.producer.push_back(Size32(k));
      }
    }
  }

  void ConnectConsumers() {
    LoweredProblem& p = *result_;
    for (const TensorId id : p.tensor_of) {
      const Tensor& tensor = graph_.tensor(id);
      p.tensors.push_back({.first_consumer = Size32(p.consumers.size()),
                           .alias = tensor.alias,
                           .keep = tensor.keep,
                           .aliases_params = graph_.aliases_params(id),
                           .bytes = tensor.bytes.count});
      for (const OpId consumer : graph_.consumers(id)) {
        p.consumers.push_back(graph_.topological_index(consumer));
      }
      std::sort(p.consumers.begin() + p.tensors.back().first_consumer, p.consumers.end());
    }
    p.tensors.push_back({.first_consumer = Size32(p.consumers.size())});
  }

  void AddOps() {
    LoweredProblem& p = *result_;
    std::int32_t next_output = 0;
    for (const OpId id : p.op_of) {
      const Op& op = graph_.op(id);
      LoweredOp lowered{.first_output = next_output,
                        .first_control = Size32(p.control_consumers.size()),
                        .colocation = op.colocation.value_or(-1),
                        .start_bytes = op.workspace_bytes.count,
                        .workspace_bytes = op.workspace_bytes.count};
      lowered.num_dependencies = Size32(graph_.control_inputs(id).size());
      next_output += Size32(graph_.num_outputs(id));
      for (std::int32_t t = lowered.first_output; t < next_output; ++t) {
        const LoweredTensor& tensor = p.tensors[static_cast<std::size_t>(t)];
        lowered.start_bytes += tensor.alias == Alias::kNone ? tensor.bytes : 0;
      }
      for (const OpId consumer : graph_.control_consumers(id)) {
        p.control_consumers.push_back(graph_.topological_index(consumer));
      }
      p.ops.push_back(lowered);
      p.param_bytes.push_back(op.param_bytes.count);
    }
    p.ops.push_back(
        {.first_output = next_output, .first_control = Size32(p.control_consumers.size())});
  }

  // Turns the consumers of tensors round into the input edges of ops.
  void ConnectInputs() {
    LoweredProblem& p = *result_;
    std::vector<std::int32_t> count(p.num_ops + 1, 0);
    for (const std::int32_t consumer : p.consumers) {
      ++count[static_cast<std::size_t>(consumer)];
    }
    std::int32_t next = 0;
    for (std::size_t k = 0; k < p.num_ops; ++k) {
      p.ops[k].first_input = next;
      p.ops[k].num_dependencies += count[k];
      next += count[k];
      count[k] = p.ops[k].first_input;
    }
    p.ops[p.num_ops].first_input = next;
    p.input_edges.resize(p.consumers.size());
    for (std::size_t edge = 0; edge < p.consumers.size(); ++edge) {
      std::int32_t& slot = count[static_cast<std::size_t>(p.consumers[edge])];
      p.input_edges[static_cast<std::size_t>(slot++)] = Size32(edge);
    }
  }

  // A tensor that an op reads twice is two transfers when every edge has its own.
  void CountUses() {
    LoweredProblem& p = *result_;
    p.num_uses = p.num_edges();
    if (p.one_per != OnePer::kEdge) {
      return;
    }
    p.num_uses = 0;
    for (std::size_t t = 0; t < p.num_tensors; ++t) {
      for (std::int32_t e = p.tensors[t].first_consumer; e < p.tensors[t + 1].first_consumer; ++e) {
        const auto inputs = graph_.inputs(
            p.op_of[static_cast<std::size_t>(p.consumers[static_cast<std::size_t>(e)])]);
        p.edge_uses.push_back(
            Size32(static_cast<std::size_t>(std::ranges::count(inputs, p.tensor_of[t]))));
        p.num_uses += static_cast<std::size_t>(p.edge_uses.back());
      }
    }
  }

  void ResolveAliases() {
    LoweredProblem& p = *result_;
    for (std::size_t t = 0; t < p.num_tensors; ++t) {
      if (p.tensors[t].alias != Alias::kInput) {
        continue;
      }
      const TensorId aliased = graph_.tensor(p.tensor_of[t]).aliased;
      const auto source = static_cast<std::size_t>(p.lowered_tensor[aliased.index()]);
      const auto first = p.consumers.begin() + p.tensors[source].first_consumer;
      const auto last = p.consumers.begin() + p.tensors[source + 1].first_consumer;
      const auto edge = std::lower_bound(first, last, p.producer[t]);
      OPYARD_CHECK(edge != last && *edge == p.producer[t], "an alias to a tensor that is not read");
      p.tensors[t].alias_edge = static_cast<std::int32_t>(edge - p.consumers.begin());
    }
  }

  void AddDurations() {
    LoweredProblem& p = *result_;
    p.duration_ps.reserve(p.num_ops * p.num_devices);
    for (const OpId id : p.op_of) {
      for (std::size_t d = 0; d < p.num_devices; ++d) {
        const bool is_allowed = IsAllowedOn(graph_.op(id), hardware_.devices[d]);
        p.duration_ps.push_back(is_allowed ? costs_.time(id, DeviceId(d)).picoseconds : -1);
      }
    }
  }

  void AddRoutes(const RouteTable& routes) {
    LoweredProblem& p = *result_;
    ChannelMap channels(hardware_);
    for (std::size_t src = 0; src < p.num_devices; ++src) {
      for (std::size_t dst = 0; dst < p.num_devices; ++dst) {
        const Route* route = routes.Find(DeviceId(src), DeviceId(dst));
        LoweredRoute lowered{.first_channel = Size32(p.route_channels.size())};
        if (hardware_.rules == Rules::kRegal) {
          lowered.bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
          lowered.exists = src != dst;
        } else if (route != nullptr) {
          const auto occupied = channels.Occupied(*route, DeviceId(src), DeviceId(dst));
          p.route_channels.insert(p.route_channels.end(), occupied.begin(), occupied.end());
          lowered.latency_ps = route->latency.picoseconds;
          lowered.bandwidth_bytes_per_s = route->bandwidth_bytes_per_s;
          lowered.num_channels = Size32(occupied.size());
          lowered.exists = true;
        }
        p.has_all_routes = p.has_all_routes && (lowered.exists || src == dst);
        p.routes.push_back(lowered);
      }
    }
    p.channel_names = channels.names();
    p.channel_bandwidth = channels.bandwidths();
  }

  // Channels that the same routes use are one channel to the engine: with a star, a device's link
  // and its send engine.
  void AddOccupancy() {
    LoweredProblem& p = *result_;
    std::vector<std::vector<std::int32_t>> users(p.channel_names.size());
    for (std::size_t pair = 0; pair < p.routes.size(); ++pair) {
      const std::int32_t num_exclusive =
          p.sharing == Sharing::kFair ? 0 : p.routes[pair].num_channels;
      const auto first = p.route_channels.begin() + p.routes[pair].first_channel;
      for (auto it = first; it != first + num_exclusive; ++it) {
        users[static_cast<std::size_t>(*it)].push_back(Size32(pair));
      }
    }
    std::ranges::sort(users);
    users.erase(std::unique(users.begin(), users.end()), users.end());
    p.channel_words = NumWords(users.size());
    p.pair_words = NumWords(p.routes.size());
    p.route_occupies.resize(p.routes.size() * p.channel_words);
    p.route_excludes.resize(p.routes.size() * p.pair_words);
    for (std::size_t channel = 0; channel < users.size(); ++channel) {
      for (const std::int32_t user : users[channel]) {
        const auto pair = static_cast<std::size_t>(user);
        InsertBit({p.route_occupies.data() + pair * p.channel_words, p.channel_words}, channel);
        const BitWords excludes(p.route_excludes.data() + pair * p.pair_words, p.pair_words);
        for (const std::int32_t other : users[channel]) {
          InsertBit(excludes, static_cast<std::size_t>(other));
        }
      }
    }
  }

  void AddCapacities() {
    LoweredProblem& p = *result_;
    const bool is_limited = hardware_.memory.on_exceed != OnExceed::kIgnore;
    for (std::size_t d = 0; d < p.num_devices; ++d) {
      p.capacity_bytes.push_back(is_limited ? hardware_.capacity(DeviceId(d)).count : kUnlimited);
    }
  }

  // The most transfers that tensor `t` can need.
  [[nodiscard]] std::int64_t TransfersOf(std::size_t t) const {
    const LoweredProblem& p = *result_;
    const std::int32_t first = p.tensors[t].first_consumer;
    const std::int32_t last = p.tensors[t + 1].first_consumer;
    if (p.one_per == OnePer::kEdge) {
      return std::accumulate(
          p.edge_uses.begin() + first, p.edge_uses.begin() + last, std::int64_t{0});
    }
    return std::min<std::int64_t>(last - first, static_cast<std::int64_t>(p.num_devices));
  }

  // However ops and transfers follow each other, no instant lies beyond the sum of all of them.
  void EnsureTimesFit() const {
    const LoweredProblem& p = *result_;
    double slowest_byte_s = 0;
    double longest_latency_ps = 0;
    // Under fair sharing some link of a flow's route is full as long as it lasts.
    std::int32_t most_links = 1;
    for (const LoweredRoute& route : p.routes) {
      if (route.exists) {
        slowest_byte_s = std::max(slowest_byte_s, 1.0 / route.bandwidth_bytes_per_s);
        longest_latency_ps = std::max(longest_latency_ps, static_cast<double>(route.latency_ps));
        most_links = std::max(most_links, route.num_channels);
      }
    }
    double total_ps =
        longest_latency_ps * static_cast<double>(p.control_consumers.size()) +
        static_cast<double>(p.num_ops) * static_cast<double>(p.dispatch_ps + p.gap_after_op_ps);
    for (std::size_t t = 0; t < p.num_tensors; ++t) {
      const auto copies = static_cast<double>(TransfersOf(t));
      const double bytes = static_cast<double>(p.tensors[t].bytes);
      total_ps += copies * (longest_latency_ps + static_cast<double>(p.gap_after_transfer_ps) +
                            most_links * bytes * slowest_byte_s * 1e12);
    }
    for (std::size_t k = 0; k < p.num_ops; ++k) {
      const auto row = p.duration_ps.begin() + static_cast<std::ptrdiff_t>(k * p.num_devices);
      const auto end = row + static_cast<std::ptrdiff_t>(p.num_devices);
      total_ps += static_cast<double>(*std::max_element(row, end));
    }
    if (!(total_ps < 9.0e18)) {
      throw InputError("graph " + graph_.name() + " on machine " + hardware_.name +
                       ": all ops and transfers in a row take longer than 9e6 s, which 64-bit "
                       "picoseconds cannot count");
    }
  }

  // A device never holds more than every output and all its copies, parameters and workspaces.
  void EnsureBytesFit() const {
    double total = 0;
    for (std::size_t t = 0; t < result_->num_tensors; ++t) {
      total +=
          static_cast<double>(1 + TransfersOf(t)) * static_cast<double>(result_->tensors[t].bytes);
    }
    for (std::size_t k = 0; k < result_->num_ops; ++k) {
      total += static_cast<double>(result_->param_bytes[k]) +
               static_cast<double>(result_->ops[k].workspace_bytes);
    }
    if (!(total < 9.0e18)) {
      throw InputError("graph " + graph_.name() +
                       ": the bytes of all tensors, copies and "
                       "parameters do not fit 64 bits");
    }
  }

  std::shared_ptr<LoweredProblem> result_;
  const OpGraph& graph_;
  const HardwareProfile& hardware_;
  const CostTable& costs_;
};

}  // namespace

std::shared_ptr<const LoweredProblem> LowerProblem(std::shared_ptr<const OpGraph> graph,
                                                   std::shared_ptr<const HardwareProfile> hardware,
                                                   std::shared_ptr<const CostTable> costs,
                                                   const RouteTable& routes) {
  EnsureRulesAreSimulated(*hardware);
  return Lowering(std::move(graph), std::move(hardware), std::move(costs)).Finish(routes);
}

}  // namespace opyard::sim
