#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_cases.h"
#include "tests/support/random_choices.h"

namespace opyard::testing {
namespace {

double RandomBandwidth(Rng& rng, Values values) {
  if (values == Values::kRound) {
    return OneOf<double>(rng, std::array{1e9, 1e9, 2e9, 5e8});
  }
  return 5e8 + rng.Uniform() * 4e9;
}

SimTime RandomLatency(Rng& rng, Values values) {
  if (values == Values::kRound) {
    return SimTime{
        OneOf<std::int64_t>(rng, std::array<std::int64_t, 4>{0, 0, 1'000'000, 2'000'000})};
  }
  return SimTime{rng.Between(0, 3'000'000)};
}

sim::Device RandomDevice(Rng& rng, std::size_t index) {
  const bool is_cpu = Chance(rng, 0.2);
  return sim::Device{
      .name = "dev" + std::to_string(index),
      .type = is_cpu ? "test-cpu" : (Chance(rng, 0.3) ? "test-gpu-fast" : "test-gpu"),
      .kind = is_cpu ? sim::DeviceKind::kCpu : sim::DeviceKind::kGpu,
      .memory = Bytes{1'000'000'000},
      .memory_bandwidth_bytes_per_s = 1e12,
      .peak_flops_per_s = {{sim::DType::kF32, 1e13}},
  };
}

// Adds links to a machine that has its devices, all with values sampled alike.
class LinkMaker {
 public:
  LinkMaker(Rng& rng, Values values, sim::HardwareProfile& machine)
      : rng_(rng), values_(values), machine_(machine) {}

  void Add(std::vector<sim::NodeIndex> between, sim::Duplex duplex) {
    if (between.size() == 2 && Chance(rng_, 0.5)) {
      std::swap(between[0], between[1]);
    }
    machine_.links.push_back(sim::Link{.name = "link" + std::to_string(machine_.links.size()),
                                       .between = std::move(between),
                                       .bandwidth_bytes_per_s = RandomBandwidth(rng_, values_),
                                       .latency = RandomLatency(rng_, values_),
                                       .duplex = duplex});
  }

  void AddMesh(sim::Duplex duplex) {
    for (sim::NodeIndex a = 0; a < num_devices(); ++a) {
      for (sim::NodeIndex b = a + 1; b < num_devices(); ++b) {
        Add({a, b}, duplex);
      }
    }
  }

  void AddStar(sim::Duplex duplex) {
    machine_.switches.push_back("hub");
    for (sim::NodeIndex a = 0; a < num_devices(); ++a) {
      Add({a, num_devices()}, duplex);
    }
  }

  void AddBus() {
    std::vector<sim::NodeIndex> all(machine_.num_devices());
    std::iota(all.begin(), all.end(), 0);
    Add(all, sim::Duplex::kHalf);
  }

  // Devices on two switches with one link between these, and a few direct links beside.
  void AddTwoSwitches() {
    machine_.switches = {"left", "right"};
    for (sim::NodeIndex a = 0; a < num_devices(); ++a) {
      Add({a, num_devices() + static_cast<sim::NodeIndex>(rng_.Below(2))}, sim::Duplex::kFull);
    }
    Add({num_devices(), num_devices() + 1},
        Chance(rng_, 0.5) ? sim::Duplex::kFull : sim::Duplex::kHalf);
    for (sim::NodeIndex a = 0; a + 1 < num_devices(); ++a) {
      if (Chance(rng_, 0.2)) {
        Add({a, a + 1}, sim::Duplex::kFull);
      }
    }
  }

 private:
  [[nodiscard]] sim::NodeIndex num_devices() const {
    return static_cast<sim::NodeIndex>(machine_.num_devices());
  }

  Rng& rng_;
  Values values_;
  sim::HardwareProfile& machine_;
};

// Fixes the route of one device pair that has a direct link, with a latency of its own.
void AddExplicitRoute(Rng& rng, Values values, sim::HardwareProfile& machine) {
  const std::size_t index = rng.Below(machine.links.size());
  const std::vector<sim::NodeIndex>& between = machine.links[index].between;
  const auto num_devices = static_cast<sim::NodeIndex>(machine.num_devices());
  if (between[0] >= num_devices || between[1] >= num_devices) {
    return;
  }
  machine.routes.push_back(sim::ExplicitRoute{.from = DeviceId(between[1]),
                                              .to = DeviceId(between[0]),
                                              .links = {static_cast<std::int32_t>(index)},
                                              .latency = RandomLatency(rng, values)});
}

sim::ChannelKinds RandomChannels(Rng& rng) {
  if (Chance(rng, 0.4)) {
    return {};
  }
  sim::ChannelKinds kinds{.links = Chance(rng, 0.5),
                          .egress = Chance(rng, 0.5),
                          .ingress = Chance(rng, 0.5),
                          .pair = Chance(rng, 0.3)};
  kinds.pair |= !kinds.links && !kinds.egress && !kinds.ingress;
  return kinds;
}

}  // namespace

sim::HardwareProfile RandomMachine(Rng& rng, Values values, const CaseLimits& limits) {
  sim::HardwareProfile machine;
  machine.name = "random";
  const std::int64_t count = rng.Between(limits.least_devices, limits.most_devices);
  for (std::int64_t i = 0; i < count; ++i) {
    machine.devices.push_back(RandomDevice(rng, static_cast<std::size_t>(i)));
  }
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  machine.transfers.channels = RandomChannels(rng);
  if (Chance(rng, 0.15)) {
    machine.transfers.sharing = sim::Sharing::kNone;
  }
  if (count == 1) {
    return machine;
  }
  LinkMaker links(rng, values, machine);
  const std::uint64_t topology = rng.Below(6);
  if (topology == 0) {
    links.AddMesh(sim::Duplex::kFull);
  } else if (topology == 1) {
    links.AddMesh(sim::Duplex::kHalf);
  } else if (topology == 2) {
    links.AddBus();
  } else if (topology == 3) {
    links.AddTwoSwitches();
  } else {
    links.AddStar(topology == 4 ? sim::Duplex::kFull : sim::Duplex::kHalf);
  }
  if (Chance(rng, 0.3)) {
    AddExplicitRoute(rng, values, machine);
  }
  return machine;
}

}  // namespace opyard::testing
