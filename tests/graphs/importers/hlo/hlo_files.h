// Shared by the tests of HLO text: files, modules of a few lines, sums over ops.
#pragma once

#include <string>

#include "tests/graphs/importers/imported.h"

namespace opyard::graphs {

inline ImportedGraph ImportHloFile(const std::string& name) {
  return ImportGraphFile((name.ends_with(".txt") ? "tests/graphs/importers/hlo/files/"
                                                 : "tests/fuzz/corpus/hlo_text/") +
                         name);
}

// A module whose ENTRY holds the lines of `entry`.
inline std::string HloModuleOf(const std::string& entry, const std::string& before = "") {
  return "HloModule small\n\n" + before + "\nENTRY main {\n" + entry + "}\n";
}

inline double SumOfFlops(const sim::OpGraph& graph, std::string_view type) {
  double sum = 0;
  for (const sim::Op& op : graph.ops()) {
    sum += op.type == type ? op.flops.count : 0.0;
  }
  return sum;
}

inline std::size_t CountOfType(const sim::OpGraph& graph, std::string_view type) {
  std::size_t count = 0;
  for (const sim::Op& op : graph.ops()) {
    count += op.type == type ? 1 : 0;
  }
  return count;
}

inline Bytes SumOfParameters(const sim::OpGraph& graph) {
  Bytes sum;
  for (const sim::Op& op : graph.ops()) {
    sum += op.param_bytes;
  }
  return sum;
}

}  // namespace opyard::graphs
