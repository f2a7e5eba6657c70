// A line on standard error that says how far a long command is.
#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

// On a terminal the line is rewritten, ten times a second at most; else there is a new one every
// five seconds. Used by one thread at a time.
class ProgressLine {
 public:
  // A quiet one says nothing. `console.err` outlives this.
  ProgressLine(const Console& console, bool is_quiet);
  // Ends the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether it is time for the next text.
  [[nodiscard]] bool IsDue() const;
  void Show(const std::string& text);

 private:
  std::ostream& err_;
  bool is_quiet_;
  bool is_terminal_;
  bool is_line_open_ = false;
  std::chrono::steady_clock::time_point last_shown_;
};

}  // namespace opyard::experiments
