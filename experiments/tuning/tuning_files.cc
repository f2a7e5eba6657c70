#include "experiments/tuning/tuning_files.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "experiments/config/config.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json ScoresJson(const TrialScores& scores) {
  Json list = Json::array();
  for (const auto& [run, score] : scores) {
    list.push_back({run.trial, run.problem, score.has_value() ? Json(*score) : Json()});
  }
  return list;
}

TrialScores ScoresOf(const Json& list) {
  TrialScores scores;
  for (const Json& item : list) {
    const TrialRun run{.trial = item.at(0), .problem = item.at(1)};
    scores[run] = item.at(2).is_null() ? std::nullopt : std::optional(item.at(2).get<double>());
  }
  return scores;
}

Json RecordJson(const TuningRecord& record) {
  Json json = Json::object();
  for (const auto& [name, line] : record) {
    json[name] = Json::parse(line);
  }
  return json;
}

}  // namespace

TuningState ReadTuningState(const std::filesystem::path& path) {
  try {
    std::ifstream stream(path);
    const Json json = Json::parse(stream);
    if (json.at("schema_version") != kSchemaVersion) {
      throw InputError(path.string() + ": schema_version: found " +
                       json.at("schema_version").dump() + ", expected 1");
    }
    TuningState state{.conditions = {},
                      .scores = ScoresOf(json.at("scores")),
                      .evaluations = json.at("evaluations"),
                      .seconds = json.at("seconds")};
    for (const auto& [name, value] : json.at("conditions").items()) {
      state.conditions[name] = value.dump();
    }
    return state;
  } catch (const Json::exception& error) {
    throw InputError(path.string() + ": found what opyard tune did not write: " +
                     std::string(error.what()) + "; begin anew in another folder");
  }
}

void WriteTuningState(const std::filesystem::path& path, const TuningState& state) {
  const Json json = {{"schema_version", kSchemaVersion},
                     {"conditions", RecordJson(state.conditions)},
                     {"evaluations", state.evaluations},
                     {"seconds", state.seconds},
                     {"scores", ScoresJson(state.scores)}};
  WriteOutputFile(path, [&](std::ostream& file) { file << json.dump() << '\n'; });
}

void WriteTuned(const std::filesystem::path& path,
                const std::string& agent,
                const Options& params,
                const TuningRecord& record) {
  const Json json = {{"schema_version", kSchemaVersion},
                     {"agent", agent},
                     {"params", Json::parse(ParamsJson(params))},
                     {"record", RecordJson(record)}};
  WriteOutputFile(path, [&](std::ostream& file) { file << json.dump(1) << '\n'; });
}

}  // namespace opyard::experiments
