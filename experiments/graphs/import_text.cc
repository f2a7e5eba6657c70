#include "experiments/graphs/import_text.h"

#include "experiments/text/number_format.h"
#include "graphs/graph_sources.h"

namespace opyard::experiments {
namespace {

std::string FindingsText(const std::string& title, const graphs::FindingList& findings) {
  std::string text;
  for (const graphs::Finding& finding : findings.all()) {
    std::string examples;
    for (const std::string& example : finding.examples) {
      examples += (examples.empty() ? "" : ", ") + OneLine(example);
    }
    text += title + " " + std::to_string(finding.count) + " x " + finding.what + " (" + examples +
            (finding.count > finding.examples.size() ? ", …" : "") + ")\n";
  }
  return text;
}

}  // namespace

std::string ImportText(const graphs::ImportSummary& summary) {
  return FindingsText("folded:", summary.folded) + FindingsText("not known:", summary.unknown);
}

std::string ImportWarning(const std::string& reference, const graphs::ImportSummary& summary) {
  if (summary.unknown.all().empty()) {
    return "";
  }
  return OneLine(reference) + " (" + summary.format +
         "): the file lacks data that a simulation needs\n" + ImportText(summary);
}

void WarnOfImport(const std::string& reference,
                  const graphs::ImportSummary& summary,
                  const NoticeListener& notices) {
  if (const std::string warning = ImportWarning(reference, summary); !warning.empty()) {
    notices({.kind = NoticeKind::kWarning, .text = warning});
  }
}

std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference,
                                              const NoticeListener& notices) {
  const graphs::ImportedGraph loaded = graphs::LoadImportedGraph(reference);
  WarnOfImport(reference, loaded.summary, notices);
  return loaded.graph;
}

}  // namespace opyard::experiments
