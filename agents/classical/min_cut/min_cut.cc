#include "agents/classical/min_cut/min_cut.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "agents/base/make_entry.h"
#include "agents/classical/min_cut/balanced_cut.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "agents/planning/partitioning/partition_plans.h"

namespace opyard::agents {
namespace {

// No net is heavier, so that a million of them stay far from the end of the range.
constexpr double kMostPicoseconds = 1e12;

// All that travels between the same groups.
struct Traffic {
  std::vector<std::int32_t> groups;  // ascending; two at least
  double num_tensors = 0.0;
  double bytes = 0.0;
};

std::vector<Traffic> TrafficOf(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  std::map<std::vector<std::int32_t>, Traffic> by_groups;
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const sim::Tensor& tensor = graph.tensor(TensorId(i));
    std::vector<std::int32_t> groups = {problem.grouping().group_of[tensor.producer.index()]};
    for (const OpId consumer : graph.consumers(TensorId(i))) {
      groups.push_back(problem.grouping().group_of[consumer.index()]);
    }
    std::ranges::sort(groups);
    const auto repeated = std::ranges::unique(groups);
    groups.erase(repeated.begin(), repeated.end());
    if (groups.size() > 1 && tensor.bytes.count > 0) {
      Traffic& traffic = by_groups[groups];
      traffic.num_tensors += 1.0;
      traffic.bytes += static_cast<double>(tensor.bytes.count);
    }
  }
  std::vector<Traffic> all;
  for (auto& [groups, traffic] : by_groups) {
    all.push_back({.groups = groups, .num_tensors = traffic.num_tensors, .bytes = traffic.bytes});
  }
  return all;
}

// The weights that a cut shares out among the sides, by the shares of their devices.
struct Balance {
  std::vector<double> weights;  // of the groups
  std::vector<double> shares;   // of the main devices
};

class RecursiveCut {
 public:
  // `rng` samples the seeds of each cut; null: the first and the last group.
  RecursiveCut(const env::Problem& problem,
               const TransferTimes& transfers,
               std::span<const Traffic> traffic,
               const Balance& balance,
               double imbalance,
               Rng* rng)
      : problem_(problem),
        transfers_(transfers),
        traffic_(traffic),
        balance_(balance),
        imbalance_(imbalance),
        rng_(rng),
        devices_(MainDevices(problem)),
        part_(balance.weights.size()),
        node_of_(balance.weights.size()) {}

  std::vector<std::size_t> Run() {
    Split(GroupsInTopologicalOrder(problem_), 0, devices_.size());
    return std::move(part_);
  }

 private:
  // Spreads `groups` over the devices [first, end).
  void Split(const std::vector<std::size_t>& groups, std::size_t first, std::size_t end) {
    for (const std::size_t group : groups) {
      part_[group] = first;
    }
    if (end - first < 2 || groups.size() < 2) {
      return;
    }
    const std::size_t middle = first + (end - first) / 2;
    const std::vector<bool> is_before = Cut(groups, first, middle, end);
    std::vector<std::size_t> before;
    std::vector<std::size_t> after;
    for (std::size_t node = 0; node < groups.size(); ++node) {
      (is_before[node] ? before : after).push_back(groups[node]);
    }
    Split(before, first, middle);
    Split(after, middle, end);
  }

  // Node i is groups[i].
  std::vector<bool> Cut(const std::vector<std::size_t>& groups,
                        std::size_t first,
                        std::size_t middle,
                        std::size_t end) {
    std::vector<double> weights;
    for (const std::size_t group : groups) {
      weights.push_back(balance_.weights[group]);
    }
    const auto share = [this](std::size_t from, std::size_t to) {
      const auto begin = balance_.shares.begin();
      return std::accumulate(
          begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to), 0.0);
    };
    BalancedCutOptions options{.source_share = share(first, middle) / share(first, end),
                               .imbalance = imbalance_,
                               .source = 0,
                               .sink = static_cast<std::int32_t>(groups.size() - 1)};
    if (rng_ != nullptr) {
      const std::uint64_t source = rng_->Below(groups.size());
      const std::uint64_t steps = 1 + rng_->Below(groups.size() - 1);
      options.source = static_cast<std::int32_t>(source);
      options.sink = static_cast<std::int32_t>((source + steps) % groups.size());
    }
    return BalancedCut(weights, NetsBetween(groups, first, middle, end), options);
  }

  std::vector<sim::Net> NetsBetween(const std::vector<std::size_t>& groups,
                                    std::size_t first,
                                    std::size_t middle,
                                    std::size_t end) {
    std::ranges::fill(node_of_, -1);
    for (std::size_t node = 0; node < groups.size(); ++node) {
      node_of_[groups[node]] = static_cast<std::int32_t>(node);
    }
    const TransferTimes::Line time = TimeAcross(first, middle, end);
    std::vector<sim::Net> nets;
    for (const Traffic& traffic : traffic_) {
      sim::Net net;
      for (const std::int32_t group : traffic.groups) {
        const std::int32_t node = node_of_[static_cast<std::size_t>(group)];
        if (node >= 0) {
          net.nodes.push_back(node);
        }
      }
      if (net.nodes.size() > 1) {
        const double seconds =
            traffic.num_tensors * time.latency_s + traffic.bytes * time.seconds_per_byte;
        net.capacity = std::llround(std::min(seconds * 1e12, kMostPicoseconds));
        nets.push_back(std::move(net));
      }
    }
    return nets;
  }

