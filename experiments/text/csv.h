// Tables as comma-separated values (RFC 4180, with \n as the line's end).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opyard::experiments {

class CsvTable {
 public:
  explicit CsvTable(const std::vector<std::string>& titles);

  // REQUIRES: as many fields as titles. Fields that hold a comma, a quote or a line's end are
  // quoted.
  void AddRow(const std::vector<std::string>& fields);

  // The line of titles and the rows.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t num_rows() const { return num_rows_; }

 private:
  void AddLine(const std::vector<std::string>& fields);

  std::size_t num_columns_;
  std::size_t num_rows_ = 0;
  std::string text_;
};

}  // namespace opyard::experiments
