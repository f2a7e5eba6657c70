#include "agents/search/brkga/tuned_settings.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "agents/search/brkga/brkga_settings.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"

namespace opyard::agents {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kSchemaVersion = 1;

OptionValue ValueOf(const std::string& name, const Json& value) {
  if (value.is_boolean()) {
    return value.get<bool>();
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  throw InputError("params/" + name + ": found " + value.dump() +
                   ", expected a number, a text, true or false");
}

Options ParamsIn(const Json& file) {
  if (file.at("schema_version") != kSchemaVersion) {
    throw InputError("schema_version: found " + file.at("schema_version").dump() + ", expected 1");
  }
  if (file.at("agent") != "brkga") {
    throw InputError("agent: found " + file.at("agent").dump() + ", expected \"brkga\"");
  }
  Options params;
  for (const auto& [name, value] : file.at("params").items()) {
    params.Set(name, ValueOf(name, value));
  }
  return params;
}

}  // namespace

OptionTable<TunedOptions> TunedOptionTable() {
  return OptionTable<TunedOptions>(
             {{.name = "settings",
               .field = Text(&TunedOptions::settings),
               .meaning =
                   "file that `opyard tune` wrote; empty: the shipped one for the objective"}})
      .WithRule({.name = "settings", .check = [](const TunedOptions& options) {
                   for (const TunedFor each : {TunedFor::kPeakMemory, TunedFor::kMakespan}) {
                     static_cast<void>(ReadTunedSettings(TunedFile(options, each)));
                   }
                 }});
}

std::filesystem::path TunedFile(const TunedOptions& options, TunedFor objective) {
  if (!options.settings.empty()) {
    return options.settings;
  }
  return DataRoot() / "weights" /
         (objective == TunedFor::kPeakMemory ? "brkga-peak-memory.json" : "brkga-makespan.json");
}

BrkgaSettings ReadTunedSettings(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) {
    throw InputError(path.string() +
                     ": found no file that can be read, expected one that opyard tune wrote");
  }
  try {
    Options params = ParamsIn(Json::parse(stream));
    const BrkgaSettings settings = BrkgaTable().Read(params);
    params.EnsureAllUsed("agent brkga");
    return settings;
  } catch (const Json::exception& error) {
    throw InputError(path.string() + ": found what is no file of opyard tune: " + error.what());
  } catch (const InputError& error) {
    throw InputError(path.string() + ": " + error.what());
  }
}

}  // namespace opyard::agents
