// One format of graphs of other tools.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

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

struct ImportedGraph {
  std::shared_ptr<const sim::OpGraph> graph;  // never null
  ImportSummary summary;
};

// A file that asks for more nodes is refused.
inline constexpr std::size_t kMostImportedNodes = std::size_t{1} << 20U;

// Reads one format. Stateless and thread-safe.
//
// To add one: write a folder in graphs/importers/ and one line in Importers() (importers.cc).
class Importer {
 public:
  virtual ~Importer() = default;
  // As it stands after --from: "torch".
  [[nodiscard]] virtual std::string name() const = 0;
  // One line for the help.
  [[nodiscard]] virtual std::string summary() const = 0;
  // True if the first bytes of `file` and `path`'s suffix suggest this format.
  [[nodiscard]] virtual bool Recognises(const ImportFile& file, std::string_view path) const = 0;
  // Reads it. What the file does not say is counted in the summary. Throws InputError listing its
  // problems, each with its place, what was found and what was expected. Memory and time are at
  // most proportional to the file and to the nodes that its inner computations open to, with a
  // logarithm for names.
  [[nodiscard]] virtual ImportedGraph Import(const ImportFile& file, Options& options) const = 0;
};

// The first bytes of a file, in which formats are recognised.
[[nodiscard]] inline std::string_view HeadOf(const ImportFile& file) {
  constexpr std::size_t kHeadBytes = std::size_t{1} << 16U;
  return file.bytes.substr(0, kHeadBytes);
}

}  // namespace opyard::graphs