  // Over the routes between [first, middle) and [middle, end), both ways.
  [[nodiscard]] TransferTimes::Line TimeAcross(std::size_t first,
                                               std::size_t middle,
                                               std::size_t end) const {
    const std::span all(devices_);
    const auto before = all.subspan(first, middle - first);
    const auto after = all.subspan(middle, end - middle);
    const TransferTimes::Line there = transfers_.Mean(before, after);
    const TransferTimes::Line back = transfers_.Mean(after, before);
    return {.latency_s = (there.latency_s + back.latency_s) / 2,
            .seconds_per_byte = (there.seconds_per_byte + back.seconds_per_byte) / 2};
  }

  const env::Problem& problem_;
  const TransferTimes& transfers_;
  std::span<const Traffic> traffic_;
  const Balance& balance_;
  double imbalance_;
  Rng* rng_;
  std::vector<DeviceId> devices_;
  std::vector<std::size_t> part_;      // of group i: index into devices_
  std::vector<std::int32_t> node_of_;  // of group i in the part that is cut, or -1
};

struct MinCutSettings {
  std::int64_t tries = 16;
  double imbalance = 0.1;
};

OptionTable<MinCutSettings> MinCutOptions() {
  return OptionTable<MinCutSettings>(
      {{.name = "tries",
        .field = Whole(&MinCutSettings::tries, 1, 10'000),
        .meaning =
            "partitions that are made, the first from the ends of the topological order, the "
            "others from random seeds; the best plan counts"},
       {.name = "imbalance",
        .field = Real(&MinCutSettings::imbalance, 0.0, 10.0),
        .meaning = "the fraction of it by which each half of the devices may miss its share of the "
                   "work"}});
}

class MinCut final : public Agent {
 public:
  explicit MinCut(const MinCutSettings& settings) : settings_(settings) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& /*context*/) override {
    if (!problem.tasks().placement) {
      std::vector<sim::Plan> plans;
      AddPlansOfPlacement(problem, {}, plans);
      evaluator.Evaluate(plans);
      return;
    }
    const GroupGraph graph = BuildGroupGraph(problem);
    const Balance compute = {.weights = MainWeights(problem, graph.seconds),
                             .shares = SpeedsOf(problem, MainDevices(problem))};
    evaluator.Evaluate(Plans(problem, graph, compute, rng));
    const bool is_feasible =
        evaluator.best().has_value() && evaluator.best()->evaluation.is_feasible();
    if (!is_feasible && !evaluator.is_done()) {
      evaluator.Evaluate(Plans(problem, graph, MemoryBalance(problem, graph), rng));
    }
  }

 private:
  // The weights of the groups; 0 for those that may not be on the main devices.
  static std::vector<double> MainWeights(const env::Problem& problem, std::vector<double> weights) {
    const DeviceId main = problem.first_accelerator();
    for (std::size_t group = 0; group < weights.size(); ++group) {
      weights[group] *= IsAllowed(problem, group, main) ? 1.0 : 0.0;
    }
    return weights;
  }

  static Balance MemoryBalance(const env::Problem& problem, const GroupGraph& graph) {
    Balance balance;
    for (const Bytes bytes : graph.memory) {
      balance.weights.push_back(static_cast<double>(bytes.count));
    }
    balance.weights = MainWeights(problem, std::move(balance.weights));
    for (const DeviceId device : MainDevices(problem)) {
      const std::int64_t capacity = problem.hardware().capacity(device).count;
      balance.shares.push_back(static_cast<double>(std::max<std::int64_t>(capacity, 1)));
    }
    return balance;
  }

  [[nodiscard]] std::vector<sim::Plan> Plans(const env::Problem& problem,
                                             const GroupGraph& graph,
                                             const Balance& balance,
                                             Rng& rng) const {
    const TransferTimes transfers(problem);
    const std::vector<Traffic> traffic = TrafficOf(problem);
    std::vector<sim::Plan> plans;
    for (std::int64_t i = 0; i < settings_.tries; ++i) {
      RecursiveCut cut(
          problem, transfers, traffic, balance, settings_.imbalance, i == 0 ? nullptr : &rng);
      AddPlansOfPlacement(
          problem, PlacementOfParts(problem, graph, cut.Run(), MainDevices(problem)), plans);
    }
    return plans;
  }

  MinCutSettings settings_;
};

}  // namespace

AgentEntry MinCutEntry() {
  return MakeEntry<MinCut>(
      {.name = "min_cut",
       .kind = AgentKind::kClassical,
       .tasks = {"placement", "scheduling"},
       .paper = "Yang and Wong, ICCAD 1994",
       .summary =
           "Recursive minimum s-t cuts over transfer times, with compute in balance; ours: the "
           "papers' MinCut is a k-way partition.",
       .deviations =
           {"Nodes are taken into a side several at a time, those nearest to the cut, so "
            "that few flows are needed.",
            "What is cut is transfer time; the parts are halves of the devices, then halves "
            "of these and so on.",
            "If no plan completes, the same tries are cut again with memory in balance by "
            "capacity instead of compute.",
            "The MinCut of ColocRL's tables (Mirhoseini et al., ICML 2017) is Scotch's "
            "k-way partition, which metis stands for."}},
      MinCutOptions());
}

}  // namespace opyard::agents
