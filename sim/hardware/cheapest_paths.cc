#include "sim/hardware/cheapest_paths.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace opyard::sim {
namespace {

constexpr double kProbeBytes = 1 << 20;
constexpr std::int64_t kMostWeight = std::numeric_limits<std::int64_t>::max();

// Sums stay at the end of the range instead of leaving it.
std::int64_t SaturatingSum(std::int64_t a, std::int64_t b) {
  return a > kMostWeight - b ? kMostWeight : a + b;
}

std::int64_t Weight(const Link& link) {
  const double seconds = kProbeBytes / link.bandwidth_bytes_per_s;
  if (!FitsInSimTime(seconds)) {
    return kMostWeight;
  }
  return SaturatingSum(SimTime::FromSeconds(seconds).picoseconds, link.latency.picoseconds);
}

// What a path costs, before its links break ties.
struct PathKey {
  std::int64_t weight = kMostWeight;
  std::int32_t hops = std::numeric_limits<std::int32_t>::max();
  friend auto operator<=>(const PathKey&, const PathKey&) = default;
};

// Dijkstra from one device. Nodes of equal key are settled together, in the order of their link
// sequences: then the first path over a link is the best over it, and each link is used once.
class PathSearch {
 public:
  PathSearch(const LinkGraph& graph, NodeIndex start)
      : graph_(graph),
        start_(start),
        keys_(graph.num_nodes()),
        steps_(graph.num_nodes()),
        ranks_(graph.num_nodes()),
        is_settled_(graph.num_nodes()) {}

  std::vector<LinkGraph::Step> Run() {
    keys_[static_cast<std::size_t>(start_)] = {.weight = 0, .hops = 0};
    open_.push({{.weight = 0, .hops = 0}, start_});
    while (!open_.empty()) {
      for (const NodeIndex node : PopBatch()) {
        Spread(node);
      }
    }
    return std::move(steps_);
  }

 private:
  // Settles all nodes of the least key, and returns those that forward by their link sequences.
  std::vector<NodeIndex> PopBatch() {
    const PathKey key = open_.top().first;
    std::vector<std::pair<std::vector<std::int32_t>, NodeIndex>> batch;
    while (!open_.empty() && open_.top().first == key) {
      const NodeIndex node = open_.top().second;
      open_.pop();
      const bool is_new = !is_settled_[static_cast<std::size_t>(node)];
      is_settled_[static_cast<std::size_t>(node)] = true;
      if (is_new && (node == start_ || !graph_.is_device(node))) {
        batch.emplace_back(LinksOfPath(steps_[static_cast<std::size_t>(node)]), node);
      }
    }
    std::ranges::sort(batch);
    std::vector<NodeIndex> nodes;
    nodes.reserve(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const bool repeats = i > 0 && batch[i].first == batch[i - 1].first;  // over one bus
      next_rank_ += repeats ? 0 : 1;
      ranks_[static_cast<std::size_t>(batch[i].second)] = next_rank_;
      nodes.push_back(batch[i].second);
    }
    return nodes;
  }

  // Offers the path to `node` and one link more to the nodes behind its links.
  void Spread(NodeIndex node) {
    const PathKey key = keys_[static_cast<std::size_t>(node)];
    for (const std::int32_t link : graph_.links_of(node)) {
      if (is_used_[static_cast<std::size_t>(link)]) {
        continue;
      }
      is_used_[static_cast<std::size_t>(link)] = true;
      const PathKey offer = {.weight = SaturatingSum(key.weight, graph_.weight(link)),
                             .hops = key.hops + 1};
      for (const NodeIndex target : graph_.nodes_of(link)) {
        Offer(target, offer, {.from = node, .link = link});
      }
    }
  }

  void Offer(NodeIndex target, PathKey key, LinkGraph::Step step) {
    const auto index = static_cast<std::size_t>(target);
    if (is_settled_[index] || keys_[index] < key) {
      return;
    }
    if (keys_[index] == key && !IsFirst(step, steps_[index])) {
      return;
    }
    keys_[index] = key;
    steps_[index] = step;
    open_.push({key, target});
  }

  // True if the links of the path that ends with `a` come before those of `b`, an equally good one.
  bool IsFirst(LinkGraph::Step a, LinkGraph::Step b) const {
    const auto a_from = static_cast<std::size_t>(a.from);
    const auto b_from = static_cast<std::size_t>(b.from);
    if (keys_[a_from] == keys_[b_from]) {  // settled together: ranked already
      return std::pair(ranks_[a_from], a.link) < std::pair(ranks_[b_from], b.link);
    }
    return LinksOfPath(a) < LinksOfPath(b);
  }

  // The links from the start to the end of `last`, in order of travel.
  std::vector<std::int32_t> LinksOfPath(LinkGraph::Step last) const {
    std::vector<std::int32_t> links;
    for (; last.from >= 0; last = steps_[static_cast<std::size_t>(last.from)]) {
      links.push_back(last.link);
    }
    std::ranges::reverse(links);
    return links;
  }

  using Entry = std::pair<PathKey, NodeIndex>;

  const LinkGraph& graph_;
  NodeIndex start_;
  std::vector<PathKey> keys_;  // [num_nodes]
  std::vector<LinkGraph::Step> steps_;
  std::vector<std::int64_t> ranks_;  // of forwarding nodes of one key: by their link sequences
  std::int64_t next_rank_ = 0;
  std::vector<bool> is_settled_;
  std::vector<bool> is_used_ = std::vector<bool>(graph_.num_links());
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open_;
};

}  // namespace

LinkGraph::LinkGraph(const HardwareProfile& profile)
    : profile_(&profile), links_of_(profile.devices.size() + profile.switches.size()) {
  weights_.reserve(profile.links.size());
  for (std::size_t i = 0; i < profile.links.size(); ++i) {
    weights_.push_back(Weight(profile.links[i]));
    for (const NodeIndex node : profile.links[i].between) {
      links_of_[static_cast<std::size_t>(node)].push_back(static_cast<std::int32_t>(i));
    }
  }
}

std::vector<LinkGraph::Step> LinkGraph::PathsFrom(DeviceId src) const {
  return PathSearch(*this, src.value).Run();
}

}  // namespace opyard::sim
