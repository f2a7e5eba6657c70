#include "experiments/matrix/known_optima.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// `reference` from the current folder, or else from `folder`; itself if no such file is there.
fs::path Located(const std::string& reference, const fs::path& folder) {
  std::error_code ignored;
  const fs::path beside = folder / reference;
  const bool is_beside = !fs::exists(reference, ignored) && fs::exists(beside, ignored);
  return is_beside ? beside : fs::path(reference);
}

// One name for all spellings of a path; "" for what is no file.
std::string FileNamed(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::canonical(path, error);
  return error ? "" : canonical.string();
}

// Finds the references of an experiment, of graphs or of machines, that rows of a table mean.
class ReferenceIndex {
 public:
  ReferenceIndex(const std::vector<std::string>& references,
                 const fs::path& folder,
                 fs::path table_folder)
      : table_folder_(std::move(table_folder)) {
    for (const std::string& reference : references) {
      by_text_.emplace(reference, reference);
      by_file_.emplace(FileNamed(Located(reference, folder)), reference);
    }
    by_file_.erase("");
  }

  // Null if there is none.
  [[nodiscard]] const std::string* Find(const std::string& text) const {
    if (const auto found = by_text_.find(text); found != by_text_.end()) {
      return &found->second;
    }
    const auto found = by_file_.find(FileNamed(table_folder_ / text));
    return found == by_file_.end() ? nullptr : &found->second;
  }

 private:
  fs::path table_folder_;
  std::map<std::string, std::string> by_text_;
  std::map<std::string, std::string> by_file_;
};

}  // namespace

KnownOptima ReadKnownOptima(const ExperimentConfig& config) {
  const fs::path path = Located(config.optima, config.folder);
  const ReferenceIndex graphs(config.graphs, config.folder, path.parent_path());
  const ReferenceIndex machines(config.hardware, config.folder, path.parent_path());
  KnownOptima known{.table = config.optima, .optima = {}};
  std::set<PairKey> wanted;
  for (const PairConfig& pair : PairsOf(config)) {
    wanted.emplace(pair.graph, pair.hardware);
  }
  Diagnostics diagnostics;
  for (const OptimumRow& row : ReadOptima(path)) {
    const std::string* graph = graphs.Find(row.graph);
    const std::string* machine = machines.Find(row.machine);
    if (graph == nullptr || machine == nullptr || !wanted.contains({*graph, *machine})) {
      ++known.num_other_rows;
    } else if (!known.optima.try_emplace({*graph, *machine}, row.optimum).second) {
      diagnostics.AddError(row.place,
                           "found " + *graph + " on " + *machine + " again, expected it once");
    }
  }
  diagnostics.ThrowIfAny();
  return known;
}

}  // namespace opyard::experiments
