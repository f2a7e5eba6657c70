#include "graphs/importers/common/import_summary.h"

#include <algorithm>

namespace opyard::graphs {

void FindingList::Add(std::string_view what, std::string_view name) {
  auto finding = std::ranges::find(findings_, what, &Finding::what);
  if (finding == findings_.end()) {
    findings_.push_back({.what = std::string(what)});
    finding = findings_.end() - 1;
  }
  ++finding->count;
  std::vector<std::string>& examples = finding->examples;
  if (examples.size() < Finding::kMostExamples &&
      std::ranges::find(examples, name) == examples.end()) {
    examples.emplace_back(name);
  }
}

std::size_t FindingList::CountOf(std::string_view what) const {
  const auto finding = std::ranges::find(findings_, what, &Finding::what);
  return finding == findings_.end() ? 0 : finding->count;
}

}  // namespace opyard::graphs
