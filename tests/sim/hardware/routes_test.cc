#include "sim/hardware/routes.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::sim {
namespace {

constexpr double kMebibyte = 1 << 20;

SimTime Us(double microseconds) {
  return SimTime::FromSeconds(microseconds * 1e-6);
}

// Devices d0, d1, …, then switches s0, s1, …; links are added by node index.
class MachineSketch {
 public:
  MachineSketch(int num_devices, int num_switches) {
    for (int i = 0; i < num_devices; ++i) {
      profile.devices.push_back({.name = "d" + std::to_string(i)});
    }
    for (int i = 0; i < num_switches; ++i) {
      profile.switches.push_back("s" + std::to_string(i));
    }
  }

  void AddLink(std::vector<NodeIndex> between,
               double bandwidth,
               SimTime latency,
               Duplex duplex = Duplex::kFull) {
    profile.links.push_back({.name = "l" + std::to_string(profile.links.size()),
                             .between = std::move(between),
                             .bandwidth_bytes_per_s = bandwidth,
                             .latency = latency,
                             .duplex = duplex});
  }

  HardwareProfile profile;
};

std::vector<std::int32_t> LinksBetween(const HardwareProfile& profile, int src, int dst) {
  const RouteTable routes(profile);
  const Route* route = routes.Find(DeviceId(src), DeviceId(dst));
  std::vector<std::int32_t> links;
  if (route != nullptr) {
    for (const LinkDirection hop : route->hops) {
      links.push_back(hop.link);
    }
  }
  return links;
}

using Links = std::vector<std::int32_t>;

TEST(RouteTableTest, ADeviceHasNoRouteToItself) {
  MachineSketch sketch(2, 0);
  sketch.AddLink({0, 1}, 1e9, Us(1));
  const RouteTable routes(sketch.profile);
  EXPECT_EQ(routes.Find(DeviceId(0), DeviceId(0)), nullptr);
}

TEST(RouteTableTest, LatencyAddsUpAndTheLeastBandwidthCounts) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 2}, 2e9, Us(3));
  sketch.AddLink({2, 1}, 5e9, Us(7));
  const RouteTable routes(sketch.profile);
  const Route* route = routes.Find(DeviceId(0), DeviceId(1));
  ASSERT_NE(route, nullptr);
  EXPECT_EQ(route->latency, Us(10));  // 3 + 7
  EXPECT_EQ(route->bandwidth_bytes_per_s, 2e9);
}

TEST(RouteTableTest, TheWayBackRunsThroughTheSameLinksReversed) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 2}, 1e9, Us(1));
  sketch.AddLink({1, 2}, 1e9, Us(1));
  const RouteTable routes(sketch.profile);
  const std::vector<LinkDirection> there = {{.link = 0}, {.link = 1, .is_reversed = true}};
  const std::vector<LinkDirection> back = {{.link = 1}, {.link = 0, .is_reversed = true}};
  EXPECT_EQ(routes.Find(DeviceId(0), DeviceId(1))->hops, there);
  EXPECT_EQ(routes.Find(DeviceId(1), DeviceId(0))->hops, back);
}

TEST(RouteTableTest, DevicesDoNotForward) {
  MachineSketch sketch(3, 0);  // d0 – d1 – d2
  sketch.AddLink({0, 1}, 1e9, Us(1));
  sketch.AddLink({1, 2}, 1e9, Us(1));
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 2), Links{});
}

TEST(RouteTableTest, ASlowDirectLinkLosesToAFastWayThroughASwitch) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 1}, kMebibyte * 1e3, Us(0));  // 1 ms for 1 MiB
  sketch.AddLink({0, 2}, kMebibyte * 1e4, Us(5));  // 0.1 ms + 5 us
  sketch.AddLink({2, 1}, kMebibyte * 1e4, Us(5));  // in all 0.21 ms
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{1, 2}));
}

TEST(RouteTableTest, EqualCostGoesToFewerHops) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 2}, kMebibyte * 2e4, Us(0));  // 0.05 ms
  sketch.AddLink({2, 1}, kMebibyte * 2e4, Us(0));  // 0.05 ms
  sketch.AddLink({0, 1}, kMebibyte * 1e4, Us(0));  // 0.1 ms in one hop
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{2}));
}

TEST(RouteTableTest, EqualCostAndHopsGoToTheFirstLinksOfTheFile) {
  MachineSketch sketch(2, 2);
  sketch.AddLink({3, 1}, 1e9, Us(1));  // the second switch's way out stands first,
  sketch.AddLink({0, 2}, 1e9, Us(1));  // but the first hop decides: 1 before 3
  sketch.AddLink({2, 1}, 1e9, Us(1));
  sketch.AddLink({0, 3}, 1e9, Us(1));
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{1, 2}));
}

