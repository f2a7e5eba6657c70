#include "experiments/statistics/optima.h"

#include <array>
#include <optional>

#include "experiments/text/csv_fields.h"
#include "experiments/text/csv_reader.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

constexpr std::array<const char*, 4> kOptimaTitles = {"graph", "machine", "makespan_s", "proven"};
// Nothing for what is no time above 0.
std::optional<SimTime> MakespanIn(const std::string& field) {
  const std::optional<SimTime> makespan = TimeIn(field);
  return makespan.value_or(SimTime{}) > SimTime{} ? makespan : std::nullopt;
}

OptimumRow ReadRow(const CsvRow& row,
                   const std::vector<std::size_t>& columns,
                   const std::string& place,
                   Diagnostics& diagnostics) {
  const auto field = [&](std::size_t title) -> const std::string& {
    return row.fields[columns[title]];
  };
  OptimumRow read{.graph = field(0), .machine = field(1), .place = place};
  if (read.graph.empty() || read.machine.empty()) {
    diagnostics.AddError(place, "found no graph or no machine, expected both");
  }
  const std::optional<SimTime> makespan = MakespanIn(field(2));
  if (!makespan.has_value()) {
    diagnostics.AddError(
        place,
        "makespan_s: found " + Quoted(field(2)) + ", expected seconds, above 0 and at most 4.6e6");
  }
  read.optimum = {.makespan = makespan.value_or(SimTime{}), .is_proven = field(3) == "true"};
  if (field(3) != "true" && field(3) != "false") {
    diagnostics.AddError(place, "proven: found " + Quoted(field(3)) + ", expected true or false");
  }
  return read;
}

}  // namespace

std::vector<OptimumRow> ReadOptima(const std::filesystem::path& path) {
  const std::string place = InputName(path);
  const std::vector<CsvRow> rows = ReadCsv(sim::ReadTextFile(path), place);
  const std::vector<std::size_t> columns = FindColumns(rows, kOptimaTitles, place);
  Diagnostics diagnostics;
  std::vector<OptimumRow> optima;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string line = place + ":" + std::to_string(rows[i].line);
    optima.push_back(ReadRow(rows[i], columns, line, diagnostics));
  }
  diagnostics.ThrowIfAny();
  return optima;
}

}  // namespace opyard::experiments
