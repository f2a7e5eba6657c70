// Trace files, read back as JSON.
#include "sim/trace/perfetto.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/random_cases.h"
#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

std::string TraceText(const SimulatedCase& made) {
  std::vector<sim::CriticalPart> path;
  if (made.report().result.outcome == sim::Outcome::kCompleted) {
    path = sim::CriticalPath(made.timeline(), made.both().hardware());
  }
  std::ostringstream out;
  sim::WriteTraceEvents(made.step(), made.timeline(), path, out);
  return out.str();
}

using Track = std::pair<std::int64_t, std::int64_t>;  // process, thread

Track TrackOf(const Json& event) {
  return {event.at("pid"), event.at("tid")};
}

// `ts` and `dur` count microseconds; small ones are exact to the picosecond as doubles.
std::int64_t Picoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

// The events of one file by their phase ("X", "C", "s", "f", "M").
class TraceFile {
 public:
  explicit TraceFile(const SimulatedCase& made) : json_(Json::parse(TraceText(made))) {
    for (const Json& event : json_.at("traceEvents")) {
      events_[event.at("ph")].push_back(event);
    }
  }

  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::vector<Json>& Events(const std::string& phase) { return events_[phase]; }

  // The spans of `category`.
  [[nodiscard]] std::vector<Json> Spans(const std::string& category) {
    std::vector<Json> spans;
    for (const Json& event : Events("X")) {
      if (event.at("cat") == category) {
        spans.push_back(event);
      }
    }
    return spans;
  }

  // The names of all tracks of process `pid`, by thread.
  [[nodiscard]] std::vector<std::string> TrackNames(std::int64_t pid) {
    std::map<std::int64_t, std::string> names;
    for (const Json& event : Events("M")) {
      if (event.at("name") == "thread_name" && event.at("pid") == pid) {
        names[event.at("tid")] = event.at("args").at("name");
      }
    }
    std::vector<std::string> sorted;
    for (const auto& [tid, name] : names) {
      sorted.push_back(name);
    }
    return sorted;
  }

  // The values of counter `name`, in order of the file.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> Counter(
      const std::string& name) {
    std::vector<std::pair<std::int64_t, std::int64_t>> samples;
    for (const Json& event : Events("C")) {
      if (event.at("name") == name) {
        samples.emplace_back(Picoseconds(event.at("ts")), event.at("args").begin().value());
      }
    }
    return samples;
  }

 private:
  Json json_;
  std::map<std::string, std::vector<Json>> events_;
};

constexpr std::int64_t kUs = 1'000'000;

SimulatedCase TwoOpsOnTwoDevices() {
  sim::OpSpec first = TimedOp("a", 2, {}, {3000});
  first.flops = Flops{7.0};
  first.layer = 4;
  first.phase = sim::Phase::kForward;
  // a 0–2 on d0, its copy 2–5, b 5–10 on d1.
  return {MakeGraph({first, TimedOp("b", 5, {{0, 0}})}),
          MeshMachine(2),
          PlacedWithPriorities({0, 1}, {6, -3})};
}

