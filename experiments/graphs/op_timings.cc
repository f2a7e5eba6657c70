#include "experiments/graphs/op_timings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "experiments/graphs/profiler_trace.h"
#include "experiments/text/csv_reader.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/quote.h"
#include "sim/base/units.h"
#include "sim/cost/zero_cost.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

struct TimeColumn {
  std::string_view title;
  double seconds;  // of one unit
};
constexpr std::array<TimeColumn, 3> kTimeColumns = {{{"seconds", 1.0}, {"ms", 1e-3}, {"us", 1e-6}}};

std::size_t FindColumn(const CsvRow& titles, std::string_view title) {
  return static_cast<std::size_t>(std::ranges::find(titles.fields, title) - titles.fields.begin());
}

double NumberIn(const std::string& field, const std::string& place) {
  double value = 0.0;
  const char* end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end) {
    throw InputError(place + ": found " + Quoted(field) + ", expected a number");
  }
  return value;
}

// The column of times, the only one of its kind.
const TimeColumn& FindTimeColumn(const CsvRow& titles, const std::string& place) {
  const TimeColumn* found = nullptr;
  std::vector<std::string> names;
  for (const std::string& title : titles.fields) {
    const auto column = std::ranges::find(kTimeColumns, title, &TimeColumn::title);
    if (column != kTimeColumns.end()) {
      found = &*column;
      names.push_back(title);
    }
  }
  if (names.size() > 1) {
    throw InputError(place + ":1: found the columns of times " + JoinNames(names) +
                     ", expected one: remove or rename the others");
  }
  if (found == nullptr) {
    throw InputError(place + ":1: expected a column op (or name) and one of seconds, ms, us");
  }
  return *found;
}

Timings ReadTable(std::string_view text, const std::string& place) {
  const std::vector<CsvRow> rows = ReadCsv(text, place);
  const CsvRow titles = rows.empty() ? CsvRow{} : rows[0];
  const TimeColumn& unit = FindTimeColumn(titles, place);
  const std::size_t op = std::min(FindColumn(titles, "op"), FindColumn(titles, "name"));
  if (op == titles.fields.size()) {
    throw InputError(place + ":1: expected a column op (or name), found " +
                     JoinNames(titles.fields));
  }
  const std::size_t time = FindColumn(titles, unit.title);
  Timings timings;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string where = place + ":" + std::to_string(rows[i].line);
    const double seconds = NumberIn(rows[i].fields[time], where) * unit.seconds;
    timings.list.push_back({.name = rows[i].fields[op], .seconds = CheckedSeconds(seconds, where)});
  }
  return timings;
}

// Refuses times that `specs`, those of `graph`, have kept beside others that are `measured`.
void CheckNoTimes(const sim::OpGraph& graph,
                  const std::vector<sim::OpSpec>& specs,
                  sim::Measured measured) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const bool is_zero_cost = sim::IsZeroCost(graph, OpId(i));
    for (const sim::MeasuredTime& time : specs[i].seconds) {
      if (time.seconds > 0.0 || !is_zero_cost) {
        const std::string held(sim::NameOf(graph.measured()));
        throw InputError("graph " + Quoted(graph.name()) + ": op " + Quoted(specs[i].name) +
                         " has a time for " + Quoted(time.where) + " measured " + held +
                         ", but the new times are measured " + std::string(sim::NameOf(measured)) +
                         ", and a graph holds one kind: annotate the graph without times, or say "
                         "--measured " +
                         held + " if that is what the new ones hold");
      }
    }
  }
}

}  // namespace

Timings ReadTimings(const std::filesystem::path& path, const ProfiledTypes& types) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string text = sim::ReadTextFile(path);
  text.erase(0, text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_trace = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  const std::string place = InputName(path);
  return is_trace ? ReadProfilerTrace(std::move(text), place, types) : ReadTable(text, place);
}

std::shared_ptr<const sim::OpGraph> WithTimes(const sim::OpGraph& graph,
                                              const TimingMatch& match,
                                              const std::string& device,
                                              sim::Measured measured) {
  sim::OpGraphBuilder builder(graph.name(), graph.origin());
  builder.SetMeasured(measured);
  std::vector<sim::OpSpec> specs = sim::SpecsOf(graph);
  for (const auto& [op, seconds] : match.seconds) {
    std::vector<sim::MeasuredTime>& times = specs[static_cast<std::size_t>(op)].seconds;
    std::erase_if(times, [&](const sim::MeasuredTime& time) { return time.where == device; });
  }
  if (measured != graph.measured()) {
    CheckNoTimes(graph, specs, measured);
  }
  for (const auto& [op, seconds] : match.seconds) {
    specs[static_cast<std::size_t>(op)].seconds.push_back({.where = device, .seconds = seconds});
  }
  for (sim::OpSpec& spec : specs) {
    builder.AddOp(std::move(spec));
  }
  return builder.Build();
}

}  // namespace opyard::experiments
