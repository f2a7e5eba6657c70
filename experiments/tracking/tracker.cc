#include "experiments/tracking/tracker.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "experiments/tracking/event_record.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

double UnixTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": cannot make this folder: " + error.message());
  }
}

// The folder is made later: it may lie in one that is to be empty when the work begins.
void CheckFolder(const fs::path& folder) {
  std::error_code ignored;
  fs::path found = fs::absolute(folder).lexically_normal();
  while (!fs::exists(found, ignored) && found.has_relative_path()) {
    found = found.parent_path();
  }
  if (!fs::is_directory(found, ignored) || access(found.c_str(), W_OK | X_OK) != 0) {
    throw InputError(folder.string() + ": cannot make this folder: " + found.string() +
                     " is no folder that can be written to");
  }
}

// A new file of the folder. Readers take files in the order of their names: first by second, then
// by a number, that of the process last.
fs::path NewEventFile(const fs::path& folder, double unix_time_s) {
  std::error_code ignored;
  for (int number = 0;; ++number) {
    char name[80];
    std::snprintf(name,
                  sizeof name,
                  "events.out.tfevents.%010lld.%06d",
                  static_cast<long long>(unix_time_s),
                  number);
    bool is_taken = false;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      is_taken = is_taken || entry.path().filename().string().starts_with(name);
    }
    if (!is_taken) {
      return folder / (name + std::string(".") + std::to_string(getpid()) + ".opyard");
    }
  }
}

std::string LineOf(const std::string& run, const ScalarsPlace& at, const Scalars& scalars) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const auto& [name, value] : scalars) {
    if (std::isfinite(value)) {
      values[name] = value;
    }
  }
  return nlohmann::ordered_json{
             {"run", run}, {"step", at.step}, {"unix_time_s", at.unix_time_s}, {"values", values}}
             .dump() +
         "\n";
}

}  // namespace

Tracker::Tracker(const TrackerOptions& options)
    : events_folder_(options.events_folder), lines_name_(options.lines_file) {
  if (!events_folder_.empty()) {
    CheckFolder(events_folder_);
  }
  if (options.lines_stream != nullptr) {
    lines_name_ = "standard output";
    lines_ = std::make_unique<GrowingFile>(*options.lines_stream);
  } else if (!lines_name_.empty()) {
    lines_ = std::make_unique<GrowingFile>(fs::path(lines_name_));
  }
}

Tracker::~Tracker() = default;

void Tracker::Begin(const std::string& run, std::int64_t step, Former former) {
  if (events_folder_.empty()) {
    return;
  }
  const double now = UnixTime();
  const std::scoped_lock lock(mutex_);
  try {
    MakeFolder(events_folder_ / run);
    auto file = std::make_unique<GrowingFile>(NewEventFile(events_folder_ / run, now));
    file->Append(VersionRecord(now));
    if (former == Former::kForgotten) {
      file->Append(RestartRecord({.step = step, .unix_time_s = now}));
    }
    file->Flush();
    events_[run] = std::move(file);
  } catch (const InputError& error) {
    problem_ = problem_.value_or(error.what());
  }
}

void Tracker::Add(const std::string& run, std::int64_t step, const Scalars& scalars) {
  if (scalars.empty()) {
    return;
  }
  const ScalarsPlace at{.step = step, .unix_time_s = UnixTime()};
  const std::scoped_lock lock(mutex_);
  if (const auto file = events_.find(run); file != events_.end()) {
    file->second->Append(ScalarsRecord(at, scalars));
    if (file->second->is_lost()) {
      Lose((events_folder_ / run).string());
    }
  }
  if (lines_ != nullptr) {
    lines_->Append(LineOf(run, at, scalars));
    if (lines_->is_lost()) {
      Lose(lines_name_);
    }
  }
}

void Tracker::End(const std::string& run) {
  const std::scoped_lock lock(mutex_);
  if (const auto file = events_.find(run); file != events_.end()) {
    file->second->Flush();
    if (file->second->is_lost()) {
      Lose((events_folder_ / run).string());
    }
    events_.erase(file);
  }
  if (lines_ != nullptr) {
    lines_->Flush();
    if (lines_->is_lost()) {
      Lose(lines_name_);
    }
  }
}

std::optional<std::string> Tracker::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

void Tracker::Lose(const std::string& file) {
  problem_ = problem_.value_or(file + ": cannot be written any more, and stays incomplete");
}

}  // namespace opyard::experiments
