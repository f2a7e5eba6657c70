#include "sim/graph/topology_digest.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/base/rng.h"
#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using testing::MakeGraph;
using testing::TimedOp;

// Ops that read the first outputs of those that `reads` names for each.
std::uint64_t DigestOf(const std::vector<std::vector<std::int64_t>>& reads,
                       std::int64_t us = 1,
                       const std::string& prefix = "op") {
  std::vector<OpSpec> ops;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    std::vector<InputRef> inputs;
    for (const std::int64_t source : reads[i]) {
      inputs.push_back({.op = source, .output = 0});
    }
    ops.push_back(TimedOp(prefix + std::to_string(i), us, inputs, {us}));
  }
  return TopologyDigest(*MakeGraph(std::move(ops)));
}

TEST(TopologyDigestTest, TellsStructuresApart) {
  const auto chain = DigestOf({{}, {0}, {1}});
  const auto fork = DigestOf({{}, {0}, {0}});
  const auto join = DigestOf({{}, {}, {0, 1}});
  const auto triangle = DigestOf({{}, {0}, {0, 1}});
  const std::vector<std::uint64_t> all = {chain, fork, join, triangle, DigestOf({{}, {}, {}})};
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::ranges::count(all, all[i]), 1) << i;
  }
}

TEST(TopologyDigestTest, NamesTimesAndSizesDoNotMatter) {
  EXPECT_EQ(DigestOf({{}, {0}, {0, 1}}, 2, "a"), DigestOf({{}, {0}, {0, 1}}, 5, "b"));
}

TEST(TopologyDigestTest, ATensorReadTwiceIsOneEdgeAndAControlEdgeIsOneToo) {
  OpSpec waits = TimedOp("b", 1);
  waits.control_inputs = {0};
  const auto by_control = TopologyDigest(*MakeGraph({TimedOp("a", 1), waits}));
  EXPECT_EQ(DigestOf({{}, {0, 0}}), by_control);
}

RC_GTEST_PROP(TopologyDigestTest, TheOrderOfTheOpsDoesNotMatter, ()) {
  Rng rng(static_cast<std::uint64_t>(*rc::gen::inRange(0, 1'000'000)));
  const auto num_ops = static_cast<std::size_t>(rng.Between(2, 30));
  std::vector<std::size_t> place(num_ops);  // of op i among the shuffled ones
  std::iota(place.begin(), place.end(), std::size_t{0});
  rng.Shuffle(std::span(place));
  std::vector<std::vector<std::int64_t>> reads(num_ops);
  std::vector<std::vector<std::int64_t>> shuffled(num_ops);
  for (std::size_t to = 1; to < num_ops; ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      if (rng.Below(5) == 0) {
        reads[to].push_back(static_cast<std::int64_t>(from));
        shuffled[place[to]].push_back(static_cast<std::int64_t>(place[from]));
      }
    }
  }
  RC_ASSERT(DigestOf(reads) == DigestOf(shuffled));
}

}  // namespace
}  // namespace opyard::sim
