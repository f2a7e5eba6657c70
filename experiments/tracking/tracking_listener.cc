#include "experiments/tracking/tracking_listener.h"

#include "experiments/store/folder_name.h"

namespace opyard::experiments {
namespace {

constexpr std::chrono::seconds kBetweenScalars{1};

Scalars ScalarsOf(const RunSoFar& so_far) {
  Scalars scalars = {{"search/failures", static_cast<double>(so_far.failures)}};
  if (so_far.best.has_value()) {
    scalars.emplace_back("search/best_step_time_s", so_far.best->seconds());
  }
  if (so_far.best_score.has_value()) {
    scalars.emplace_back("search/best_score", *so_far.best_score);
  }
  return scalars;
}

Scalars ScalarsOf(const agents::TrainingRow& update) {
  Scalars scalars = {{"learning/evaluations", static_cast<double>(update.evaluations)}};
  for (const auto& [name, value] : update.values) {
    scalars.emplace_back("learning/" + name, value);
  }
  return scalars;
}

Scalars ScalarsOf(const TrainingProgress& so_far) {
  Scalars scalars = {{"training/evaluations", static_cast<double>(so_far.evaluations)},
                     {"training/seconds", so_far.seconds}};
  for (const auto& [name, value] : so_far.values) {
    scalars.emplace_back("training/" + name, value);
  }
  return scalars;
}

}  // namespace

std::string RunNameOf(const CellKey& cell) {
  return FolderName(cell.graph) + "." + FolderName(cell.hardware) + "/" + FolderName(cell.agent) +
         "/seed" + std::to_string(cell.seed);
}

std::string TrainingRunName(const std::string& agent, std::int64_t seed) {
  return "training/" + FolderName(agent) + "/seed" + std::to_string(seed);
}

TrackingListener::TrackingListener(Tracker& tracker) : tracker_(tracker) {}

TrackingListener::~TrackingListener() {
  for (auto& [cell, search] : searches_) {
    Finish(search);
  }
  for (const std::string& run : trainings_) {
    tracker_.End(run);
  }
}

void TrackingListener::Noticed(const Notice& /*notice*/) {}

void TrackingListener::MatrixStarted(const MatrixStart& /*start*/) {}

void TrackingListener::TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) {
  const std::string run = TrainingRunName(agent, so_far.seed);
  const std::scoped_lock lock(mutex_);
  if (trainings_.insert(run).second) {
    tracker_.Begin(run, so_far.num_updates, Tracker::Former::kForgotten);
  }
  tracker_.Add(run, so_far.num_updates, ScalarsOf(so_far));
}

void TrackingListener::RunStarted(const CellKey& cell) {
  const std::scoped_lock lock(mutex_);
  Search& search = searches_[cell];
  search.run = RunNameOf(cell);
  tracker_.Begin(search.run, 0, Tracker::Former::kForgotten);
}

void TrackingListener::RunWentOn(const CellKey& cell, const RunSoFar& so_far) {
  const std::scoped_lock lock(mutex_);
  const auto found = searches_.find(cell);
  if (found == searches_.end()) {
    return;
  }
  Search& search = found->second;
  if (so_far.update.has_value()) {
    tracker_.Add(search.run, so_far.update->num_updates, ScalarsOf(*so_far.update));
  }
  search.last = so_far;
  search.last.update.reset();
  if (so_far.best_score != search.written_score ||
      Clock::now() - search.written >= kBetweenScalars) {
    Write(search);
  }
}

void TrackingListener::RunFinished(const RunRecord& record) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = searches_.find(record.cell); found != searches_.end()) {
    Finish(found->second);
    searches_.erase(found);
  }
}

void TrackingListener::Write(Search& search) {
  tracker_.Add(search.run, search.last.evaluations, ScalarsOf(search.last));
  search.written_evaluations = search.last.evaluations;
  search.written_score = search.last.best_score;
  search.written = Clock::now();
}

void TrackingListener::Finish(Search& search) {
  if (search.last.evaluations != search.written_evaluations) {
    Write(search);
  }
  tracker_.End(search.run);
}

}  // namespace opyard::experiments
