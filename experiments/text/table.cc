#include "experiments/text/table.h"

#include <algorithm>

#include "experiments/text/number_format.h"
#include "sim/base/check.h"

namespace opyard::experiments {

void TextTable::AddRow(std::vector<std::string> cells) {
  OPYARD_CHECK(cells.size() == columns_.size(), "a row has as many cells as the table has columns");
  rows_.push_back(std::move(cells));
}

std::string TextTable::Text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = ColumnsOf(columns_[c].title);
    for (const auto& row : rows_) {
      width = std::max(width, ColumnsOf(row[c]));
    }
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& cell = cell_at(c);
      const std::string padding(widths[c] - ColumnsOf(cell), ' ');
      line += c == 0 ? "" : "  ";
      line += columns_[c].align == Align::kLeft ? cell + padding : padding + cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t c) -> const std::string& { return row[c]; });
  }
  return text;
}

}  // namespace opyard::experiments
