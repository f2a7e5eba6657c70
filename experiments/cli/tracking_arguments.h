// Arguments of subcommands whose progress other programs follow (docs/tracking.md).
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/console/console.h"
#include "experiments/tracking/tracker.h"

namespace opyard::experiments {

struct TrackingOptions {
  std::string events_folder;  // --tensorboard; empty: none
  std::string lines_file;     // --progress-json; empty: none; "-": standard output
};

// The variables that the arguments are read into outlive the subcommand.
void AddTracking(CLI::App& subcommand, TrackingOptions& options);

// The console of a subcommand: where standard output takes the lines, its text goes to standard
// error. Throws InputError where --json asks for standard output, too.
[[nodiscard]] Console ConsoleBeside(const TrackingOptions& options,
                                    bool json,
                                    const Console& console);

// Null if nothing is asked for. Throws InputError if something cannot be written. `console`, not
// one of ConsoleBeside, outlives it.
[[nodiscard]] std::unique_ptr<Tracker> MakeTracker(const TrackingOptions& options,
                                                   const Console& console);

// Warns of what could not be written. `tracker` may be null.
void WarnOfLoss(const Tracker* tracker, const Console& console);

// The arguments as they were given, each after a space: for a command that goes on.
[[nodiscard]] std::string TrackingWords(const TrackingOptions& options);

}  // namespace opyard::experiments
