// Finds the columns of a table by their titles, and reads numbers from its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/text/csv_reader.h"
#include "sim/base/units.h"

namespace opyard::experiments {

// Where each of `titles` stands in the first of `rows`. Throws InputError "`place`:1: …" with the
// titles that are there, and those that are expected, if one is missing.
[[nodiscard]] std::vector<std::size_t> FindColumns(const std::vector<CsvRow>& rows,
                                                   std::span<const char* const> titles,
                                                   const std::string& place);

// The whole field as a number; nothing for anything else.
[[nodiscard]] std::optional<double> NumberIn(const std::string& field);       // finite
[[nodiscard]] std::optional<std::int64_t> CountIn(const std::string& field);  // whole, from 0
// Seconds, from 0 to kLargestSeconds.
[[nodiscard]] std::optional<SimTime> TimeIn(const std::string& field);

}  // namespace opyard::experiments