TEST(RouteTableTest, OfParallelLinksTheFirstIsTaken) {
  MachineSketch sketch(2, 0);
  sketch.AddLink({0, 1}, 1e9, Us(1));
  sketch.AddLink({1, 0}, 1e9, Us(1));
  EXPECT_EQ(LinksBetween(sketch.profile, 1, 0), (Links{0}));
}

TEST(RouteTableTest, ABusJoinsAllItsNodesAndHasOneDirection) {
  MachineSketch sketch(3, 0);
  sketch.AddLink({0, 1, 2}, 1e9, Us(2), Duplex::kHalf);
  const RouteTable routes(sketch.profile);
  for (const auto& [src, dst] : {std::pair(0, 2), std::pair(2, 1), std::pair(1, 0)}) {
    const Route* route = routes.Find(DeviceId(src), DeviceId(dst));
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->hops, (std::vector<LinkDirection>{{.link = 0}}));
  }
}

TEST(RouteTableTest, AnExplicitRouteHoldsInItsDirectionOnly) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 1}, 1e9, Us(1));
  sketch.AddLink({0, 2}, 1e9, Us(1));
  sketch.AddLink({2, 1}, 1e9, Us(1));
  sketch.profile.routes = {
      {.from = DeviceId(0), .to = DeviceId(1), .links = {1, 2}, .latency = {}}};
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{1, 2}));
  EXPECT_EQ(LinksBetween(sketch.profile, 1, 0), (Links{0}));
}

TEST(RouteTableTest, AnExplicitLatencyReplacesTheSum) {
  MachineSketch sketch(2, 0);
  sketch.AddLink({0, 1}, 1e9, Us(5));
  sketch.profile.routes = {
      {.from = DeviceId(1), .to = DeviceId(0), .links = {0}, .latency = Us(2)}};
  const RouteTable routes(sketch.profile);
  EXPECT_EQ(routes.Find(DeviceId(1), DeviceId(0))->latency, Us(2));
  EXPECT_EQ(routes.Find(DeviceId(0), DeviceId(1))->latency, Us(5));
}

TEST(RouteTableTest, AnExplicitRouteThatEndsElsewhereIsRefused) {
  MachineSketch sketch(3, 0);
  sketch.AddLink({0, 1}, 1e9, Us(1));
  sketch.profile.routes = {{.from = DeviceId(0), .to = DeviceId(2), .links = {0}, .latency = {}}};
  EXPECT_THROW(RouteTable{sketch.profile}, InputError);
}

TEST(RouteTableTest, AnExplicitRouteThroughADeviceIsRefused) {
  MachineSketch sketch(3, 0);
  sketch.AddLink({0, 1}, 1e9, Us(1));
  sketch.AddLink({1, 2}, 1e9, Us(1));
  sketch.profile.routes = {
      {.from = DeviceId(0), .to = DeviceId(2), .links = {0, 1}, .latency = {}}};
  EXPECT_THROW(RouteTable{sketch.profile}, InputError);
}

TEST(RouteTableTest, AnExplicitRouteMayCrossABusBetweenSwitches) {
  MachineSketch sketch(2, 3);  // nodes 2, 3, 4 are switches
  sketch.AddLink({0, 2}, 1e9, Us(1));
  sketch.AddLink({2, 3, 4}, 1e9, Us(1), Duplex::kHalf);
  sketch.AddLink({1, 4}, 1e9, Us(1));
  const std::optional<std::vector<LinkDirection>> hops = FollowLinks(
      sketch.profile, {.from = DeviceId(0), .to = DeviceId(1), .links = {0, 1, 2}, .latency = {}});
  ASSERT_TRUE(hops.has_value());
  EXPECT_EQ(
      *hops,
      (std::vector<LinkDirection>{{.link = 0}, {.link = 1}, {.link = 2, .is_reversed = true}}));
}

TEST(RouteTableTest, LatenciesThatDoNotFitTogetherAreRefused) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 2}, 1e9, SimTime::FromSeconds(4e6));
  sketch.AddLink({2, 1}, 1e9, SimTime::FromSeconds(4e6));
  EXPECT_THROW(RouteTable{sketch.profile}, InputError);
}

