#include "experiments/training/training_curve.h"

#include <cstdlib>
#include <set>
#include <system_error>

#include "experiments/text/csv.h"
#include "experiments/text/csv_reader.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/output_file.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

constexpr const char* kUpdate = "update";

double NumberIn(const std::string& field, const std::string& place) {
  char* end = nullptr;
  const double value = std::strtod(field.c_str(), &end);
  if (field.empty() || end != field.c_str() + field.size()) {
    throw InputError(place + ": found " + Quoted(field) + ", expected a number");
  }
  return value;
}

agents::TrainingPoint PointOf(const std::vector<std::string>& titles,
                              const CsvRow& row,
                              const std::string& place) {
  const std::string here = place + ":" + std::to_string(row.line);
  agents::TrainingPoint point{
      .num_updates = static_cast<std::int64_t>(NumberIn(row.fields.front(), here)), .values = {}};
  for (std::size_t i = 1; i < titles.size(); ++i) {
    if (!row.fields[i].empty()) {
      point.values[titles[i]] = NumberIn(row.fields[i], here);
    }
  }
  return point;
}

}  // namespace

TrainingCurve TrainingCurve::Read(const std::filesystem::path& path, std::int64_t last) {
  TrainingCurve curve;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return curve;
  }
  const std::vector<CsvRow> rows = ReadCsv(sim::ReadTextFile(path), path.string());
  if (rows.empty() || rows.front().fields.front() != kUpdate) {
    throw InputError(path.string() + ": found another table, expected a training curve");
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const agents::TrainingPoint point = PointOf(rows.front().fields, rows[i], path.string());
    if (point.num_updates <= last) {
      curve.Add(point);
    }
  }
  return curve;
}

void TrainingCurve::Add(const agents::TrainingPoint& point) {
  OPYARD_CHECK(points_.empty() || points_.back().num_updates < point.num_updates,
               "updates are reported in order");
  points_.push_back(point);
}

void TrainingCurve::Write(const std::filesystem::path& path) const {
  std::set<std::string> names;
  for (const agents::TrainingPoint& point : points_) {
    for (const auto& [name, value] : point.values) {
      names.insert(name);
    }
  }
  std::vector<std::string> titles = {kUpdate};
  titles.insert(titles.end(), names.begin(), names.end());
  CsvTable table(titles);
  for (const agents::TrainingPoint& point : points_) {
    std::vector<std::string> fields = {std::to_string(point.num_updates)};
    for (const std::string& name : names) {
      const auto value = point.values.find(name);
      fields.push_back(value == point.values.end() ? "" : ToText(value->second));
    }
    table.AddRow(fields);
  }
  WriteOutputFile(path, [&](std::ostream& file) { file << table.text(); });
}

}  // namespace opyard::experiments
