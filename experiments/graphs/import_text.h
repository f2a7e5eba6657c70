// Assumptions of an importer, as people read them.
#pragma once

#include <memory>
#include <string>

#include "experiments/base/notice.h"
#include "graphs/importers/common/importer.h"

namespace opyard::experiments {

// One line for each kind of node that became no op, and for each thing that the file does not say.
[[nodiscard]] std::string ImportText(const graphs::ImportSummary& summary);

// "" if nothing was assumed; else what was, for the graph that `reference` names.
[[nodiscard]] std::string ImportWarning(const std::string& reference,
                                        const graphs::ImportSummary& summary);

// Sends that warning to `notices`, if anything was assumed.
void WarnOfImport(const std::string& reference,
                  const graphs::ImportSummary& summary,
                  const NoticeListener& notices);

// graphs::LoadGraph, with that warning.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> LoadGraph(const std::string& reference,
                                                            const NoticeListener& notices);

}  // namespace opyard::experiments
