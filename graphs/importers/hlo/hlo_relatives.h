// Other forms of the programs that HLO text holds, recognised by their first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// True if `bytes` begin with HloModule, or with ENTRY where the header was cut off, behind a byte
// order mark, blank lines and comments.
[[nodiscard]] bool BeginsAsHloText(std::string_view bytes);

// "found …, expected HLO text: …" of StableHLO or MHLO, as MLIR text or bytecode, and of serialised
// HLO modules; nothing for all else.
[[nodiscard]] std::optional<std::string> FindRelativeOfHlo(const ImportFile& file,
                                                           std::string_view path);

}  // namespace opyard::graphs
