#include "graphs/importers/doppler/number_line.h"

#include <algorithm>

namespace opyard::graphs {
namespace {

constexpr std::string_view kBlanks = " \t\r";

}  // namespace

bool NumberLines::NextLine() {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  at_ = 0;
  column_ = 1;
  return true;
}

bool NumberLines::IsBlank() const {
  return line_.find_first_not_of(kBlanks) == std::string_view::npos;
}

std::optional<std::string_view> NumberLines::NextField() {
  const std::size_t begin = line_.find_first_not_of(kBlanks, at_);
  column_ = std::min(begin, line_.size()) + 1;
  if (begin == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t comma = std::min(line_.find(',', begin), line_.size());
  at_ = std::min(comma + 1, line_.size());
  const std::string_view field = line_.substr(begin, comma - begin);
  return field.substr(0, field.find_last_not_of(kBlanks) + 1);
}

std::string NumberLines::Place() const {
  return std::to_string(number_) + ":" + std::to_string(column_);
}

}  // namespace opyard::graphs
