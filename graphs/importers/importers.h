// Turns graphs of other tools into ours.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/importers/common/importer.h"
#include "sim/base/options.h"

namespace opyard::graphs {

// Suffixes of graph files, also before .gz: they distinguish paths from other references.
inline constexpr auto kGraphSuffixes = std::to_array<std::string_view>(
    {".json", ".pb", ".pbtxt", ".meta", ".txt", ".hlo", ".graphml", ".xml", ".gxl", ".stg"});

// All importers, in the order in which they are asked: the strictest first.
[[nodiscard]] std::vector<std::unique_ptr<const Importer>> Importers();

// Reads `file`, without a byte order mark, by the importer `format`, or by the first that
// recognises it if that is empty. Other JSON is taken for our own format, whose reader says what is
// wrong with it. Throws InputError also for an unknown format and for options that the importer
// does not know.
[[nodiscard]] ImportedGraph ImportGraph(const ImportFile& file,
                                        std::string_view path,
                                        const std::string& format = {},
                                        Options options = {});

// The same for the file at `path`, unpacked if it is gzip (at most 512 MiB).
[[nodiscard]] ImportedGraph ImportGraphFile(const std::filesystem::path& path,
                                            const std::string& format = {},
                                            Options options = {});

}  // namespace opyard::graphs
