#include "experiments/console/progress_line.h"

namespace opyard::experiments {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPauseOnTerminals{100};
constexpr std::chrono::milliseconds kPauseElsewhere{5000};

}  // namespace

ProgressLine::ProgressLine(const Console& console, bool is_quiet)
    : err_(console.err), is_quiet_(is_quiet), is_terminal_(console.err_is_terminal) {}

ProgressLine::~ProgressLine() {
  if (is_line_open_) {
    err_ << '\n';
  }
}

bool ProgressLine::IsDue() const {
  return Clock::now() - last_shown_ >= (is_terminal_ ? kPauseOnTerminals : kPauseElsewhere);
}

void ProgressLine::Show(const std::string& text) {
  if (is_quiet_) {
    return;
  }
  last_shown_ = Clock::now();
  err_ << (is_terminal_ ? "\r\033[K" : "") << text << (is_terminal_ ? "" : "\n") << std::flush;
  is_line_open_ = is_terminal_;
}

}  // namespace opyard::experiments
