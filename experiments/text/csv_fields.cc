#include "experiments/text/csv_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// "a, b and c".
std::string Listed(std::span<const char* const> titles) {
  const std::vector<std::string> first(titles.begin(), titles.end() - 1);
  return JoinNames(first, first.size()) + " and " + titles.back();
}

template <class Number>
std::optional<Number> WholeField(const std::string& field) {
  Number number{};
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, number);
  const bool is_whole = error == std::errc() && stop == end;
  return is_whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::size_t> FindColumns(const std::vector<CsvRow>& rows,
                                     std::span<const char* const> titles,
                                     const std::string& place) {
  const std::vector<std::string> found = rows.empty() ? std::vector<std::string>{} : rows[0].fields;
  std::vector<std::size_t> columns;
  for (const char* title : titles) {
    const auto column = std::ranges::find(found, title);
    if (column == found.end()) {
      throw InputError(place + ":1: found " +
                       (found.empty() ? "no line of titles" : "the columns " + JoinNames(found)) +
                       ", expected " + Listed(titles));
    }
    columns.push_back(static_cast<std::size_t>(column - found.begin()));
  }
  return columns;
}

std::optional<double> NumberIn(const std::string& field) {
  const auto number = WholeField<double>(field);
  return number.has_value() && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::int64_t> CountIn(const std::string& field) {
  const auto count = WholeField<std::int64_t>(field);
  return count.has_value() && *count >= 0 ? count : std::nullopt;
}

std::optional<SimTime> TimeIn(const std::string& field) {
  const auto seconds = WholeField<double>(field);
  const bool fits = seconds.has_value() && FitsInSimTime(*seconds);
  return fits ? std::optional(SimTime::FromSeconds(*seconds)) : std::nullopt;
}

}  // namespace opyard::experiments
