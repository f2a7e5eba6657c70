// Lays out text in aligned columns, and the table that ends `opyard run`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "experiments/runner/summary.h"

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

// One block per graph and machine, one line per agent: mean ± 95 % confidence interval of the step
// time, speed-up over the baseline, mean evaluations and seconds of a run, failed runs of all runs.
// "—" stands where there is no figure; the lines below a block say why.
[[nodiscard]] std::string ComparisonText(const std::vector<AgentSummary>& summaries,
                                         const std::map<PairKey, Baseline>& baselines);

}  // namespace opyard::experiments