TEST(RouteTableTest, ARouteOfMoreThan64LinksIsRefused) {
  const auto chain = [](int num_switches) {  // d0 – s0 – s1 – … – d1
    MachineSketch sketch(2, num_switches);
    sketch.AddLink({0, 2}, 1e9, Us(1));
    for (int i = 1; i < num_switches; ++i) {
      sketch.AddLink({i + 1, i + 2}, 1e9, Us(1));
    }
    sketch.AddLink({num_switches + 1, 1}, 1e9, Us(1));
    return sketch.profile;
  };
  EXPECT_EQ(LinksBetween(chain(63), 0, 1).size(), 64U);
  EXPECT_THROW(RouteTable{chain(64)}, InputError);
}

TEST(RouteTableTest, BehindOneBusTheFirstLinkOfTheFileIsTaken) {
  MachineSketch sketch(2, 2);  // one bus reaches both switches, whose ways out cost the same
  sketch.AddLink({0, 2, 3}, 1e9, Us(1), Duplex::kHalf);
  sketch.AddLink({3, 1}, 1e9, Us(1));  // the second switch's way out stands first
  sketch.AddLink({2, 1}, 1e9, Us(1));
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{0, 1}));
}

TEST(RouteTableTest, AnAbsurdlySlowLinkIsStillTheOnlyWay) {
  MachineSketch sketch(2, 1);
  sketch.AddLink({0, 2}, 1e-9, Us(1));  // 1 MiB takes longer than SimTime holds
  sketch.AddLink({2, 1}, 1e-9, Us(1));
  EXPECT_EQ(LinksBetween(sketch.profile, 0, 1), (Links{0, 1}));
}

// A plain twin: all simple paths through switches, the best by (cost, hops, links).
class AllPaths {
 public:
  explicit AllPaths(const HardwareProfile& profile) : profile_(profile) {}

  Links Best(NodeIndex src, NodeIndex dst) {
    best_.reset();
    dst_ = dst;
    Walk(src, 0, {}, {src});
    return best_ ? std::get<2>(*best_) : Links{};
  }

 private:
  using Path = std::tuple<std::int64_t, std::size_t, Links>;

  void Walk(NodeIndex at, std::int64_t cost, const Links& links, std::vector<NodeIndex> seen) {
    for (std::size_t i = 0; i < profile_.links.size(); ++i) {
      const Link& link = profile_.links[i];
      if (std::ranges::find(link.between, at) == link.between.end()) {
        continue;
      }
      const std::int64_t step =
          SimTime::FromSeconds(kMebibyte / link.bandwidth_bytes_per_s).picoseconds +
          link.latency.picoseconds;
      Links longer = links;
      longer.push_back(static_cast<std::int32_t>(i));
      for (const NodeIndex next : link.between) {
        Reach(next, cost + step, longer, seen);
      }
    }
  }

  void Reach(NodeIndex next, std::int64_t cost, const Links& links, std::vector<NodeIndex> seen) {
    if (std::ranges::find(seen, next) != seen.end()) {
      return;
    }
    const Path path(cost, links.size(), links);
    if (next == dst_ && (!best_ || path < *best_)) {
      best_ = path;
    }
    if (static_cast<std::size_t>(next) >= profile_.devices.size()) {
      seen.push_back(next);
      Walk(next, cost, links, std::move(seen));
    }
  }

  const HardwareProfile& profile_;
  NodeIndex dst_ = 0;
  std::optional<Path> best_;
};

TEST(RouteTableTest, AgreesWithAllPathsOnRandomMachines) {
  std::uint64_t state = 1;  // a small generator of its own, so that the cases never change
  const auto sample = [&](std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int>((state >> 33) % n);
  };
  for (int round = 0; round < 200; ++round) {
    MachineSketch sketch(3, 3);
    for (int i = 0; i < 8; ++i) {
      const NodeIndex a = sample(6);
      const NodeIndex b = (a + 1 + sample(5)) % 6;
      const NodeIndex c = (b + 1 + sample(5)) % 6;
      const double bandwidth = kMebibyte * (sample(2) == 0 ? 1e3 : 2e3);  // 1 or 0.5 ms: many ties
      if (sample(3) == 0 && c != a) {
        sketch.AddLink({a, b, c}, bandwidth, Us(500 * sample(2)), Duplex::kHalf);
      } else {
        sketch.AddLink({a, b}, bandwidth, Us(500 * sample(2)));
      }
    }
    AllPaths twin(sketch.profile);
    for (const auto& [src, dst] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0)}) {
      EXPECT_EQ(LinksBetween(sketch.profile, src, dst), twin.Best(src, dst)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace opyard::sim
