#include "sim/graph/topology_digest.h"

#include <algorithm>
#include <ranges>
#include <vector>

namespace opyard::sim {
namespace {

using Labels = std::vector<std::uint64_t>;                 // [ops]
using Neighbours = std::vector<std::vector<std::size_t>>;  // [ops], each once

// SplitMix64's mixing function (Steele, Lea, Flood 2014).
std::uint64_t Mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// The digest of a label and an unordered collection of others.
std::uint64_t DigestOf(std::uint64_t label, Labels others) {
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
  std::ranges::sort(others);
  std::uint64_t digest = Mix(label + kStep * (others.size() + 1));
  for (const std::uint64_t other : others) {
    digest = Mix(digest * kStep + other);
  }
  return digest;
}

std::uint64_t DigestAround(const Labels& labels,
                           const std::vector<std::size_t>& neighbours,
                           std::uint64_t label) {
  Labels others;
  for (const std::size_t neighbour : neighbours) {
    others.push_back(labels[neighbour]);
  }
  return DigestOf(label, std::move(others));
}

Neighbours Predecessors(const OpGraph& graph) {
  Neighbours predecessors(graph.num_ops());
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    std::vector<std::size_t>& list = predecessors[i];
    for (const TensorId input : graph.inputs(OpId(i))) {
      list.push_back(graph.tensor(input).producer.index());
    }
    for (const OpId before : graph.control_inputs(OpId(i))) {
      list.push_back(before.index());
    }
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
  }
  return predecessors;
}

Neighbours Inverted(const Neighbours& lists) {
  Neighbours inverted(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const std::size_t neighbour : lists[i]) {
      inverted[neighbour].push_back(i);
    }
  }
  return inverted;
}

}  // namespace

std::uint64_t TopologyDigest(const OpGraph& graph) {
  constexpr int kRounds = 4;
  const Neighbours predecessors = Predecessors(graph);
  const Neighbours successors = Inverted(predecessors);
  // One sweep each way labels an op by everything before and after it; the rounds join the two.
  Labels above(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    above[op.index()] = DigestAround(above, predecessors[op.index()], 1);
  }
  Labels labels(graph.num_ops());
  for (const OpId op : std::views::reverse(graph.topological_order())) {
    labels[op.index()] = DigestAround(labels, successors[op.index()], above[op.index()]);
  }
  for (int round = 0; round < kRounds; ++round) {
    Labels next;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::uint64_t before = DigestAround(labels, predecessors[i], labels[i]);
      next.push_back(DigestAround(labels, successors[i], before));
    }
    labels = std::move(next);
  }
  return DigestOf(0, std::move(labels));
}

}  // namespace opyard::sim
