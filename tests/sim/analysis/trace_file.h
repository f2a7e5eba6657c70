// Trace files, read back as JSON.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/analysis/perfetto.h"
#include "tests/support/simulated_case.h"

namespace opyard::testing {

inline std::string TraceText(const SimulatedCase& made) {
  std::vector<sim::CriticalPart> path;
  if (made.report().result.outcome == sim::Outcome::kCompleted) {
    path = sim::CriticalPath(made.timeline(), made.both().hardware());
  }
  std::ostringstream out;
  sim::WriteTraceEvents(made.step(), made.timeline(), path, out);
  return out.str();
}

using Track = std::pair<std::int64_t, std::int64_t>;  // process, thread

inline Track TrackOf(const nlohmann::json& event) {
  return {event.at("pid"), event.at("tid")};
}

// `ts` and `dur` count microseconds; small ones are exact to the picosecond as doubles.
inline std::int64_t Picoseconds(const nlohmann::json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

// The events of one file by their phase ("X", "C", "s", "f", "M").
class TraceFile {
 public:
  explicit TraceFile(const SimulatedCase& made) : json_(nlohmann::json::parse(TraceText(made))) {
    for (const nlohmann::json& event : json_.at("traceEvents")) {
      events_[event.at("ph")].push_back(event);
    }
  }

  [[nodiscard]] const nlohmann::json& json() const { return json_; }
  [[nodiscard]] const std::vector<nlohmann::json>& Events(const std::string& phase) {
    return events_[phase];
  }

  // The spans of `category`.
  [[nodiscard]] std::vector<nlohmann::json> Spans(const std::string& category) {
    std::vector<nlohmann::json> spans;
    for (const nlohmann::json& event : Events("X")) {
      if (event.at("cat") == category) {
        spans.push_back(event);
      }
    }
    return spans;
  }

  // The names of all tracks of process `pid`, by thread.
  [[nodiscard]] std::vector<std::string> TrackNames(std::int64_t pid) {
    std::map<std::int64_t, std::string> names;
    for (const nlohmann::json& event : Events("M")) {
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
    for (const nlohmann::json& event : Events("C")) {
      if (event.at("name") == name) {
        samples.emplace_back(Picoseconds(event.at("ts")), event.at("args").begin().value());
      }
    }
    return samples;
  }

 private:
  nlohmann::json json_;
  std::map<std::string, std::vector<nlohmann::json>> events_;
};

}  // namespace opyard::testing
