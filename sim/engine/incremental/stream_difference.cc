#include "sim/engine/incremental/stream_difference.h"

#include <algorithm>

#include "sim/base/array_index.h"
#include "sim/engine/queues/never.h"

namespace opyard::sim {
namespace {

// Of one stream in both.
std::int64_t FirstEffect(const RunHistory& history, const Streams& streams, std::size_t stream) {
  std::int32_t before = history.streams.first[stream];
  std::int32_t now = streams.first[stream];
  std::int64_t head_ps = 0;  // when `before` becomes the head, or earlier
  std::int64_t last_finish_ps = 0;
  while (before == now && before != Streams::kNone) {
    // An op that has not finished started after the one before it ended, if it did.
    const std::int64_t finish_ps = history.finish_ps[At(before)];
    head_ps =
        finish_ps == kNever ? last_finish_ps : finish_ps - history.kernels[At(before)].duration_ps;
    last_finish_ps = finish_ps == kNever ? last_finish_ps : finish_ps;
    now = streams.next[At(before)];
    before = history.streams.next[At(before)];
  }
  return before == now ? kNever : head_ps;
}

}  // namespace

std::int64_t FirstEffectOfStreams(const RunHistory& history, const Streams& streams) {
  if (history.streams.device_of != streams.device_of) {
    return 0;
  }
  std::int64_t first_ps = kNever;
  for (std::size_t stream = 0; stream < streams.first.size(); ++stream) {
    first_ps = std::min(first_ps, FirstEffect(history, streams, stream));
  }
  return first_ps;
}

}  // namespace opyard::sim
