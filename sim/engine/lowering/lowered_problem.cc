#include "sim/engine/lowering/lowered_problem.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/engine/lowering/copy_times.h"
#include "sim/engine/lowering/releases.h"
#include "sim/engine/queues/bit_set.h"
#include "sim/engine/queues/kernel_ends.h"
#include "sim/hardware/channel_map.h"
#include "sim/hardware/device.h"

namespace opyard::sim {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// With more classes than this, moving times are computed when they are needed.
constexpr std::size_t kMostBandwidthClasses = 8;

// Fills a LoweredProblem part by part, in dependency order.
class Lowering {
 public:
  Lowering(std::shared_ptr<const OpGraph> graph,
           std::shared_ptr<const HardwareProfile> hardware,
           std::shared_ptr<const CostTable> costs,
           double fusion_saving)
      : result_(std::make_shared<LoweredProblem>()),
        graph_(*graph),
        hardware_(*hardware),
        costs_(*costs),
        fusion_saving_(fusion_saving) {
    result_->graph = std::move(graph);
    result_->hardware = std::move(hardware);
    result_->costs = std::move(costs);
    result_->num_ops = graph_.num_ops();
    result_->num_devices = hardware_.num_devices();
    result_->num_labels = graph_.colocation_labels().size();
    result_->rules = RulesOf(hardware_);
    result_->features = FeaturesOf(result_->rules);
  }

  std::shared_ptr<const LoweredProblem> Finish(const RouteTable& routes) {
    static std::atomic<std::uint64_t> num_problems = 0;
    LoweredProblem& p = *result_;
    p.serial = ++num_problems;
    p.unfused = p.rules.is_placeto ? LowerGraphForPlaceto(graph_, p.rules.one_per)
                                   : LowerGraph(graph_, p.rules.one_per);
    p.fusion = PrepareFusion(graph_, hardware_.fusion);
    p.fused_cost = std::make_shared<const FusedCost>(p.graph, hardware_, p.costs, fusion_saving_);
    NumberTensors();
    AddOps();
    AddDurations();
    AddTails();
    AddRoutes(routes);
    ClassifyBandwidths();
    AddPairsThrough();
    AddExclusions();
    AddCapacities();
    p.copy_overheads = CopyOverheadsOf(hardware_);
    p.features.AddIf(!p.copy_overheads.empty(), Feature::kCopyOverheads);
    p.pools = LowerPools(graph_, hardware_, costs_, p.op_of);
    p.features.AddIf(!p.pools.empty(), Feature::kMemoryPools);
    BoundTimes();
    EnsureBytesFit();
    AddMovingTimes();
    AnswerQuestions();
    if (p.rules.is_placeto) {
      RankByName();
    }
    return result_;
  }

 private:
  void NumberTensors() {
    LoweredProblem& p = *result_;
    p.tensor_of = LoweredOrderOfTensors(graph_);
    p.lowered_tensor.resize(p.tensor_of.size());
    for (std::size_t t = 0; t < p.tensor_of.size(); ++t) {
      p.lowered_tensor[p.tensor_of[t].index()] = Size32(t);
    }
  }

  void AddOps() {
    LoweredProblem& p = *result_;
    p.op_of.assign(graph_.topological_order().begin(), graph_.topological_order().end());
    p.ops_with_label.assign(p.num_labels, 0);
    for (const OpId id : p.op_of) {
      const Op& op = graph_.op(id);
      if (op.param_bytes.count > 0) {
        p.ops_with_params.push_back(Size32(p.param_bytes.size()));
      }
      p.param_bytes.push_back(op.param_bytes.count);
      if (p.num_labels > 0) {
        p.colocation.push_back(op.colocation.value_or(-1));
      }
      if (op.colocation.has_value()) {
        ++p.ops_with_label[At(*op.colocation)];
      }
    }
  }

