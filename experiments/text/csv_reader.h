// Reads comma-separated values (RFC 4180), with \n or \r\n as the line's end. Blanks around fields,
// outside of quotes, do not count.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::experiments {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

// The rows of `text`, the line of titles first. Empty lines are left out. Throws InputError
// "`place`:LINE: …" for a quote that is not closed or followed by something else, and for a row
// that has not as many fields as there are titles.
[[nodiscard]] std::vector<CsvRow> ReadCsv(std::string_view text, const std::string& place);

}  // namespace opyard::experiments
