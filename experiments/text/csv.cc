#include "experiments/text/csv.h"

#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace

CsvTable::CsvTable(const std::vector<std::string>& titles) : num_columns_(titles.size()) {
  AddLine(titles);
}

void CsvTable::AddRow(const std::vector<std::string>& fields) {
  OPYARD_CHECK(fields.size() == num_columns_, "as many fields as titles");
  AddLine(fields);
  ++num_rows_;
}

void CsvTable::AddLine(const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    text_ += (i == 0 ? "" : ",") + Field(fields[i]);
  }
  text_ += '\n';
}

}  // namespace opyard::experiments
