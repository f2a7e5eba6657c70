#include "experiments/cli/tracking_arguments.h"

#include <optional>

#include "experiments/console/out_file.h"
#include "experiments/matrix/reproduce.h"
#include "sim/base/output_file.h"

namespace opyard::experiments {

void AddTracking(CLI::App& subcommand, TrackingOptions& options) {
  subcommand
      .add_option("--tensorboard",
                  options.events_folder,
                  "write TensorBoard event files below this folder as it goes on")
      ->type_name("DIR");
  subcommand
      .add_option("--progress-json",
                  options.lines_file,
                  "add a line of JSON to this file for each step; - is standard output")
      ->type_name("FILE");
}

Console ConsoleBeside(const TrackingOptions& options, bool json, const Console& console) {
  const OutFile lines(options.lines_file, console);
  if (json) {
    lines.RefuseJson("--progress-json");
  }
  return {.out = lines.text(),
          .err = console.err,
          .out_is_terminal = lines.text_is_terminal(),
          .err_is_terminal = console.err_is_terminal,
          .interrupt = console.interrupt,
          .agents = console.agents};
}

std::unique_ptr<Tracker> MakeTracker(const TrackingOptions& options, const Console& console) {
  if (options.events_folder.empty() && options.lines_file.empty()) {
    return nullptr;
  }
  TrackerOptions wanted{.events_folder = options.events_folder, .lines_file = options.lines_file};
  if (IsStandardOutput(options.lines_file)) {
    wanted.lines_stream = &console.out;
  }
  return std::make_unique<Tracker>(wanted);
}

void WarnOfLoss(const Tracker* tracker, const Console& console) {
  const auto problem = tracker == nullptr ? std::nullopt : tracker->problem();
  if (problem.has_value()) {
    console.err << "warning: " << *problem << '\n';
  }
}

std::string TrackingWords(const TrackingOptions& options) {
  std::string words;
  if (!options.events_folder.empty()) {
    words += " --tensorboard " + ShellQuoted(options.events_folder);
  }
  if (!options.lines_file.empty()) {
    words += " --progress-json " + ShellQuoted(options.lines_file);
  }
  return words;
}

}  // namespace opyard::experiments
