#include "agents/classical/min_cut/balanced_cut.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace opyard::agents {
namespace {

using sim::CutSide;
using sim::MinimumCut;

class BalancedCutSearch {
 public:
  BalancedCutSearch(std::span<const double> weights,
                    std::span<const sim::Net> nets,
                    const BalancedCutOptions& options)
      : weights_(weights), nets_(nets), sides_(weights.size()), nets_of_(weights.size()) {
    const double share =
        options.source_share * std::accumulate(weights.begin(), weights.end(), 0.0);
    least_ = share * (1.0 - options.imbalance);
    most_ = share * (1.0 + options.imbalance);
    sides_[static_cast<std::size_t>(options.source)] = CutSide::kSource;
    sides_[static_cast<std::size_t>(options.sink)] = CutSide::kSink;
    for (std::size_t net = 0; net < nets.size(); ++net) {
      for (const std::int32_t node : nets[net].nodes) {
        nets_of_[static_cast<std::size_t>(node)].push_back(net);
      }
    }
  }

  std::vector<bool> Run() {
    std::vector<bool> best;
    double least_miss = std::numeric_limits<double>::max();
    for (bool has_moved = true; has_moved;) {
      const MinimumCut cut = sim::FindMinimumCut(sides_, nets_);
      const double weight = SourceWeight(cut);
      const double miss = std::max({least_ - weight, weight - most_, 0.0});
      if (miss < least_miss) {
        least_miss = miss;
        best = cut.is_source_side;
      }
      if (miss == 0.0) {
        break;
      }
      has_moved = Move(cut, weight);
    }
    return best;
  }

 private:
  [[nodiscard]] double SourceWeight(const MinimumCut& cut) const {
    double weight = 0.0;
    for (std::size_t node = 0; node < weights_.size(); ++node) {
      weight += cut.is_source_side[node] ? weights_[node] : 0.0;
    }
    return weight;
  }

  // Fixes the side that is too light, or the other, and nodes beyond the cut: such as keep the
  // balance, else such as bring the weight nearer to the share. False if there are none.
  bool Move(const MinimumCut& cut, double weight) {
    const bool is_light = weight < least_;
    const CutSide side = is_light ? CutSide::kSource : CutSide::kSink;
    const double missing = is_light ? least_ - weight : weight - most_;
    const double room = is_light ? most_ - weight : weight - least_;
    return Grow(cut, side, missing, room) || Grow(cut, side, missing, missing + room);
  }

  // Fixes `side` of the cut and nodes beyond it that weigh about half of `missing`, and `room` at
  // most. False if there is no such node.
  bool Grow(const MinimumCut& cut, CutSide side, double missing, double room) {
    std::vector<std::size_t> queue;
    std::vector<bool> is_queued(weights_.size());
    const auto queue_node = [&](std::size_t node) {
      if (!is_queued[node]) {
        is_queued[node] = true;
        queue.push_back(node);
      }
    };
    for (std::size_t node = 0; node < weights_.size(); ++node) {
      if (cut.is_source_side[node] == (side == CutSide::kSource)) {
        sides_[node] = side;
        queue_node(node);
      }
    }
    double taken = 0.0;
    bool has_moved = false;
    std::size_t next_unconnected = 0;
    for (std::size_t next = 0; taken < missing / 2 || !has_moved; ++next) {
      while (next == queue.size() && next_unconnected < weights_.size()) {
        queue_node(next_unconnected++);
      }
      if (next == queue.size()) {
        break;
      }
      const std::size_t node = queue[next];
      if (sides_[node] == CutSide::kFree && taken + weights_[node] <= room) {
        sides_[node] = side;
        taken += weights_[node];
        has_moved = true;
      }
      if (sides_[node] == side) {
        QueueNeighbours(node, queue_node);
      }
    }
    return has_moved;
  }

  template <class QueueNode>
  void QueueNeighbours(std::size_t node, const QueueNode& queue_node) const {
    for (const std::size_t net : nets_of_[node]) {
      for (const std::int32_t other : nets_[net].nodes) {
        queue_node(static_cast<std::size_t>(other));
      }
    }
  }

  std::span<const double> weights_;
  std::span<const sim::Net> nets_;
  std::vector<CutSide> sides_;
  std::vector<std::vector<std::size_t>> nets_of_;  // of node i
  double least_ = 0.0;                             // weight of the source side
  double most_ = 0.0;
};

}  // namespace

std::vector<bool> BalancedCut(std::span<const double> weights,
                              std::span<const sim::Net> nets,
                              const BalancedCutOptions& options) {
  return BalancedCutSearch(weights, nets, options).Run();
}

}  // namespace opyard::agents
