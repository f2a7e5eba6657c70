#include "sim/analysis/transfer_tracks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/analysis/picture_span.h"

namespace opyard::sim {
namespace {

// The names of the rows of one transfer.
std::vector<std::string> RowsOf(const SimulatedStep& step,
                                const Timeline& timeline,
                                std::size_t transfer) {
  std::vector<std::string> rows;
  for (const ChannelId channel : timeline.channels_of(transfer)) {
    rows.push_back(timeline.channel_names[channel.index()]);
  }
  if (rows.empty()) {
    const std::string& src = step.hardware.devices[timeline.transfers[transfer].src.index()].name;
    for (const DeviceId dst : timeline.destinations_of(transfer)) {
      rows.push_back(src + ">" + step.hardware.devices[dst.index()].name);
    }
  }
  return rows;
}

using Place = std::pair<std::string, std::int32_t>;  // row and lane

// Takes the first lane of `lanes` (each with the end of its last transfer in nanoseconds) that is
// free. What takes no time still stands on its lane for a nanosecond.
std::int32_t TakeLane(std::vector<std::int64_t>& lanes, const PictureSpan& span) {
  auto lane =
      std::ranges::find_if(lanes, [&span](std::int64_t end) { return end <= span.start_ns; });
  if (lane == lanes.end()) {
    lane = lanes.insert(lanes.end(), 0);
  }
  *lane = std::max(span.finish_ns, span.start_ns + 1);
  return static_cast<std::int32_t>(lane - lanes.begin());
}

}  // namespace

std::span<const std::int32_t> TransferTracks::of(std::size_t transfer) const {
  const auto begin = static_cast<std::size_t>(first[transfer]);
  const auto end = static_cast<std::size_t>(first[transfer + 1]);
  return std::span(of_transfers).subspan(begin, end - begin);
}

TransferTracks LayOutTransfers(const SimulatedStep& step, const Timeline& timeline) {
  std::map<std::string, std::vector<std::int64_t>> lanes_of_row;
  std::vector<std::vector<Place>> places(timeline.num_transfers());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PictureSpan span = PictureSpanOf(timeline.transfers[i].run, timeline.end);
    for (const std::string& row : RowsOf(step, timeline, i)) {
      places[i].emplace_back(row, TakeLane(lanes_of_row[row], span));
    }
  }
  TransferTracks layout;
  std::map<std::string, std::int32_t> first_track_of_row;
  for (const auto& [row, lanes] : lanes_of_row) {
    first_track_of_row[row] = static_cast<std::int32_t>(layout.tracks.size());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      layout.tracks.push_back({.row = row, .lane = static_cast<std::int32_t>(lane)});
    }
  }
  for (const std::vector<Place>& of_transfer : places) {
    layout.first.push_back(static_cast<std::int32_t>(layout.of_transfers.size()));
    for (const auto& [row, lane] : of_transfer) {
      layout.of_transfers.push_back(first_track_of_row[row] + lane);
    }
  }
  layout.first.push_back(static_cast<std::int32_t>(layout.of_transfers.size()));
  return layout;
}

}  // namespace opyard::sim
