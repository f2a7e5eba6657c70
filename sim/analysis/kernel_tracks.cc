#include "sim/analysis/kernel_tracks.h"

#include <map>
#include <utility>

#include "sim/analysis/picture_span.h"
#include "sim/base/array_index.h"

namespace opyard::sim {
namespace {

bool IsInstant(const Timeline& timeline, std::size_t kernel) {
  const std::optional<Run>& run = timeline.kernels[kernel].run;
  return run.has_value() && PictureSpanOf(*run, timeline.end).is_instant();
}

// What runs one kernel at a time: a device, or one of its streams.
struct Lane {
  std::string name;
  bool has_instants = false;
};

// The lane of `kernel` among those that LanesOf names.
std::size_t LaneOf(const Timeline& timeline, const KernelRecord& kernel) {
  return timeline.streams_are_parallel ? At(kernel.stream) : kernel.device.index();
}

std::vector<Lane> LanesOf(const SimulatedStep& step, const Timeline& timeline) {
  std::vector<Lane> lanes;
  if (!timeline.streams_are_parallel) {
    for (const Device& device : step.hardware.devices) {
      lanes.push_back({.name = device.name});
    }
    return lanes;
  }
  std::int32_t number = 0;
  for (std::size_t s = 0; s < timeline.streams.size(); ++s) {
    const DeviceId device = timeline.streams[s].device;
    number = s > 0 && timeline.streams[s - 1].device == device ? number + 1 : 0;
    lanes.push_back({.name = step.hardware.devices[device.index()].name +
                             (number == 0 ? "" : " stream " + std::to_string(number))});
  }
  return lanes;
}

// Names the tracks; answers with the track of each lane.
std::vector<std::int32_t> AddTracks(const SimulatedStep& step,
                                    const Timeline& timeline,
                                    KernelTracks& layout) {
  std::vector<Lane> lanes = LanesOf(step, timeline);
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    if (IsInstant(timeline, k)) {
      lanes[LaneOf(timeline, timeline.kernels[k])].has_instants = true;
    }
  }
  std::vector<std::int32_t> track_of_lane;
  for (const Lane& lane : lanes) {
    track_of_lane.push_back(static_cast<std::int32_t>(layout.names.size()));
    layout.names.push_back(lane.name);
    if (lane.has_instants) {
      layout.names.push_back(lane.name + " (no time)");
    }
  }
  return track_of_lane;
}

}  // namespace

KernelTracks LayOutKernels(const SimulatedStep& step, const Timeline& timeline) {
  KernelTracks layout;
  const std::vector<std::int32_t> track_of_lane = AddTracks(step, timeline, layout);
  using TrackAndTime = std::pair<std::int32_t, std::int64_t>;
  std::map<TrackAndTime, std::vector<std::int32_t>> instants;
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    const KernelRecord& kernel = timeline.kernels[k];
    const std::int32_t track = track_of_lane[LaneOf(timeline, kernel)];
    const bool is_instant = IsInstant(timeline, k);
    layout.of_kernel.push_back(is_instant ? track + 1 : track);
    if (is_instant) {
      const std::int64_t time_ns = PictureSpanOf(*kernel.run, timeline.end).start_ns;
      instants[{track + 1, time_ns}].push_back(static_cast<std::int32_t>(k));
    }
  }
  for (auto& [place, kernels] : instants) {
    layout.instants.push_back(
        {.track = place.first, .time_ns = place.second, .kernels = std::move(kernels)});
  }
  return layout;
}

}  // namespace opyard::sim
