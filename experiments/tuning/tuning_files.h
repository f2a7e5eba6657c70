// The files of a tuning.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "experiments/tuning/trials.h"
#include "sim/base/options.h"

namespace opyard::experiments {

inline constexpr const char* kTunedFile = "tuned.json";          // what was found
inline constexpr const char* kTuningFile = "tuning-state.json";  // what a tuning goes on from

// A line of JSON per name.
using TuningRecord = std::map<std::string, std::string>;

// All that a tuning needs to go on.
struct TuningState {
  TuningRecord conditions;
  TrialScores scores;
  std::int64_t evaluations = 0;
  double seconds = 0.0;  // of wall time
};

// Throws InputError if the file is not one that WriteTuningState wrote.
[[nodiscard]] TuningState ReadTuningState(const std::filesystem::path& path);
// As a whole: whatever kills the process, the old file stands or the new one.
void WriteTuningState(const std::filesystem::path& path, const TuningState& state);

// Writes the parameters that an agent takes as tuned (docs/formats.md, "Tuning").
void WriteTuned(const std::filesystem::path& path,
                const std::string& agent,
                const Options& params,
                const TuningRecord& record);

}  // namespace opyard::experiments
