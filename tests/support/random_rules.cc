#include <array>
#include <cstdint>

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
}

}  // namespace opyard::testing
