// Capabilities of the terminal.
#pragma once

#include <cstddef>

namespace opyard::experiments {

struct Terminal {
  std::size_t columns = 80;
  bool has_color = false;
  bool has_unicode = false;
};

// The terminal at standard output, or what a file or pipe there stands for: 80 columns, no colour.
// COLUMNS overrides the width; NO_COLOR (no-color.org) and TERM=dumb forbid colour; Unicode needs a
// locale in UTF-8 (LC_ALL, else LC_CTYPE, else LANG).
[[nodiscard]] Terminal DescribeTerminal(bool out_is_terminal);

}  // namespace opyard::experiments