TEST(PerfettoTest, KernelsStandOnTheirDevicesWithWhatTheyAre) {
  TraceFile trace(TwoOpsOnTwoDevices());
  EXPECT_THAT(trace.TrackNames(1), ElementsAre("d0", "d1"));
  const std::vector<Json> kernels = trace.Spans("kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].at("name"), "a");
  EXPECT_EQ(TrackOf(kernels[0]), Track(1, 1));
  EXPECT_EQ(TrackOf(kernels[1]), Track(1, 2));
  EXPECT_EQ(kernels[1].at("ts"), 5);
  EXPECT_EQ(kernels[1].at("dur"), 5);
  EXPECT_EQ(kernels[0].at("args"),
            Json({{"type", "MatMul"},
                  {"phase", "forward"},
                  {"layer", 4},
                  {"flops", 7.0},
                  {"bytes", 3000},
                  {"priority", 6},
                  {"group", 0},
                  {"ready_ps", 0},
                  {"start_ps", 0},
                  {"finish_ps", 2 * kUs}}));
}

TEST(PerfettoTest, TransfersStandOnEachChannelTheyOccupy) {
  TraceFile trace(TwoOpsOnTwoDevices());
  EXPECT_THAT(trace.TrackNames(2), ElementsAre("d0-d1>", "egress:d0", "ingress:d1"));
  const std::vector<Json> transfers = trace.Spans("transfer");
  std::set<std::int64_t> threads;
  for (const Json& transfer : transfers) {
    EXPECT_EQ(transfer.at("name"), "copy of a:0");
    EXPECT_EQ(transfer.at("ts"), 2);
    EXPECT_EQ(transfer.at("dur"), 3);
    threads.insert(transfer.at("tid").get<std::int64_t>());
  }
  EXPECT_THAT(threads, ElementsAre(1, 2, 3));
  EXPECT_EQ(transfers[0].at("args"),
            Json({{"bytes", 3000},
                  {"from", "d0"},
                  {"to", "d1"},
                  {"offered_ps", 2 * kUs},
                  {"start_ps", 2 * kUs},
                  {"finish_ps", 5 * kUs}}));
}

TEST(PerfettoTest, ArrowsLeadFromTheProducerThroughTheTransferToTheReader) {
  TraceFile trace(TwoOpsOnTwoDevices());
  const auto& begins = trace.Events("s");
  const auto& ends = trace.Events("f");
  ASSERT_EQ(begins.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(TrackOf(begins[0]), Track(1, 1));       // a on d0
  EXPECT_EQ(TrackOf(ends[0]).first, 2);             // to the transfer
  EXPECT_EQ(TrackOf(begins[1]), TrackOf(ends[0]));  // and from it
  EXPECT_EQ(TrackOf(ends[1]), Track(1, 2));         // to b on d1
  EXPECT_EQ(ends[1].at("ts"), 5);
}

TEST(PerfettoTest, CountersFollowMemoryQueuesAndWaitingTransfers) {
  // d0: a 0–2 and x 2–5, ready at 0; both copies are offered when their op ends; a:0 2–5, x:0 5–7.
  const SimulatedCase made(MakeGraph({TimedOp("a", 2, {}, {3000}),
                                      TimedOp("b", 5, {{0, 0}}, {100}),
                                      TimedOp("x", 3, {}, {2000}),
                                      TimedOp("y", 1, {{2, 0}}, {10})}),
                           MeshMachine(2),
                           PlacedOn({0, 1, 0, 1}));
  TraceFile trace(made);
  EXPECT_THAT(trace.Counter("ready on d0"),
              ElementsAre(std::pair(0, 1), std::pair(2 * kUs, 0)));  // a starts at once
  // b 5–10, y comes at 7 and starts at 10.
  EXPECT_THAT(trace.Counter("ready on d1"),
              ElementsAre(std::pair(7 * kUs, 1), std::pair(10 * kUs, 0)));
  EXPECT_THAT(trace.Counter("memory limit of d0"),
              ElementsAre(std::pair(0, 1'000'000), std::pair(11 * kUs, 1'000'000)));
  // a's output, then x's too; a's goes when its copy is made, x's likewise.
  EXPECT_THAT(trace.Counter("memory of d0"),
              ElementsAre(std::pair(0, 3000),
                          std::pair(2 * kUs, 5000),
                          std::pair(5 * kUs, 2000),
                          std::pair(7 * kUs, 0)));
  EXPECT_THAT(trace.Counter("waiting transfers"), ElementsAre());  // each starts when offered
}

TEST(PerfettoTest, TransfersWithoutChannelsStandByPairsAndLanes) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.sharing = sim::Sharing::kNone;
  const SimulatedCase made(MakeGraph({TimedOp("a", 1, {}, {3000, 2000, 1000}),
                                      TimedOp("b", 1, {{0, 0}, {0, 1}}),
                                      TimedOp("c", 1, {{0, 2}})}),
                           machine,
                           PlacedOn({0, 1, 1}));
  TraceFile trace(made);
  EXPECT_THAT(trace.TrackNames(2), ElementsAre("d0>d1", "d0>d1 #2", "d0>d1 #3"));
}

TEST(PerfettoTest, TimesAreExactToThePicosecond) {
  sim::OpSpec op = TimedOp("a", 0);
  op.seconds = {{.where = "*", .seconds = 1.234567891e-3}};
  EXPECT_THAT(TraceText(SimulatedCase(MakeGraph({op}), MeshMachine(1), PlacedOn({0}))),
              ::testing::HasSubstr("\"dur\":1234.567891,"))
      << "1,234,567,891 ps";
}

TEST(PerfettoTest, AnyNameIsLegal) {
  const std::string hostile = "\"],}\\ \n\t\x01\x7f é 漢 </script>";
  TraceFile trace(SimulatedCase(MakeGraph({TimedOp(hostile, 2), TimedOp("b", 5, {{0, 0}})}),
                                MeshMachine(2),
                                PlacedOn({0, 1})));
  EXPECT_EQ(trace.Spans("kernel")[0].at("name"), hostile);
  EXPECT_EQ(trace.Spans("transfer")[0].at("name"), "copy of " + hostile + ":0");
}

TEST(PerfettoTest, WhatWasUnderWayAtAFailureEndsThere) {
  // a runs 0–9 on d0; b 0–1 on d1, where c then asks for 1 MB beside b's 1000 bytes.
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 9), TimedOp("b", 1), TimedOp("c", 1, {{1, 0}}, {1'000'000})}),
      MeshMachine(2),
      PlacedOn({0, 1, 1}));
  ASSERT_EQ(made.report().result.outcome, sim::Outcome::kOutOfMemory);
  TraceFile trace(made);
  EXPECT_EQ(trace.json().at("otherData").at("outcome"), "out_of_memory");
  const Json under_way = trace.Spans("kernel")[0];
  EXPECT_EQ(under_way.at("dur"), 1);
  EXPECT_TRUE(under_way.at("args").contains("cut"));
  EXPECT_TRUE(trace.Spans("path").empty());
}

