// Keeps what an experiment's runs found: one SQLite file in the results folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/store/run_record.h"
#include "experiments/store/sqlite.h"
#include "experiments/store/stored_bound.h"
#include "experiments/store/stored_training.h"

namespace opyard::experiments {

// A record with its number in the file; plan, history and training curve stay there until they are
// asked for.
struct StoredRun {
  std::int64_t id = 0;
  RunRecord record;
};

// About the whole experiment.
struct StoreInfo {
  std::string experiment;         // its name
  std::string experiment_folder;  // where its file stood, relative to the results folder
  // In stores of older versions, the further ones are empty.
  std::string resolved;  // the experiment as it was last run (config/resolved.h)
  std::string matrix;    // its cells (expected_matrix.h)
  std::string shard;     // "2/4" for a piece of the matrix, "" for all of it
};

// A run is written in one transaction (WAL, synchronous=NORMAL): after a crash or a kill, the file
// holds the runs that had ended and no part of another. Used by one thread at a time; other
// processes may read meanwhile. Throws InputError for a file that is not a result store, or
// damaged.
class ResultStore {
 public:
  // The file inside a results folder, and the file that `path` (a results folder, or a file) means.
  static constexpr const char* kFileName = "results.sqlite";
  [[nodiscard]] static std::filesystem::path FileOf(const std::filesystem::path& path);

  // Throws InputError, with a hint at --resume, if there is anything in `folder`.
  static void RefuseUnlessEmpty(const std::filesystem::path& folder);

  // Makes `folder` and an empty store in it. Throws InputError if the folder is not empty.
  [[nodiscard]] static ResultStore Create(const std::filesystem::path& folder,
                                          const StoreInfo& info);
  // Opens the store of `folder` to add runs; makes one where there is none, or where making it was
  // cut short. A store of an older schema is brought up to date by what is added first.
  [[nodiscard]] static ResultStore Resume(const std::filesystem::path& folder,
                                          const StoreInfo& info);
  // Opens an existing store, of an older schema, too; changes nothing.
  [[nodiscard]] static ResultStore OpenToRead(const std::filesystem::path& path);

  // Adds one run. Throws InputError if its cell is there already.
  void Add(const RunRecord& record);

  // Keeps a training, in the place of one of the same label; the number that runs name it by.
  std::int64_t Keep(const StoredTraining& training);
  // Keeps bounds, each in the place of one of the same graph, machine and kind.
  void Keep(const std::vector<StoredBound>& bounds);
  // Keeps what is known of the experiment, in the place of what was.
  void Keep(const StoreInfo& info);

  // Keeps a graph or a machine (`what`) as a text, under the digest by which runs name it.
  void AddInput(const std::string& sha256, const std::string& what, const std::string& text);
  [[nodiscard]] bool HasInput(const std::string& sha256);
  // That text, unchecked; nothing if the store has none. Throws InputError if it is damaged or
  // longer than `most` bytes.
  [[nodiscard]] std::optional<std::string> InputOf(const std::string& sha256, std::size_t most);

  // All runs in order of their end, without plan, history and training curve.
  [[nodiscard]] std::vector<StoredRun> Runs();
  [[nodiscard]] StoreInfo Info();
  [[nodiscard]] std::vector<StoredTraining> Trainings();
  [[nodiscard]] std::vector<StoredBound> Bounds();
  // The file's path, for messages.
  [[nodiscard]] const std::string& place() const { return database_.place(); }
  // The plan's JSON text; "" if the run has none.
  [[nodiscard]] std::string PlanOf(std::int64_t run);
  [[nodiscard]] std::vector<agents::HistoryRow> HistoryOf(std::int64_t run);
  // The training curve in order of the updates; empty if the agent reported nothing, or if the
  // store is of schema version 1, which had no curves.
  [[nodiscard]] std::vector<agents::TrainingRow> TrainingOf(std::int64_t run);

 private:
  explicit ResultStore(Database database) : database_(std::move(database)) {}

  // REQUIRES: a transaction is open.
  void PutInfo(const StoreInfo& info);
  // Makes the tables of an empty file.
  void Begin(const StoreInfo& info);
  void ClearLeftovers(std::int64_t run);
  void AddHistory(std::int64_t run, const std::vector<agents::HistoryRow>& history);
  void AddTraining(std::int64_t run, const std::vector<agents::TrainingRow>& training);

  Database database_;
};

}  // namespace opyard::experiments
