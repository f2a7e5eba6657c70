#include "sim/analysis/metrics.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace opyard::sim {
namespace {

// One enters (+1) or leaves (-1) queue `place` at `time`.
struct Step {
  SimTime time;
  std::size_t place = 0;
  std::int64_t change = 0;
};

// The lengths after each instant at which the length of a queue is another than before it.
std::vector<QueueSample> Lengths(std::vector<Step> steps) {
  std::ranges::sort(steps, {}, [](const Step& step) { return std::pair(step.time, step.place); });
  std::map<std::size_t, std::int64_t> length_of;
  std::vector<QueueSample> samples;
  for (std::size_t i = 0; i < steps.size();) {
    const Step& first = steps[i];
    std::int64_t change = 0;
    for (; i < steps.size() && steps[i].time == first.time && steps[i].place == first.place; ++i) {
      change += steps[i].change;
    }
    if (change != 0) {
      length_of[first.place] += change;
      samples.push_back({first.time, DeviceId(first.place), length_of[first.place]});
    }
  }
  return samples;
}

}  // namespace

std::vector<QueueSample> ReadyQueueLengths(const Timeline& timeline) {
  std::vector<Step> steps;
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    const KernelRecord& kernel = timeline.kernels[k];
    if (!kernel.ready.has_value() || std::max(*kernel.ready, kernel.issued) > timeline.end) {
      continue;
    }
    steps.push_back({std::max(*kernel.ready, kernel.issued), kernel.device.index(), 1});
    if (kernel.run.has_value()) {
      steps.push_back({kernel.run->start, kernel.device.index(), -1});
    }
  }
  return Lengths(std::move(steps));
}

std::vector<WaitingSample> WaitingTransfers(const Timeline& timeline) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < timeline.num_transfers(); ++i) {
    steps.push_back({timeline.transfers[i].offered, 0, 1});
    steps.push_back({timeline.transfers[i].run.start, 0, -1});
  }
  std::vector<WaitingSample> samples;
  for (const QueueSample& sample : Lengths(std::move(steps))) {
    samples.push_back({sample.time, sample.length});
  }
  return samples;
}

std::vector<SimTime> LinkLoads(const SimulatedStep& step, const Timeline& timeline) {
  std::vector<SimTime> loads(step.hardware.links.size());
  if (step.hardware.rules == Rules::kRegal) {
    return loads;
  }
  for (std::size_t i = 0; i < timeline.num_transfers(); ++i) {
    const TransferRecord& transfer = timeline.transfers[i];
    std::set<std::int32_t> links;
    for (const DeviceId destination : timeline.destinations_of(i)) {
      for (const LinkDirection& hop : step.routes.Find(transfer.src, destination)->hops) {
        links.insert(hop.link);
      }
    }
    for (const std::int32_t link : links) {
      loads[static_cast<std::size_t>(link)] += transfer.run.finish - transfer.run.start;
    }
  }
  return loads;
}

}  // namespace opyard::sim
