#include "experiments/console/console_listener.h"

#include "experiments/console/notice_printing.h"
#include "experiments/text/number_format.h"

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

std::string TextOf(const RunSoFar& so_far) {
  return std::to_string(so_far.evaluations) + " evaluations" +
         (so_far.best.has_value() ? ", best " + TimeText(*so_far.best) : std::string());
}

// The first `columns` characters of a line of UTF-8 (ColumnsOf).
std::string Cut(const std::string& line, std::size_t columns) {
  if (ColumnsOf(line) <= columns) {
    return line;
  }
  std::string cut;
  std::size_t num_columns = 0;
  for (const char c : line) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    num_columns += begins ? 1 : 0;
    if (num_columns >= columns) {
      break;
    }
    cut += c;
  }
  return cut + "…";
}

}  // namespace

ConsoleListener::ConsoleListener(std::ostream& err, ProgressStyle style, std::size_t columns)
    : err_(err), style_(style), columns_(columns) {
  if (style_ == ProgressStyle::kLines) {
    last_shown_ = Clock::now();
  }
}

ConsoleListener::~ConsoleListener() {
  if (is_line_open_) {
    err_ << (num_runs_ == 0 ? "\r\033[K" : "\n") << std::flush;
  }
}

void ConsoleListener::Noticed(const Notice& notice) {
  const std::scoped_lock lock(mutex_);
  PrintNotice(notice, err_);
}

void ConsoleListener::MatrixStarted(const MatrixStart& start) {
  const std::scoped_lock lock(mutex_);
  num_runs_ = start.num_runs;
  num_done_ = start.num_done;
  time_left_.emplace(start);
}

void ConsoleListener::TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) {
  const std::scoped_lock lock(mutex_);
  if (!IsDue() && so_far.num_updates != so_far.planned_updates) {
    return;
  }
  if (style_ != ProgressStyle::kSilent) {
    Show(OneLine("training " + agent) + ": update " + std::to_string(so_far.num_updates) + " of " +
         std::to_string(so_far.planned_updates) + ", " + Fixed(so_far.seconds, 0) + " s");
  }
}

void ConsoleListener::RunStarted(const CellKey& cell) {
  const std::scoped_lock lock(mutex_);
  running_[cell] = {.start = Clock::now(), .so_far = {}};
}

void ConsoleListener::RunWentOn(const CellKey& cell, const RunSoFar& so_far) {
  if (style_ == ProgressStyle::kSilent) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  running_[cell].so_far = so_far;
  if (IsDue()) {
    Show(RunningText());
  }
}

void ConsoleListener::RunFinished(const RunRecord& record) {
  const std::scoped_lock lock(mutex_);
  ++num_done_;
  running_.erase(record.cell);
  if (time_left_.has_value()) {
    time_left_->Finish(record.cell.agent, record.seconds);
  }
  if (style_ != ProgressStyle::kSilent) {
    Show(NameOf(record.cell) + ": " + AnswerOf(record));
  }
}

bool ConsoleListener::IsDue() {
  using std::chrono::milliseconds;
  const auto now = Clock::now();
  if (now - last_shown_ <
      (style_ == ProgressStyle::kBar ? milliseconds(100) : milliseconds(60'000))) {
    return false;
  }
  last_shown_ = now;
  return true;
}

std::string ConsoleListener::RunningText() const {
  std::string text;
  for (const auto& [cell, running] : running_) {
    text += (text.empty() ? "" : " | ") + NameOf(cell) + ": " + TextOf(running.so_far);
  }
  return text;
}

std::string ConsoleListener::TimeLeftText() const {
  double running_s = 0.0;
  for (const auto& [cell, running] : running_) {
    running_s += std::chrono::duration<double>(Clock::now() - running.start).count();
  }
  const auto estimate = time_left_.has_value() ? time_left_->Get(running_s) : std::nullopt;
  return estimate.has_value() ? ", " + TextOf(*estimate) : "";
}

void ConsoleListener::Show(const std::string& what) {
  const std::string head =
      num_runs_ == 0 ? std::string()
                     : "[" + std::to_string(num_done_) + "/" + std::to_string(num_runs_) + "] ";
  const std::string tail = TimeLeftText();
  if (style_ != ProgressStyle::kBar) {
    err_ << head << what << tail << '\n' << std::flush;
    return;
  }
  const std::size_t others = ColumnsOf(head) + ColumnsOf(tail);
  err_ << '\r' << head << Cut(what, columns_ > others + 8 ? columns_ - others - 1 : 8) << tail
       << "\033[K" << std::flush;
  is_line_open_ = true;
}

}  // namespace opyard::experiments
