#include "sim/analysis/kernel_tracks.h"

#include <map>
#include <utility>

#include "sim/analysis/picture_span.h"

namespace opyard::sim {
namespace {

bool IsInstant(const Timeline& timeline, std::size_t kernel) {
  const std::optional<Run>& run = timeline.kernels[kernel].run;
  return run.has_value() && PictureSpanOf(*run, timeline.end).is_instant();
}

// Names the tracks; answers with the track of each device.
std::vector<std::int32_t> AddTracks(const SimulatedStep& step,
                                    const Timeline& timeline,
                                    KernelTracks& layout) {
  std::vector<bool> has_instants(step.hardware.num_devices());
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    if (IsInstant(timeline, k)) {
      has_instants[timeline.kernels[k].device.index()] = true;
    }
  }
  std::vector<std::int32_t> track_of_device;
  for (std::size_t d = 0; d < has_instants.size(); ++d) {
    const std::string& device = step.hardware.devices[d].name;
    track_of_device.push_back(static_cast<std::int32_t>(layout.names.size()));
    layout.names.push_back(device);
    if (has_instants[d]) {
      layout.names.push_back(device + " (no time)");
    }
  }
  return track_of_device;
}

}  // namespace

KernelTracks LayOutKernels(const SimulatedStep& step, const Timeline& timeline) {
  KernelTracks layout;
  const std::vector<std::int32_t> track_of_device = AddTracks(step, timeline, layout);
  using TrackAndTime = std::pair<std::int32_t, std::int64_t>;
  std::map<TrackAndTime, std::vector<std::int32_t>> instants;
  for (std::size_t k = 0; k < timeline.num_kernels(); ++k) {
    const KernelRecord& kernel = timeline.kernels[k];
    const std::int32_t track = track_of_device[kernel.device.index()];
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
