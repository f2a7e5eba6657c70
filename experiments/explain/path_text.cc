#include "experiments/explain/path_text.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/analysis/span_names.h"

namespace opyard::experiments {
namespace {

using sim::CriticalPart;
using sim::PartKind;
using sim::SpanKind;

constexpr std::size_t kMostStretches = 24;

constexpr std::array<const char*, sim::kNumPartKinds> kPlurals = {"kernels",
                                                                  "transfers",
                                                                  "signals",
                                                                  "queue waits",
                                                                  "channel waits",
                                                                  "stream heads",
                                                                  "channel turns",
                                                                  "memory waits",
                                                                  "dispatch",
                                                                  "gaps",
                                                                  "releases",
                                                                  "memory bandwidth"};

// Consecutive parts that one line describes.
struct Stretch {
  std::span<const CriticalPart> parts;

  [[nodiscard]] SimTime duration() const { return parts.back().finish - parts.front().start; }
};

class PathReporter {
 public:
  PathReporter(const sim::SimulatedStep& step, const sim::Timeline& timeline)
      : step_(step), t_(timeline), names_(step.graph, timeline) {}

  [[nodiscard]] bool BelongTogether(const CriticalPart& a, const CriticalPart& b) const {
    if (a.kind != b.kind || a.kind == PartKind::kTransfer) {
      return false;
    }
    return a.kind == PartKind::kKernel ? DeviceOf(a) == DeviceOf(b) : a.subject == b.subject;
  }

  [[nodiscard]] std::string Sentence(const Stretch& stretch) const {
    const CriticalPart& part = stretch.parts.front();
    const std::string subject = Name(part.subject);
    switch (part.kind) {
      case PartKind::kKernel:
        return Several(stretch, &CriticalPart::subject) +
               (stretch.parts.size() == 1 ? " runs on " : " run on ") + DeviceOf(part);
      case PartKind::kTransfer:
        return subject + " goes from " + Source(part) + " to " + Destinations(part);
      case PartKind::kSignal:
        return "the end of " + Name(*part.behind) + " becomes known to " + subject + " on " +
               DeviceOf(part);
      case PartKind::kQueueWait:
        return subject + " is ready on " + DeviceOf(part) + ", which runs " + Blockers(stretch);
      case PartKind::kChannelWait:
        return subject + " waits for " + SharedChannel(part) + ", taken by " + Blockers(stretch);
      case PartKind::kStreamHead:
        return subject + " is ready on " + DeviceOf(part) + ", whose stream waits for " +
               Blockers(stretch);
      case PartKind::kChannelTurn:
        return subject + " waits for its turn, behind " + Blockers(stretch);
      case PartKind::kMemoryWait:
        return subject + " waits for memory on " +
               (part.subject.kind == SpanKind::kKernel ? DeviceOf(part) : Destinations(part));
      case PartKind::kDispatch:
        return subject + " has its inputs on " + DeviceOf(part) + ", the host has not issued it";
      case PartKind::kGap:
        return Gap(part, subject);
      case PartKind::kRelease:
        return subject + " has its inputs on " + DeviceOf(part) + " and waits for its release";
      case PartKind::kMemoryBandwidth:
        return subject + " runs longer on " + DeviceOf(part) + ", whose memory others use, too";
    }
    return "";
  }

 private:
  [[nodiscard]] std::string Name(sim::SpanId span) const { return OneLine(names_.Of(span)); }

  [[nodiscard]] std::string DeviceName(DeviceId device) const {
    return OneLine(step_.hardware.devices[device.index()].name);
  }
  // REQUIRES: the part is of a kernel.
  [[nodiscard]] std::string DeviceOf(const CriticalPart& part) const {
    return DeviceName(t_.kernels[static_cast<std::size_t>(part.subject.index)].device);
  }
  [[nodiscard]] std::string Source(const CriticalPart& part) const {
    return DeviceName(t_.transfers[static_cast<std::size_t>(part.subject.index)].src);
  }
  [[nodiscard]] std::string Destinations(const CriticalPart& part) const {
    return OneLine(
        names_.Destinations(step_.hardware, static_cast<std::size_t>(part.subject.index)));
  }

  // "a", or "3 kernels, a … c,".
  [[nodiscard]] std::string Several(const Stretch& stretch, sim::SpanId CriticalPart::*of) const {
    const std::string first = Name(stretch.parts.front().*of);
    if (stretch.parts.size() == 1) {
      return first;
    }
    return std::to_string(stretch.parts.size()) + " kernels, " + first + " … " +
           Name(stretch.parts.back().*of) + ",";
  }

