#include "experiments/text/terminal.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace opyard::experiments {
namespace {

constexpr std::size_t kFewestColumns = 20;
constexpr std::size_t kMostColumns = 1000;

// Empty where it is not set.
std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<std::size_t> ColumnsVariable() {
  const std::string_view text = Variable("COLUMNS");
  std::size_t columns = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  const bool is_number = error == std::errc() && stop == text.data() + text.size();
  return is_number && columns > 0 ? std::optional(columns) : std::nullopt;
}

std::optional<std::size_t> WindowColumns() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

bool HasUtf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view locale = Variable(name); !locale.empty()) {
      return locale.find("UTF-8") != std::string_view::npos ||
             locale.find("utf8") != std::string_view::npos;
    }
  }
  return false;
}

}  // namespace

Terminal DescribeTerminal(bool out_is_terminal) {
  Terminal terminal;
  std::optional<std::size_t> columns = ColumnsVariable();
  if (!columns.has_value() && out_is_terminal) {
    columns = WindowColumns();
  }
  terminal.columns = std::clamp(columns.value_or(terminal.columns), kFewestColumns, kMostColumns);
  terminal.has_color =
      out_is_terminal && Variable("NO_COLOR").empty() && Variable("TERM") != "dumb";
  terminal.has_unicode = HasUtf8Locale();
  return terminal;
}

}  // namespace opyard::experiments
