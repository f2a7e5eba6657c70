#include "experiments/cli/command_line/completion.h"

#include <algorithm>
#include <array>

#include <CLI/CLI.hpp>

#include "env/problem_fields.h"
#include "experiments/base/shipped_experiments.h"
#include "experiments/cli/command_line/refusal.h"
#include "graphs/graph_sources.h"
#include "graphs/importers/importers.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

using Names = std::vector<std::string>;

Names AgentNames(const agents::AgentRegistry& agents) {
  return agents.Names();
}

Names FamilyNames(const agents::AgentRegistry& /*agents*/) {
  Names names;
  for (const auto& source : graphs::GraphSources()) {
    names.push_back(source->name());
  }
  return names;
}

Names GraphNames(const agents::AgentRegistry& agents) {
  Names names = FamilyNames(agents);
  for (const graphs::ShippedGraph& graph : graphs::ListShippedGraphs()) {
    names.push_back(graph.name);
  }
  return names;
}

Names FormatNames(const agents::AgentRegistry& /*agents*/) {
  Names names;
  for (const auto& importer : graphs::Importers()) {
    names.push_back(importer->name());
  }
  return names;
}

Names ProfileNames(const agents::AgentRegistry& /*agents*/) {
  Names names;
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    names.push_back(profile.name);
  }
  return names;
}

Names MachineNames(const agents::AgentRegistry& /*agents*/) {
  Names names;
  for (const sim::ShippedProfile& profile : sim::ListShippedProfiles()) {
    if (profile.is_machine) {
      names.push_back(profile.name);
    }
  }
  return names;
}

Names ExperimentNames(const agents::AgentRegistry& /*agents*/) {
  return ShippedExperiments();
}

// Each name, the first two together, and so on up to all.
Names Lists(const Names& names) {
  Names lists;
  std::string together;
  for (const std::string& name : names) {
    lists.push_back(name);
    together += (together.empty() ? "" : ",") + name;
    if (together != name) {
      lists.push_back(together);
    }
  }
  return lists;
}

// The values of the setting of a problem whose values are shown as `type`; none of no setting.
Names SettingValues(const std::string& type) {
  const std::span<const env::DoorField> fields = env::FieldsAt(env::Door::kCommandLine);
  const auto at = std::ranges::find(fields, type, &env::DoorField::shown);
  if (at == fields.end() || env::FieldOf(at->field).words == nullptr) {
    return {};
  }
  const env::ProblemField& field = env::FieldOf(at->field);
  Names words = field.words();
  if (field.form == env::SettingForm::kObjective) {
    words.back() += ":";  // "weighted:", whose weights follow
  }
  return field.form == env::SettingForm::kNames ? Lists(words) : words;
}

// The candidates for an argument of one type.
struct ValueSource {
  std::string_view type;
  Names (*list)(const agents::AgentRegistry& agents);
};

constexpr auto kSources = std::to_array<ValueSource>({{"A", GraphNames},
                                                      {"AGENT", AgentNames},
                                                      {"B", GraphNames},
                                                      {"EXPERIMENT", ExperimentNames},
                                                      {"FAMILY", FamilyNames},
                                                      {"FORMAT", FormatNames},
                                                      {"GRAPH", GraphNames},
                                                      {"IN", GraphNames},
                                                      {"MACHINE", MachineNames},
                                                      {"PROFILE", ProfileNames}});

// The legal values of `option`: CLI11 writes its choices into the name of its type, "QUEUE:{fifo}".
Names ValuesOf(const CLI::Option& option, const agents::AgentRegistry& agents) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  if (open != std::string::npos && type.back() == '}') {
    return CLI::detail::split(type.substr(open + 1, type.size() - open - 2), ',');
  }
  const std::string name = type.substr(0, type.find(':'));
  const auto* const source = std::ranges::find(kSources, name, &ValueSource::type);
  return source == kSources.end() ? SettingValues(name) : source->list(agents);
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// The place in the tree of subcommands that a line has reached after all words but its last.
struct Place {
  const CLI::App* subcommand = nullptr;
  const CLI::Option* waiting = nullptr;  // for its value
  std::size_t num_arguments = 0;         // given to the subcommand
};

Place PlaceAfter(const CLI::App& app, std::span<const std::string> words) {
  Place place{.subcommand = &app};
  for (const std::string& word : words) {
    if (place.waiting != nullptr) {
      place.waiting = nullptr;
    } else if (word.starts_with("-")) {
      const CLI::Option* option = place.subcommand->get_option_no_throw(word);
      place.waiting = option != nullptr && TakesValue(*option) ? option : nullptr;
    } else if (const CLI::App* next = FindSubcommand(*place.subcommand, word)) {
      place.subcommand = next;
    } else {
      ++place.num_arguments;
    }
  }
  return place;
}

Names OptionsOf(const CLI::App& subcommand) {
  Names names;
  for (const CLI::Option* option : subcommand.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

Names ArgumentsOf(const Place& place, const agents::AgentRegistry& agents) {
  const auto arguments = place.subcommand->get_options(
      [](const CLI::Option* option) { return option->get_positional(); });
  return place.num_arguments < arguments.size() ? ValuesOf(*arguments[place.num_arguments], agents)
                                                : Names();
}

// "--agent=heft" for "--agent=".
Names AssignedValues(const CLI::App& subcommand,
                     const std::string& name,
                     const agents::AgentRegistry& agents) {
  const CLI::Option* option = subcommand.get_option_no_throw(name);
  Names values = option == nullptr ? Names() : ValuesOf(*option, agents);
  for (std::string& value : values) {
    value.insert(0, name + "=");
  }
  return values;
}

Names AllCandidates(const Place& place,
                    const std::string& last,
                    const agents::AgentRegistry& agents) {
  if (place.waiting != nullptr) {
    return ValuesOf(*place.waiting, agents);
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
    return AssignedValues(*place.subcommand, last.substr(0, equals), agents);
  }
  if (last.starts_with("-")) {
    return OptionsOf(*place.subcommand);
  }
  const Names subcommands = SubcommandNames(*place.subcommand);
  return subcommands.empty() ? ArgumentsOf(place, agents) : subcommands;
}

}  // namespace

Names Candidates(const CLI::App& app,
                 std::span<const std::string> words,
                 const agents::AgentRegistry& agents) {
  if (words.empty()) {
    return SubcommandNames(app);
  }
  const std::string& last = words.back();
  Names names = AllCandidates(PlaceAfter(app, words.first(words.size() - 1)), last, agents);
  std::erase_if(names, [&last](const std::string& name) { return !name.starts_with(last); });
  std::ranges::sort(names);
  return names;
}

}  // namespace opyard::experiments