  // "a", or "3, the last c".
  [[nodiscard]] std::string Blockers(const Stretch& stretch) const {
    const std::string last = Name(*stretch.parts.back().behind);
    return stretch.parts.size() == 1
               ? last
               : std::to_string(stretch.parts.size()) + " in a row, the last " + last;
  }

  [[nodiscard]] std::string SharedChannel(const CriticalPart& part) const {
    const auto ours = t_.channels_of(static_cast<std::size_t>(part.subject.index));
    const auto theirs = t_.channels_of(static_cast<std::size_t>(part.behind->index));
    const auto shared = std::ranges::find_first_of(ours, theirs);
    return OneLine(t_.channel_names[shared->index()]);
  }

  [[nodiscard]] std::string Gap(const CriticalPart& part, const std::string& subject) const {
    const bool is_kernel = part.subject.kind == SpanKind::kKernel;
    if (part.behind == part.subject) {
      return (is_kernel ? DeviceOf(part) + " rests" : "its channels rest") + " after " + subject;
    }
    const std::string waits =
        is_kernel ? subject + " is ready on " + DeviceOf(part) + ", which rests after "
                  : subject + " waits for " + SharedChannel(part) + ", at rest after ";
    return waits + Name(*part.behind);
  }

  const sim::SimulatedStep& step_;
  const sim::Timeline& t_;
  const sim::SpanNames names_;
};

// Parts without a length are left out.
std::vector<Stretch> StretchesOf(const PathReporter& reporter, std::span<const CriticalPart> path) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].duration() == SimTime{}) {
      continue;
    }
    std::size_t end = i + 1;
    while (end < path.size() && path[end].duration() > SimTime{} &&
           reporter.BelongTogether(path[i], path[end])) {
      ++end;
    }
    stretches.push_back({path.subspan(i, end - i)});
    i = end - 1;
  }
  return stretches;
}

// The longest, in order of time.
std::vector<Stretch> Longest(std::vector<Stretch> stretches, std::size_t most) {
  std::ranges::stable_sort(stretches, std::ranges::greater(), &Stretch::duration);
  stretches.resize(std::min(stretches.size(), most));
  std::ranges::sort(stretches, {}, [](const Stretch& s) { return s.parts.front().start; });
  return stretches;
}

std::string TotalsText(SimTime makespan, std::span<const CriticalPart> path) {
  TextTable table({{.title = "critical path"},
                   {.title = "time", .align = Align::kRight},
                   {.title = "share", .align = Align::kRight}});
  const TimeUnit unit = UnitOf(makespan);
  const auto totals = sim::TimeByKind(path);
  for (std::size_t kind = 0; kind < totals.size(); ++kind) {
    if (totals[kind] > SimTime{}) {
      table.AddRow(
          {kPlurals[kind], ExactTimeText(totals[kind], unit), PercentText(totals[kind], makespan)});
    }
  }
  table.AddRow({"makespan", ExactTimeText(makespan, unit), PercentText(makespan, makespan)});
  return table.Text();
}

std::vector<PathStretch> InWords(const PathReporter& reporter, const std::vector<Stretch>& listed) {
  std::vector<PathStretch> stretches;
  for (const Stretch& stretch : listed) {
    stretches.push_back({.kind = stretch.parts.front().kind,
                         .start = stretch.parts.front().start,
                         .duration = stretch.duration(),
                         .sentence = reporter.Sentence(stretch)});
  }
  return stretches;
}

}  // namespace

std::vector<PathStretch> LongestStretches(const sim::SimulatedStep& step,
                                          const sim::Timeline& timeline,
                                          std::span<const CriticalPart> path) {
  const PathReporter reporter(step, timeline);
  return InWords(reporter, Longest(StretchesOf(reporter, path), kMostStretches));
}

std::string PathText(const sim::SimulatedStep& step,
                     const sim::Timeline& timeline,
                     std::span<const CriticalPart> path) {
  const PathReporter reporter(step, timeline);
  const std::vector<Stretch> all = StretchesOf(reporter, path);
  const std::vector<PathStretch> listed = InWords(reporter, Longest(all, kMostStretches));
  TextTable table({{.title = "at", .align = Align::kRight},
                   {.title = "for", .align = Align::kRight},
                   {.title = "what"}});
  const TimeUnit unit = UnitOf(timeline.end);
  SimTime rest = timeline.end;
  for (const PathStretch& stretch : listed) {
    table.AddRow(
        {TimeText(stretch.start, unit), TimeText(stretch.duration, unit), stretch.sentence});
    rest = rest - stretch.duration;
  }
  if (listed.size() < all.size()) {
    table.AddRow({"",
                  TimeText(rest, unit),
                  std::to_string(all.size() - listed.size()) + " shorter stretches between these"});
  }
  return TotalsText(timeline.end, path) + "\n" + table.Text();
}

}  // namespace opyard::experiments
