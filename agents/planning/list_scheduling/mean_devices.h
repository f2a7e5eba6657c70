// The devices over which list schedulers average.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/base/option_table.h"
#include "agents/planning/encoding/decisions.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

enum class Means : std::uint8_t { kAllDevices, kMainDevices };

// The option `means` of agents whose papers average over all devices.
template <class Settings>
[[nodiscard]] OptionRow<Settings> MeansRow(Means Settings::*member) {
  return {.name = "means",
          .field = Word(
              member, {{"all_devices", Means::kAllDevices}, {"main_devices", Means::kMainDevices}}),
          .meaning =
              "over which devices costs, transfers and ranks are averaged: all, or those of the "
              "main kind (a slow host distorts the rest)",
          .paper = "all_devices"};
}

[[nodiscard]] inline std::vector<DeviceId> DevicesOfMeans(Means means,
                                                          const env::Problem& problem) {
  return means == Means::kMainDevices ? MainDevices(problem) : problem.devices();
}

}  // namespace opyard::agents