  void AddDurations() {
    LoweredProblem& p = *result_;
    std::vector<std::vector<std::int64_t>> columns;
    for (std::size_t d = 0; d < p.num_devices; ++d) {
      std::vector<std::int64_t> column = DurationsOn(DeviceId(d));
      const auto known = std::ranges::find(columns, column);
      p.column_of_device.push_back(static_cast<std::size_t>(known - columns.begin()));
      if (known == columns.end()) {
        columns.push_back(std::move(column));
      }
    }
    p.num_columns = columns.size();
    p.duration_ps.resize(p.num_ops * p.num_columns);
    for (std::size_t k = 0; k < p.num_ops; ++k) {
      for (std::size_t c = 0; c < p.num_columns; ++c) {
        p.duration_ps[k * p.num_columns + c] = columns[c][k];
      }
    }
  }

  [[nodiscard]] std::vector<std::int64_t> DurationsOn(DeviceId device) const {
    std::vector<std::int64_t> column;
    column.reserve(result_->num_ops);
    for (const OpId id : result_->op_of) {
      const bool is_allowed = IsAllowedOn(graph_.op(id), hardware_.devices[device.index()]);
      column.push_back(is_allowed ? costs_.time(id, device).picoseconds : -1);
    }
    return column;
  }

  void AddTails() {
    LoweredProblem& p = *result_;
    const KernelGraph& g = p.unfused;
    p.tail_ps.assign(p.num_ops, 0);
    for (std::size_t k = p.num_ops; k-- > 0;) {
      const std::int32_t first_edge = g.tensors[At(g.kernels[k].first_output)].first_consumer;
      const std::int32_t end_edge = g.tensors[At(g.kernels[k + 1].first_output)].first_consumer;
      for (std::int32_t e = first_edge; e < end_edge; ++e) {
        p.tail_ps[k] = std::max(p.tail_ps[k], TailFrom(At(g.consumers[At(e)])));
      }
      for (std::int32_t i = g.kernels[k].first_control; i < g.kernels[k + 1].first_control; ++i) {
        p.tail_ps[k] = std::max(p.tail_ps[k], TailFrom(At(g.control_consumers[At(i)])));
      }
    }
  }

  // The longest path from the beginning of op `k`. Times do not wrap: what is too long is refused
  // later.
  [[nodiscard]] std::int64_t TailFrom(std::size_t k) const {
    const LoweredProblem& p = *result_;
    std::int64_t least_ps = kUnlimited;
    for (std::size_t d = 0; d < p.num_devices; ++d) {
      const std::int64_t duration_ps = p.Duration(k, d);
      least_ps = duration_ps < 0 ? least_ps : std::min(least_ps, duration_ps);
    }
    least_ps = least_ps == kUnlimited ? 0 : least_ps;
    return std::min(least_ps, kUnlimited - p.tail_ps[k]) + p.tail_ps[k];
  }

