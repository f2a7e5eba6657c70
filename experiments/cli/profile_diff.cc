#include "experiments/cli/profile_diff.h"

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/subcommand.h"
#include "experiments/console/console.h"
#include "experiments/machines/profile_difference.h"
#include "experiments/machines/profile_reading.h"
#include "experiments/machines/quantity_text.h"
#include "experiments/text/number_format.h"

namespace opyard::experiments {
namespace {

struct ProfileDiffOptions {
  std::string before;  // each a device or machine file, or the name of a shipped one
  std::string after;
  bool json = false;
};

// Prints what differs: "-" for items that only the first profile has, "+" for those that only the
// second has, "~" for values that changed. kAnswerIsNo if the profiles differ.
[[nodiscard]] int DiffProfiles(const ProfileDiffOptions& options, const Console& console);

// The answer with --json.
[[nodiscard]] std::string ProfileDiffJson(const ProfileDifference& difference);

}  // namespace

void AddProfileDiffArguments(CLI::App& group, Command& command) {
  CLI::App& subcommand =
      AddSubcommand(group,
                    {.name = "diff",
                     .summary = "the differences between two devices or machines",
                     .examples = "  opyard profile diff p100x2-pcie p100x4-pcie"});
  const auto options = std::make_shared<ProfileDiffOptions>();
  const char* const kHelp = "device or machine: file or name";
  subcommand.add_option("before", options->before, kHelp)->required()->type_name("A");
  subcommand.add_option("after", options->after, kHelp)->required()->type_name("B");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &DiffProfiles);
}

namespace {

void PrintDifference(const ProfileDifference& difference, std::ostream& out) {
  for (const std::string& item : difference.only_before) {
    out << "- " << OneLine(item) << '\n';
  }
  for (const std::string& item : difference.only_after) {
    out << "+ " << OneLine(item) << '\n';
  }
  for (const ProfileChange& change : difference.changes) {
    out << "~ " << OneLine(PlaceText(change)) << ": " << OneLine(BeforeText(change)) << " -> "
        << OneLine(AfterText(change)) << '\n';
  }
  if (difference.has_other_order) {
    out << "devices, switches, links or routes stand in another order\n";
  }
}

int DiffProfiles(const ProfileDiffOptions& options, const Console& console) {
  const ProfileDifference difference =
      CompareProfiles(ReadProfile(options.before), ReadProfile(options.after));
  if (options.json) {
    console.out << ProfileDiffJson(difference) << '\n';
  } else {
    PrintDifference(difference, console.out);
  }
  return difference.is_empty() ? kSuccess : kAnswerIsNo;
}

using Json = nlohmann::ordered_json;

// A number in base units, or text; null where the value is not there.
Json ProfileValueJson(const std::string& text) {
  const std::optional<Quantity> quantity = FindQuantity(text);
  if (quantity) {
    return quantity->value;
  }
  return text.empty() ? Json(nullptr) : Json(text);
}

Json UnitJson(const ProfileChange& change) {
  const std::optional<Quantity> quantity =
      FindQuantity(change.before.empty() ? change.after : change.before);
  return quantity && !quantity->unit.empty() ? Json(quantity->unit) : Json(nullptr);
}

std::string ProfileDiffJson(const ProfileDifference& difference) {
  Json changes = Json::array();
  for (const ProfileChange& change : difference.changes) {
    changes.push_back({{"section", change.section.empty() ? Json(nullptr) : Json(change.section)},
                       {"names", change.names},
                       {"key", change.key},
                       {"unit", UnitJson(change)},
                       {"before", ProfileValueJson(change.before)},
                       {"after", ProfileValueJson(change.after)}});
  }
  const Json json = {{"equal", difference.is_empty()},
                     {"only_before", difference.only_before},
                     {"only_after", difference.only_after},
                     {"changes", changes},
                     {"other_order", difference.has_other_order}};
  return json.dump();
}

}  // namespace
}  // namespace opyard::experiments