void CheckNoOverlap(TraceFile& trace) {
  std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> spans;
  for (const Json& event : trace.Events("X")) {
    const std::int64_t start = event.at("args").value("start_ps", Picoseconds(event.at("ts")));
    const std::int64_t finish =
        event.at("args").value("finish_ps", start + Picoseconds(event.at("dur")));
    spans[TrackOf(event)].emplace_back(start, finish);
  }
  for (auto& [track, list] : spans) {
    std::ranges::sort(list);
    for (std::size_t i = 1; i < list.size(); ++i) {
      EXPECT_GE(list[i].first, list[i - 1].second)
          << "track " << track.first << "/" << track.second;
    }
  }
}

void CheckFlows(TraceFile& trace) {
  std::set<std::pair<Track, std::int64_t>> starts;
  for (const Json& event : trace.Events("X")) {
    starts.emplace(TrackOf(event), Picoseconds(event.at("ts")));
  }
  std::map<std::int64_t, std::int64_t> begun;
  for (const Json& event : trace.Events("s")) {
    EXPECT_TRUE(begun.emplace(event.at("id"), Picoseconds(event.at("ts"))).second);
    EXPECT_TRUE(starts.contains({TrackOf(event), Picoseconds(event.at("ts"))}));
  }
  for (const Json& event : trace.Events("f")) {
    const auto begin = begun.find(event.at("id"));
    ASSERT_NE(begin, begun.end());
    EXPECT_LE(begin->second, Picoseconds(event.at("ts")));
    EXPECT_TRUE(starts.contains({TrackOf(event), Picoseconds(event.at("ts"))}));
    begun.erase(begin);
  }
  EXPECT_TRUE(begun.empty());
}

void CheckMemory(TraceFile& trace, const SimulatedCase& made) {
  for (const sim::Device& device : made.both().hardware().devices) {
    const auto limit = trace.Counter("memory limit of " + device.name);
    std::int64_t before = 0;
    for (const auto& [time, bytes] : trace.Counter("memory of " + device.name)) {
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
    const auto samples = trace.Counter("ready on " + device.name);
    for (const auto& [time, length] : samples) {
      EXPECT_GE(length, 0);
    }
    EXPECT_TRUE(samples.empty() || samples.back().second == 0);
  }
}

TEST(PerfettoPropertyTest, FilesAreSoundUnderAllRules) {
  CaseLimits limits{.rules = {.gaps = true,
                              .dispatch = true,
                              .per_output = true,
                              .per_edge = true,
                              .fair = true,
                              .regal = true}};
  std::map<sim::Outcome, int> outcomes;
  for (std::uint64_t seed = 730'000; seed < 730'300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    limits.fuses = seed % 5 == 0;
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
      EXPECT_EQ(trace.Spans("kernel").size(), groups.size());
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
