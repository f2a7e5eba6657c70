#include "experiments/runner/console/console_listener.h"

#include "experiments/runner/console/notice_printing.h"
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
    const std::string why = record.failure.empty() ? record.outcome : OneLine(record.failure);
    return "failed: " + why + ", " + figures;
  }
  return TimeText(*record.makespan) + ", " + figures;
}

}  // namespace

ConsoleListener::ConsoleListener(std::ostream& err, ProgressStyle style)
    : err_(err), style_(style) {}

ConsoleListener::~ConsoleListener() {
  if (is_line_open_) {
    err_ << '\n' << std::flush;
  }
}

void ConsoleListener::Noticed(const Notice& notice) {
  const std::scoped_lock lock(mutex_);
  PrintNotice(notice, err_);
}

void ConsoleListener::MatrixStarted(std::size_t num_runs, std::size_t num_done) {
  const std::scoped_lock lock(mutex_);
  num_runs_ = num_runs;
  num_done_ = num_done;
}

// A run is first heard of when it goes on.
void ConsoleListener::RunStarted(const CellKey& /*cell*/) {}

void ConsoleListener::RunWentOn(const CellKey& cell, const RunSoFar& so_far) {
  if (style_ != ProgressStyle::kBar) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_shown_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_shown_ = now;
  Show(cell,
       std::to_string(so_far.evaluations) + " evaluations" +
           (so_far.best.has_value() ? ", best " + TimeText(*so_far.best) : std::string()));
}

void ConsoleListener::RunFinished(const RunRecord& record) {
  const std::scoped_lock lock(mutex_);
  ++num_done_;
  if (style_ != ProgressStyle::kSilent) {
    Show(record.cell, AnswerOf(record));
  }
}

void ConsoleListener::Show(const CellKey& cell, const std::string& what) {
  const std::string line = "[" + std::to_string(num_done_) + "/" + std::to_string(num_runs_) +
                           "] " + NameOf(cell) + ": " + what;
  if (style_ == ProgressStyle::kBar) {
    err_ << '\r' << line << "\033[K" << std::flush;
    is_line_open_ = true;
  } else {
    err_ << line << '\n' << std::flush;
  }
}

}  // namespace opyard::experiments
