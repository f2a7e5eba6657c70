// Requirements of viewers on a trace file, on random steps.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/analysis/trace_file.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulated_case.h"

namespace opyard::testing {
namespace {

using Json = nlohmann::json;

// `ts` and `dur` as a viewer keeps them, in nanoseconds.
std::int64_t Nanoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e3);
}

// The visible spans of each track, [start, finish) in nanoseconds, by start.
std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> PictureSpans(TraceFile& trace) {
  std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> spans;
  for (const Json& event : trace.Events("X")) {
    const std::int64_t start = Nanoseconds(event.at("ts"));
    spans[TrackOf(event)].emplace_back(start, start + Nanoseconds(event.at("dur")));
  }
  for (auto& [track, list] : spans) {
    std::ranges::sort(list);
  }
  return spans;
}

// One span at a time on a track, those of no time included: viewers stack the others, or drop them.
void CheckNoOverlap(TraceFile& trace) {
  for (const auto& [track, spans] : PictureSpans(trace)) {
    for (std::size_t i = 1; i < spans.size(); ++i) {
      EXPECT_GE(spans[i].first, spans[i - 1].second)
          << "track " << track.first << "/" << track.second;
      EXPECT_GT(spans[i].first, spans[i - 1].first);
    }
  }
}

// The number of spans of the track that hold the time of a flow event: [start, finish), or its only
// instant.
std::int64_t NumSpansAt(const std::vector<std::pair<std::int64_t, std::int64_t>>& spans,
                        std::int64_t time) {
  return std::ranges::count_if(spans, [time](const auto& span) {
    return span.first == time || (span.first < time && time < span.second);
  });
}

void CheckFlows(TraceFile& trace) {
  auto spans = PictureSpans(trace);
  std::map<std::int64_t, std::int64_t> begun;
  for (const Json& event : trace.Events("s")) {
    const std::int64_t time = Nanoseconds(event.at("ts"));
    EXPECT_TRUE(begun.emplace(event.at("id"), time).second);
    EXPECT_EQ(NumSpansAt(spans[TrackOf(event)], time), 1) << event;
  }
  for (const Json& event : trace.Events("f")) {
    const std::int64_t time = Nanoseconds(event.at("ts"));
    const auto begin = begun.find(event.at("id"));
    ASSERT_NE(begin, begun.end());
    EXPECT_LE(begin->second, time);
    EXPECT_EQ(NumSpansAt(spans[TrackOf(event)], time), 1) << event;
    begun.erase(begin);
  }
  EXPECT_TRUE(begun.empty());
}

void CheckMemory(TraceFile& trace, const SimulatedCase& made) {
  for (const sim::Device& device : made.both().hardware().devices) {
    const auto limit = trace.Counter(device.name + " memory limit");
    std::int64_t before = 0;
    for (const auto& [time, bytes] : trace.Counter(device.name + " memory")) {
      EXPECT_GE(time, before);
      EXPECT_GE(bytes, 0);
      if (!limit.empty()) {
        EXPECT_LE(bytes, limit.front().second);
      }
      before = time;
    }
  }
}

// Counters of queues end at nothing: whatever was ready has started.
void CheckQueues(TraceFile& trace, const SimulatedCase& made) {
  for (const sim::Device& device : made.both().hardware().devices) {
    const auto samples = trace.Counter(device.name + " ready");
    for (const auto& [time, length] : samples) {
      EXPECT_GE(length, 0);
    }
    EXPECT_TRUE(samples.empty() || samples.back().second == 0);
  }
}

TEST(PerfettoPropertyTest, FilesAreSoundUnderAllRules) {
  CaseLimits limits{.rules = kAllRules};
  std::map<sim::Outcome, int> outcomes;
  for (std::uint64_t seed = 730'000; seed < 730'300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    limits.fuses = seed % 5 == 0;
    limits.rules.streams = seed % 7 == 0;
    RandomCase random =
        MakeRandomCase(seed, seed % 3 == 0 ? Values::kContinuous : Values::kRound, limits);
    if (seed % 2 == 0) {
      Rng rng(seed);
      TightenMemory(rng, seed % 4 == 0 ? sim::OnExceed::kWait : sim::OnExceed::kFail, random);
    }
    const SimulatedCase made(random.graph, random.hardware, random.plan);
    ++outcomes[made.report().result.outcome];
    TraceFile trace(made);
    CheckNoOverlap(trace);
    CheckFlows(trace);
    CheckMemory(trace, made);
    if (made.report().result.outcome == sim::Outcome::kCompleted) {
      CheckQueues(trace, made);
      const std::set<std::int32_t> groups(made.report().groups.begin(), made.report().groups.end());
      std::size_t num_kernels = 0;
      for (const Json& kernel : trace.Spans("kernel")) {
        num_kernels += kernel.at("args").value("num_kernels", std::size_t{1});
      }
      EXPECT_EQ(num_kernels, groups.size());
    }
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  for (const auto outcome :
       {sim::Outcome::kCompleted, sim::Outcome::kOutOfMemory, sim::Outcome::kDeadlock}) {
    EXPECT_GT(outcomes[outcome], 5) << sim::NameOf(outcome);
  }
}

}  // namespace
}  // namespace opyard::testing
