#include "experiments/store/former_rows.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "agents/base/former_names.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

using Json = nlohmann::ordered_json;

OptionValue ValueOf(const Json& value, const std::string& params) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number()) {
    return value.get<double>();
  }
  if (!value.is_string()) {
    throw InputError("damaged: found the parameters " + params +
                     " of an agent, expected numbers, words and flags");
  }
  return value.get<std::string>();
}

Options OptionsOf(const std::string& params) {
  const Json json = Json::parse(params, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw InputError("damaged: found the parameters " + params + " of an agent, expected a map");
  }
  Options options;
  for (const auto& [name, value] : json.items()) {
    options.Set(name, ValueOf(value, params));
  }
  return options;
}

std::string TextOf(const Options& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.values()) {
    std::visit([&json, &key = name](const auto& v) { json[key] = v; }, value);
  }
  return json.dump();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// `command` with what it says of the agent as `now` has it.
std::string RenamedCommand(std::string command,
                           const agents::NamedAgent& before,
                           const agents::NamedAgent& now) {
  command =
      Replaced(std::move(command), " --agent " + before.name + " ", " --agent " + now.name + " ");
  for (const auto& [name, value] : before.params.values()) {
    const agents::NamedAgent alone =
        agents::WithNewNames({.name = before.name, .params = Options({{name, value}})});
    const std::string written = " --param " + name + "=" + ToText(value);
    command =
        Replaced(std::move(command),
                 written,
                 alone.params.values().empty()
                     ? ""
                     : " --param " + alone.params.values().begin()->first + "=" + ToText(value));
  }
  return command;
}

// Renames the agents of `resolved`; their labels before and now.
std::map<std::string, std::string> RenameAgents(Json& resolved) {
  std::map<std::string, std::string> labels;
  for (Json& agent : resolved.at("agents")) {
    const AgentWords now =
        WithNewNames(AgentWords{.label = agent.at("label"),
                                .name = agent.at("name"),
                                .params = agent.value("params", Json::object()).dump(),
                                .reproduce = ""});
    labels[agent.at("label")] = now.label;
    agent["label"] = now.label;
    agent["name"] = now.name;
    if (agent.contains("params")) {
      agent["params"] = Json::parse(now.params);
    }
  }
  return labels;
}

void RenameExperiment(Database& database) {
  std::map<std::string, std::string> values;
  Statement row =
      database.Prepare("SELECT key, value FROM info WHERE key IN ('resolved', 'matrix')");
  while (row.Step()) {
    values[row.Text(0)] = row.Text(1);
  }
  const ExperimentWords now =
      WithNewNames(ExperimentWords{.resolved = values["resolved"], .matrix = values["matrix"]});
  Statement put = database.Prepare("UPDATE info SET value = ?2 WHERE key = ?1");
  put.Bind(1, std::string("resolved")).Bind(2, now.resolved).Step();
  put.Reset().Bind(1, std::string("matrix")).Bind(2, now.matrix).Step();
}

// A row of `table` with its words.
struct StoredWords {
  std::int64_t id = 0;
  AgentWords words;
};

std::vector<StoredWords> WordsIn(Database& database, const std::string& table) {
  std::vector<StoredWords> rows;
  Statement row = database.Prepare("SELECT id, agent, agent_name, params, reproduce FROM " + table);
  while (row.Step()) {
    rows.push_back({.id = row.Int(0),
                    .words = {.label = row.Text(1),
                              .name = row.Text(2),
                              .params = row.Text(3),
                              .reproduce = row.Text(4)}});
  }
  return rows;
}

void RenameRows(Database& database, const std::string& table) {
  for (const StoredWords& row : WordsIn(database, table)) {
    const AgentWords now = WithNewNames(row.words);
    if (now != row.words) {
      database
          .Prepare("UPDATE " + table +
                   " SET agent = ?1, agent_name = ?2, params = ?3, reproduce = ?4 WHERE id = ?5")
          .Bind(1, now.label)
          .Bind(2, now.name)
          .Bind(3, now.params)
          .Bind(4, now.reproduce)
          .Bind(5, row.id)
          .Step();
    }
  }
}

}  // namespace

AgentWords WithNewNames(const AgentWords& words) {
  const agents::NamedAgent before{.name = words.name, .params = OptionsOf(words.params)};
  const agents::NamedAgent now = agents::WithNewNames(before);
  if (now.name == before.name && now.params.values() == before.params.values()) {
    return words;
  }
  return {.label = words.label == words.name ? now.name : words.label,
          .name = now.name,
          .params = TextOf(now.params),
          .reproduce = RenamedCommand(words.reproduce, before, now)};
}

void UseNewNames(RunRecord& record) {
  AgentWords now = WithNewNames(AgentWords{.label = record.cell.agent,
                                           .name = record.agent_name,
                                           .params = record.params,
                                           .reproduce = record.reproduce});
  record.cell.agent = std::move(now.label);
  record.agent_name = std::move(now.name);
  record.params = std::move(now.params);
  record.reproduce = std::move(now.reproduce);
}

void UseNewNames(StoredTraining& training) {
  AgentWords now = WithNewNames(AgentWords{.label = training.agent,
                                           .name = training.agent_name,
                                           .params = training.params,
                                           .reproduce = training.reproduce});
  training.agent = std::move(now.label);
  training.agent_name = std::move(now.name);
  training.params = std::move(now.params);
  training.reproduce = std::move(now.reproduce);
}

ExperimentWords WithNewNames(const ExperimentWords& words) {
  try {
    Json resolved = Json::parse(words.resolved);
    Json matrix = Json::parse(words.matrix);
    const std::map<std::string, std::string> labels = RenameAgents(resolved);
    for (Json& agent : matrix.at("agents")) {
      const auto found = labels.find(agent.at("label"));
      agent["label"] = found != labels.end() ? found->second : agent.at("label").get<std::string>();
    }
    return {.resolved = resolved.dump(), .matrix = matrix.dump()};
  } catch (const nlohmann::json::exception&) {
    return words;
  }
}

void RenameRows(Database& database) {
  RenameExperiment(database);
  RenameRows(database, "runs");
  RenameRows(database, "trainings");
}

}  // namespace opyard::experiments
