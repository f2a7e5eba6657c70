#include "experiments/cli/results/export.h"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include "experiments/cli/results/stores.h"
#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/store/result_store.h"
#include "experiments/store/result_tables.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

struct ResultsExportOptions {
  std::string results;         // a results folder, or its file
  std::string out;             // folder of the tables
  std::string format = "csv";  // or parquet, which the Python command writes
};

// Writes the tables as CSV (docs/formats.md, "Results") into the folder `out`, made if it is
// absent. Throws InputError if a file cannot be read or written, and for Parquet.
[[nodiscard]] int ExportResults(const ResultsExportOptions& options, const Console& console);

}  // namespace

void AddResultsExportArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "export",
                     .summary = "runs, histories, training curves as CSV or Parquet",
                     .examples = "  opyard results export results/mine --out results/mine/csv\n"
                                 "  opyard results export results/mine --out results/mine/parquet "
                                 "--format parquet"});
  const auto options = std::make_shared<ResultsExportOptions>();
  AddStore(subcommand, options->results);
  subcommand.add_option("--out", options->out, "folder to write the tables to")
      ->required()
      ->type_name("DIR");
  subcommand
      .add_option("--format",
                  options->format,
                  "csv, or parquet, which needs pip install 'opyard[parquet]' (default: csv)")
      ->check(CLI::IsMember({"csv", "parquet"}));
  Choose(subcommand, command, options, &ExportResults);
}

namespace {

namespace fs = std::filesystem;

void MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!fs::is_directory(path)) {
    throw InputError("--out " + path + ": cannot make this folder: " + error.message());
  }
}

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

}  // namespace
}  // namespace opyard::experiments