  void AddRoutes(const RouteTable& routes) {
    LoweredProblem& p = *result_;
    ChannelMap channels(hardware_);
    for (std::size_t src = 0; src < p.num_devices; ++src) {
      for (std::size_t dst = 0; dst < p.num_devices; ++dst) {
        const Route* route = routes.Find(DeviceId(src), DeviceId(dst));
        LoweredRoute lowered{.first_channel = Size32(p.route_channels.size())};
        if (p.rules.rules == Rules::kRegal) {
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
        p.features.AddIf(!lowered.exists && src != dst, Feature::kMissingRoutes);
        p.routes.push_back(lowered);
      }
    }
    p.channel_names = channels.names();
    p.channel_bandwidth = channels.bandwidths();
  }

  void ClassifyBandwidths() {
    std::vector<double> classes;
    for (LoweredRoute& route : result_->routes) {
      const auto known = std::ranges::find(classes, route.bandwidth_bytes_per_s);
      const auto known_class = static_cast<std::size_t>(known - classes.begin());
      route.first_moving = known_class * result_->tensor_of.size();
      if (known == classes.end()) {
        classes.push_back(route.bandwidth_bytes_per_s);
      }
    }
    bandwidths_ = std::move(classes);
  }

  // Only now is it known that all times fit.
  void AddMovingTimes() {
    LoweredProblem& p = *result_;
    if (bandwidths_.size() > kMostBandwidthClasses) {
      return;
    }
    for (const double bandwidth : bandwidths_) {
      for (std::size_t t = 0; t < p.tensor_of.size(); ++t) {
        // A device has no route to itself; moving times of tensors without readers are unchecked.
        const bool is_used = bandwidth > 0.0 && TransfersOf(t) > 0;
        const std::int64_t bytes = p.unfused.tensors[t].bytes;
        p.moving_ps.push_back(is_used ? LoweredProblem::MovingTime(bytes, bandwidth) : 0);
      }
    }
  }

  void AddExclusions() {
    LoweredProblem& p = *result_;
    std::vector<std::vector<std::size_t>> users(p.channel_names.size());
    for (std::size_t pair = 0; pair < p.routes.size(); ++pair) {
      const std::int32_t num_exclusive =
          p.rules.occupies_channels ? p.routes[pair].num_channels : 0;
      const auto first = p.route_channels.begin() + p.routes[pair].first_channel;
      for (auto it = first; it != first + num_exclusive; ++it) {
        users[At(*it)].push_back(pair);
      }
    }
    p.route_excludes.resize(p.routes.size() * p.pair_words);
    for (const std::vector<std::size_t>& sharing : users) {
      for (const std::size_t pair : sharing) {
        const BitWords<std::dynamic_extent> excludes(p.route_excludes.data() + pair * p.pair_words,
                                                     p.pair_words);
        p.routes[pair].is_apart = p.routes[pair].is_apart && sharing.size() == 1;
        p.features.AddIf(sharing.size() > 1, Feature::kSharedChannels);
        for (const std::size_t other : sharing) {
          InsertBit(excludes, other);
        }
      }
    }
  }

  void AddPairsThrough() {
    LoweredProblem& p = *result_;
    p.pair_words = NumWords(p.routes.size());
    if (!p.rules.flows) {
      return;
    }
    p.pairs_through.resize(p.channel_names.size() * p.pair_words);
    for (std::size_t pair = 0; pair < p.routes.size(); ++pair) {
      const LoweredRoute& route = p.routes[pair];
      const auto first = p.route_channels.begin() + route.first_channel;
      for (auto channel = first; channel != first + route.num_channels; ++channel) {
        InsertBit(BitWords<std::dynamic_extent>(
                      p.pairs_through.data() + At(*channel) * p.pair_words, p.pair_words),
                  pair);
      }
    }
  }

  void RankByName() {
    LoweredProblem& p = *result_;
    const KernelGraph& g = p.unfused;
    const auto name = [&](std::int32_t kernel) -> const std::string& {
      return graph_.op(p.op_of[At(kernel)]).name;
    };
    p.edge_of_rank.resize(g.num_edges());
    std::iota(p.edge_of_rank.begin(), p.edge_of_rank.end(), 0);
    std::ranges::sort(p.edge_of_rank, {}, [&](std::int32_t edge) {
      return std::tie(name(g.edge_producer[At(edge)]), name(g.consumers[At(edge)]));
    });
    p.rank_of_edge.resize(g.num_edges());
    for (std::size_t rank = 0; rank < g.num_edges(); ++rank) {
      p.rank_of_edge[At(p.edge_of_rank[rank])] = Size32(rank);
    }
    p.device_of_rank.resize(p.num_devices);
    std::iota(p.device_of_rank.begin(), p.device_of_rank.end(), 0);
    std::ranges::sort(p.device_of_rank, {}, [&](std::int32_t device) -> const std::string& {
      return hardware_.devices[At(device)].name;
    });
  }

  void AddCapacities() {
    LoweredProblem& p = *result_;
    const bool is_limited = p.rules.on_exceed != OnExceed::kIgnore;
    for (std::size_t d = 0; d < p.num_devices; ++d) {
      p.capacity_bytes.push_back(is_limited ? hardware_.capacity(DeviceId(d)).count : kUnlimited);
    }
  }

  // The most transfers that tensor `t` can need.
  [[nodiscard]] std::int64_t TransfersOf(std::size_t t) const {
    const KernelGraph& g = result_->unfused;
    const std::int32_t first = g.tensors[t].first_consumer;
    const std::int32_t last = g.tensors[t + 1].first_consumer;
    if (result_->rules.one_per == OnePer::kEdge) {
      return std::accumulate(
          g.edge_uses.begin() + first, g.edge_uses.begin() + last, std::int64_t{0});
    }
    return std::min<std::int64_t>(last - first, static_cast<std::int64_t>(result_->num_devices));
  }

  // However ops and transfers follow each other, no instant lies beyond the sum of all of them
  // after the last release: a full memory pool does the work of one kernel at least.
  void BoundTimes() {
    LoweredProblem& p = *result_;
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
    double total_ps = longest_latency_ps * static_cast<double>(p.unfused.control_consumers.size()) +
                      static_cast<double>(p.num_ops) *
                          static_cast<double>(p.rules.dispatch_ps + p.rules.gap_after_op_ps);
    for (std::size_t t = 0; t < p.tensor_of.size(); ++t) {
      const auto copies = static_cast<double>(TransfersOf(t));
      const double bytes = static_cast<double>(p.unfused.tensors[t].bytes);
      total_ps +=
          copies *
          (longest_latency_ps + static_cast<double>(p.rules.gap_after_transfer_ps) +
           LongestOverheadPs(p.copy_overheads, bytes) + most_links * bytes * slowest_byte_s * 1e12);
    }
    for (std::size_t k = 0; k < p.num_ops; ++k) {
      const auto row = p.duration_ps.begin() + static_cast<std::ptrdiff_t>(k * p.num_columns);
      const auto end = row + static_cast<std::ptrdiff_t>(p.num_columns);
      total_ps += static_cast<double>(*std::max_element(row, end));
    }
    if (!p.unfused.release_ps.empty()) {
      total_ps += static_cast<double>(*std::ranges::max_element(p.unfused.release_ps));
    }
    p.latest_ps = total_ps;
    if (!(total_ps < 9.0e18)) {
      throw InputError("graph " + graph_.name() + " on machine " + hardware_.name +
                       ": all ops and transfers in a row, after the last release, end later than "
                       "9e6 s, which 64-bit picoseconds cannot count");
    }
  }

  // Derives what follows from the features of rules and problem, whatever the plan.
  void AnswerQuestions() {
    LoweredProblem& p = *result_;
    p.features.AddIf(!p.unfused.release_ps.empty(), Feature::kReleases);
    p.features.AddIf(p.num_devices <= 2, Feature::kAtMostTwoDevices);
    p.features.AddIf(p.num_devices > KernelEnds::kMostDevices, Feature::kManyDevices);
    p.features.AddIf(p.latest_ps >= static_cast<double>(KernelEnds::kLatestPs), Feature::kLateEnds);
    p.scans_transfers = !p.features.Allows(Question::kHeadsOfPairs);
    p.starts_at_once = p.features.Allows(Question::kStartingAtOnce);
  }

  // A device never holds more than every output and all its copies, parameters and workspaces.
  void EnsureBytesFit() const {
    const KernelGraph& g = result_->unfused;
    double total = 0;
    for (std::size_t t = 0; t < g.num_tensors; ++t) {
      total += static_cast<double>(1 + TransfersOf(t)) * static_cast<double>(g.tensors[t].bytes);
    }
    for (std::size_t k = 0; k < result_->num_ops; ++k) {
      total += static_cast<double>(result_->param_bytes[k]) +
               static_cast<double>(g.kernels[k].workspace_bytes);
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
  double fusion_saving_;
  std::vector<double> bandwidths_;  // by class
};

}  // namespace

std::shared_ptr<const LoweredProblem> LowerProblem(std::shared_ptr<const OpGraph> graph,
                                                   std::shared_ptr<const HardwareProfile> hardware,
                                                   std::shared_ptr<const CostTable> costs,
                                                   const RouteTable& routes,
                                                   double fusion_saving) {
  EnsureRulesAreSimulated(*hardware);
  EnsureReleasesAreSimulated(*graph, *hardware);
  return Lowering(std::move(graph), std::move(hardware), std::move(costs), fusion_saving)
      .Finish(routes);
}

}  // namespace opyard::sim
