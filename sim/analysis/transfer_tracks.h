// Tracks of transfers in a picture of a step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/analysis/timeline.h"

namespace opyard::sim {

// Rows are channels, or where transfers occupy none, ordered pairs of devices ("gpu0>gpu1"). A row
// has as many lanes as transfers overlap on it: one under serial sharing, unless some take less
// than a nanosecond. Tracks are all lanes, by the name of the row.
struct TransferTracks {
  struct Track {
    std::string row;
    std::int32_t lane = 0;
  };
  std::vector<Track> tracks;
  std::vector<std::int32_t> first;  // of transfer i into `of_transfers`; one more as the end
  std::vector<std::int32_t> of_transfers;

  [[nodiscard]] std::span<const std::int32_t> of(std::size_t transfer) const;
};

// Each transfer on one lane of each of its rows, the first lane that is free at its start.
// O(transfers · (lanes + log rows)).
[[nodiscard]] TransferTracks LayOutTransfers(const SimulatedStep& step, const Timeline& timeline);

}  // namespace opyard::sim
