// The share of a plan's work that host processors do beside accelerators.
#pragma once

#include <string>
#include <vector>

#include "env/problem.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

struct HostWork {
  double share = 0.0;              // busy time of hosts, of that of all devices
  std::vector<std::string> hosts;  // that are busy
  // The devices of the problem but hosts; empty if some op may run on none of them.
  std::vector<std::string> without_hosts;
};

// Nothing on machines of one sort of device: hosts alone, or accelerators alone.
[[nodiscard]] HostWork HostWorkOf(const env::Problem& problem, const sim::SimReport& report);

// A line that says so and how to leave hosts out, where they do most of the work; else "".
[[nodiscard]] std::string HostWorkText(const HostWork& work);

}  // namespace opyard::experiments
