#include "experiments/explain/host_work.h"

#include <algorithm>
#include <iterator>

#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

bool IsHost(const env::Problem& problem, DeviceId device) {
  return problem.hardware().devices[device.index()].kind == sim::DeviceKind::kCpu;
}

bool NeedsHosts(const env::Problem& problem) {
  for (std::int32_t group = 0; group < problem.grouping().num_groups; ++group) {
    if (std::ranges::all_of(problem.AllowedDevices(GroupId(group)),
                            [&](DeviceId device) { return IsHost(problem, device); })) {
      return true;
    }
  }
  return false;
}

}  // namespace

HostWork HostWorkOf(const env::Problem& problem, const sim::SimReport& report) {
  HostWork work;
  SimTime of_hosts;
  SimTime of_all;
  for (const DeviceId device : problem.devices()) {
    const sim::DeviceReport& row = report.devices[device.index()];
    of_all += row.busy;
    if (!IsHost(problem, device)) {
      work.without_hosts.push_back(row.name);
    } else if (row.busy > SimTime{}) {
      of_hosts += row.busy;
      work.hosts.push_back(row.name);
    }
  }
  if (work.without_hosts.empty() || of_hosts == SimTime{}) {
    return {};
  }
  work.share = of_hosts.seconds() / of_all.seconds();
  if (NeedsHosts(problem)) {
    work.without_hosts.clear();
  }
  return work;
}

std::string HostWorkText(const HostWork& work) {
  if (work.share <= 0.5) {
    return "";
  }
  std::string devices;
  for (const std::string& device : work.without_hosts) {
    devices += (devices.empty() ? "" : ",") + OneLine(device);
  }
  std::vector<std::string> hosts;
  std::ranges::transform(work.hosts, std::back_inserter(hosts), OneLine);
  return "the plan leaves " + Fixed(100.0 * work.share, 1) +
         " % of its work (busy time) to the host " + JoinNames(hosts) +
         ", although there are accelerators; " +
         (devices.empty() ? "some ops may run nowhere else, so it cannot be left out"
                          : "to leave it out: --devices " + devices) +
         "\n";
}

}  // namespace opyard::experiments
