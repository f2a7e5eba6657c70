// Lays out text in aligned columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace opyard::experiments {

enum class Align : std::uint8_t { kLeft, kRight };

// Rows of cells. Columns are as wide as their widest cell: nothing is ever wrapped or cut.
class TextTable {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: as many cells as columns.
  void AddRow(std::vector<std::string> cells);
  // The titles and the rows, one line each, two spaces between columns, no spaces at line ends.
  [[nodiscard]] std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace opyard::experiments
