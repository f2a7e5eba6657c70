#include <array>
#include <cstdint>
#include <string>

#include "tests/support/random_cases.h"
#include "tests/support/random_choices.h"

namespace opyard::testing {
namespace {

// Between nothing and a few ops long.
SimTime RandomGap(Rng& rng, Values values) {
  if (values == Values::kRound) {
    return SimTime{
        OneOf<std::int64_t>(rng, std::array<std::int64_t, 4>{0, 500'000, 1'000'000, 3'000'000})};
  }
  return SimTime{rng.Between(0, 4'000'000)};
}

bool Sample(Rng& rng, bool is_allowed) {
  return Chance(rng, 0.5) && is_allowed;
}

// One pool or two, for most devices. Machine files refuse pools that no device names.
void AddRandomPools(Rng& rng, Values values, sim::HardwareProfile& machine) {
  const auto num_devices = static_cast<std::int64_t>(machine.num_devices());
  const std::int64_t num_pools = rng.Between(1, num_devices == 1 ? 1 : 2);
  for (std::int64_t i = 0; i < num_pools; ++i) {
    const double bandwidth = values == Values::kRound
                                 ? OneOf<double>(rng, std::array{2e9, 3e9, 5e9})
                                 : 2e9 + rng.Uniform() * 8e9;
    machine.memory_pools.push_back({.name = "pool" + std::to_string(i),
                                    .memory = Bytes{1'000'000'000},
                                    .bandwidth_bytes_per_s = bandwidth});
  }
  for (std::int64_t i = 0; i < num_devices; ++i) {
    const std::int64_t pool =
        i < num_pools ? i : rng.Between(Chance(rng, 0.2) ? -1 : 0, num_pools - 1);
    sim::Device& device = machine.devices[static_cast<std::size_t>(i)];
    device.memory_pool = static_cast<std::int32_t>(pool);
    if (device.memory_pool != sim::Device::kNoMemoryPool) {
      device.memory_bandwidth_bytes_per_s = 2e9;
    }
  }
}

}  // namespace

void AddRandomRules(Rng& rng,
                    Values values,
                    const RuleChoices& choices,
                    sim::HardwareProfile& machine) {
  if (Sample(rng, choices.gaps)) {
    machine.execution.gap_after_op = RandomGap(rng, values);
    machine.transfers.gap_after = RandomGap(rng, values);
    machine.execution.trailing_gaps_count = Chance(rng, 0.5);
  }
  if (Sample(rng, choices.dispatch)) {
    machine.execution.dispatch = RandomGap(rng, values);
  }
  if (Sample(rng, choices.per_output)) {
    machine.transfers.one_per = sim::OnePer::kOutput;
  } else if (Sample(rng, choices.per_edge)) {
    machine.transfers.one_per = sim::OnePer::kEdge;
  }
  if (Sample(rng, choices.fair) && machine.transfers.one_per != sim::OnePer::kOutput) {
    machine.transfers.sharing = sim::Sharing::kFair;
    machine.transfers.gap_after = SimTime{};
  }
  if (Sample(rng, choices.regal)) {
    machine.rules = sim::Rules::kRegal;
    if (Chance(rng, 0.5)) {
      machine.links.clear();
      machine.routes.clear();
    }
  }
  if (choices.copy_overheads) {
    for (sim::Device& device : machine.devices) {
      device.copy_overhead_s = OneOf<double>(rng, std::array{0.0, 1e-6, 2e-6});
      device.copy_bandwidth_bytes_per_s = OneOf<double>(rng, std::array{0.0, 1e9, 3e9});
    }
  }
  if (choices.memory_pools && machine.rules == sim::Rules::kOpyard) {
    AddRandomPools(rng, values, machine);
  }
}

}  // namespace opyard::testing
