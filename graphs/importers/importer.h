// Turns graphs of other tools into ours.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/importers/common/import_summary.h"
#include "sim/base/options.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// A file as importers see it.
struct ImportFile {
  std::string_view bytes;  // unpacked
  std::string place;       // names the file in messages
  std::string stem;        // file name without folder and suffixes: the graph's name
};

// What the names of graph files end in, or before .gz: paths are told by it from other references.
inline constexpr auto kGraphSuffixes =
    std::to_array<std::string_view>({".json", ".pb", ".pbtxt", ".txt", ".hlo", ".graphml", ".xml"});

struct ImportedGraph {
  std::shared_ptr<const sim::OpGraph> graph;  // never null
  ImportSummary summary;
};

// A file that asks for more nodes is refused.
inline constexpr std::size_t kMostImportedNodes = std::size_t{1} << 20U;

// Reads one format. Stateless and thread-safe.
//
// To add one: write a folder in graphs/importers/ and one line in Importers().
class Importer {
 public:
  virtual ~Importer() = default;
  // As it stands after --from: "torch".
  [[nodiscard]] virtual std::string name() const = 0;
  // One line for the help.
  [[nodiscard]] virtual std::string summary() const = 0;
  // True if `file` looks like this format, from its first bytes and from `path`'s suffix.
  [[nodiscard]] virtual bool Recognises(const ImportFile& file, std::string_view path) const = 0;
  // Reads it. What the file does not say is counted in the summary. Throws InputError listing its
  // problems, each with its place, what was found and what was expected. Memory and time are at
  // most proportional to the file, with a logarithm for names.
  [[nodiscard]] virtual ImportedGraph Import(const ImportFile& file, Options& options) const = 0;
};

// All importers, in the order in which they are asked: the strictest first.
[[nodiscard]] std::vector<std::unique_ptr<const Importer>> Importers();

// Reads `file` by the importer `format`, or by the first that recognises it if that is empty. Other
// JSON is taken for our own format, whose reader says what is wrong with it. Throws InputError also
// for an unknown format and for options that the importer does not know.
[[nodiscard]] ImportedGraph ImportGraph(const ImportFile& file,
                                        std::string_view path,
                                        const std::string& format = {},
                                        Options options = {});

// The same for the file at `path`, unpacked if it is gzip (at most 512 MiB).
[[nodiscard]] ImportedGraph ImportGraphFile(const std::filesystem::path& path,
                                            const std::string& format = {},
                                            Options options = {});

// The first bytes of a file, in which formats are recognised.
[[nodiscard]] inline std::string_view HeadOf(const ImportFile& file) {
  constexpr std::size_t kHeadBytes = std::size_t{1} << 16U;
  return file.bytes.substr(0, kHeadBytes);
}

}  // namespace opyard::graphs
