#include "experiments/runner/runs/progress.h"

#include "experiments/text/figures.h"

namespace opyard::experiments {
namespace {

std::string NameOf(const CellKey& cell) {
  return OneLine(cell.graph + " · " + cell.hardware + " · " + cell.agent + " · seed " +
                 std::to_string(cell.seed));
}

std::string AnswerOf(const RunRecord& record) {
  const std::string figures =
      std::to_string(record.evaluations) + " evaluations, " + Fixed(record.seconds, 2) + " s";
  if (record.status == RunStatus::kFailed || !record.makespan.has_value()) {
    return "failed: " + record.outcome + ", " + figures;
  }
  return TimeText(*record.makespan) + ", " + figures;
}

}  // namespace

Progress::Progress(std::ostream& err,
                   ProgressStyle style,
                   std::size_t num_runs,
                   std::size_t num_done)
    : err_(err), style_(style), num_runs_(num_runs), num_done_(num_done) {}

Progress::~Progress() {
  if (is_line_open_) {
    err_ << '\n' << std::flush;
  }
}

void Progress::Searching(const CellKey& cell,
                         std::int64_t evaluations,
                         std::optional<SimTime> best) {
  if (style_ != ProgressStyle::kBar) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_shown_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_shown_ = now;
  Show("[" + std::to_string(num_done_) + "/" + std::to_string(num_runs_) + "] " + NameOf(cell) +
       ": " + std::to_string(evaluations) + " evaluations" +
       (best.has_value() ? ", best " + TimeText(*best) : std::string()));
}

void Progress::Finished(const RunRecord& record) {
  const std::scoped_lock lock(mutex_);
  ++num_done_;
  if (style_ != ProgressStyle::kSilent) {
    Show("[" + std::to_string(num_done_) + "/" + std::to_string(num_runs_) + "] " +
         NameOf(record.cell) + ": " + AnswerOf(record));
  }
}

void Progress::Show(const std::string& line) {
  if (style_ == ProgressStyle::kBar) {
    err_ << '\r' << line << "\033[K" << std::flush;
    is_line_open_ = true;
  } else {
    err_ << line << '\n' << std::flush;
  }
}

}  // namespace opyard::experiments
