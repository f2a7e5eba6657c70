// Scalars of runs, written for other programs while work goes on (docs/tracking.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>

#include "experiments/tracking/growing_file.h"
#include "experiments/tracking/scalars.h"

namespace opyard::experiments {

struct TrackerOptions {
  std::string events_folder;             // of TensorBoard; empty: none
  std::string lines_file;                // of JSON lines; empty: none
  std::ostream* lines_stream = nullptr;  // in place of a file
};

// A run is a folder of event files, and a word in lines of JSON: "inception_v3.two/brkga/seed0".
// What cannot be written stops no work: `problem` says so at the end. Thread-safe.
class Tracker {
 public:
  // Makes no folder yet. Throws InputError if that of events cannot be made, or the file of lines
  // not be written.
  explicit Tracker(const TrackerOptions& options);
  ~Tracker();
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  // Where a run goes on, and what becomes of what is there of it.
  enum class Former : std::uint8_t {
    kForgotten,  // from `step` on: readers of event files leave it out
    kKept,
  };
  // A run is written from `step` on.
  void Begin(const std::string& run, std::int64_t step, Former former);
  // REQUIRES: the run has begun, and not ended.
  void Add(const std::string& run, std::int64_t step, const Scalars& scalars);
  void End(const std::string& run);

  // What could not be written, if anything: a file, and that it stays incomplete.
  [[nodiscard]] std::optional<std::string> problem() const;

 private:
  void Lose(const std::string& file);

  std::filesystem::path events_folder_;
  std::string lines_name_;
  std::unique_ptr<GrowingFile> lines_;                          // null: none
  mutable std::mutex mutex_;                                    // guards what follows, and writing
  std::map<std::string, std::unique_ptr<GrowingFile>> events_;  // of the runs under way
  std::optional<std::string> problem_;
};

}  // namespace opyard::experiments
