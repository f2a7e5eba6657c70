// Summary of an import: folded nodes, and facts that the file lacks.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace opyard::graphs {

// One kind of thing that was met, how often, and the first few names.
struct Finding {
  static constexpr std::size_t kMostExamples = 4;

  std::string what;
  std::size_t count = 0;
  std::vector<std::string> examples;  // each once
};

// Findings in the order in which their kinds were first met. Importers use a fixed set of kinds, so
// that this stays small whatever the file.
class FindingList {
 public:
  // Counts one more of `what`; `name` becomes an example while there is room.
  void Add(std::string_view what, std::string_view name);
  [[nodiscard]] std::span<const Finding> all() const { return findings_; }
  // 0 if there is none.
  [[nodiscard]] std::size_t CountOf(std::string_view what) const;

 private:
  std::vector<Finding> findings_;
};

struct ImportSummary {
  std::string format;          // name of the importer
  std::size_t nodes_read = 0;  // nodes, instructions or ops as the file counts them
  FindingList folded;          // nodes that became no op, by kind
  FindingList unknown;         // what the importer had to assume, and what it assumed
};

}  // namespace opyard::graphs
