#include "experiments/cli/subcommands/results.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "experiments/store/result_store.h"
#include "experiments/store/result_tables.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

void MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw InputError("--out " + path + ": cannot make this folder: " + error.message());
  }
}

}  // namespace

int ExportResults(const ResultsExportOptions& options, const Console& console) {
  if (options.format == "parquet") {
    throw InputError(
        "--format parquet: the command of the Python package writes it; expected csv "
        "here");
  }
  ResultStore store = ResultStore::OpenToRead(options.results);
  MakeFolder(options.out);
  const ResultTables tables = TablesOf(store);
  for (const auto& [name, table] : {std::pair("runs.csv", &tables.runs),
                                    {"history.csv", &tables.history},
                                    {"training.csv", &tables.training},
                                    {"trainings.csv", &tables.trainings},
                                    {"bounds.csv", &tables.bounds}}) {
    const fs::path file = fs::path(options.out) / name;
    sim::WriteTextFile(file, table->text());
    console.out << file.string() << ": " << table->num_rows() << " rows\n";
  }
  return kSuccess;
}

}  // namespace opyard::experiments
