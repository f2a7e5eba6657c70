#include "experiments/statistics/best_known.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "env/problem_fields.h"
#include "experiments/store/result_store.h"
#include "experiments/text/csv.h"
#include "experiments/text/csv_fields.h"
#include "experiments/text/csv_reader.h"
#include "experiments/text/word_list.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/options.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// The columns that are read; written tables have three more, which follow from `rules` and
// `searches`.
constexpr auto kBestKnownTitles = std::to_array<const char*>(
    {"graph",      "machine",      "tasks",         "objective",    "queue",         "fusion",
     "makespan_s", "score",        "expert_s",      "expert_score", "lower_bound_s", "agent",
     "seed",       "evaluations",  "version",       "plan",         "reproduce",     "rules",
     "searches",   "graph_sha256", "machine_sha256"});

// True for "plans/NAME": nothing else is ever opened or taken away.
bool IsPlanFile(const std::string& file) {
  const fs::path path = file;
  const fs::path name = path.filename();
  return path.parent_path() == "plans" && !name.empty() && name != "." && name != "..";
}

// Reads one row; what is wrong with it goes to `diagnostics`.
class RowReader {
 public:
  RowReader(const CsvRow& row,
            const std::vector<std::size_t>& columns,
            std::string place,
            Diagnostics& diagnostics)
      : row_(row), columns_(columns), place_(std::move(place)), diagnostics_(diagnostics) {}

  BestKnownPlan Read() {
    return {.problem = ReadProblem(),
            .graph_sha256 = Field("graph_sha256"),
            .machine_sha256 = Field("machine_sha256"),
            .best = {.makespan = Makespan("makespan_s"), .score = Number("score")},
            .expert = ReadExpert(),
            .lower_bound = Bound(),
            .agent = Name("agent"),
            .seed = Count("seed", Field("seed")),
            .evaluations = Count("evaluations", Field("evaluations")),
            .version = Field("version"),
            .reproduce = Field("reproduce"),
            .file = ReadFile(),
            .rules = ReadRules(),
            .searches = ReadSearches()};
  }

 private:
  [[nodiscard]] const std::string& Field(std::string_view title) const {
    const auto* const found = std::ranges::find(kBestKnownTitles, title);
    return row_.fields[columns_[static_cast<std::size_t>(found - kBestKnownTitles.begin())]];
  }

  void Refuse(const std::string& title, const std::string& found, const std::string& expected) {
    diagnostics_.AddError(place_, title + ": found " + Quoted(found) + ", expected " + expected);
  }

  const std::string& Name(const std::string& title) {
    if (Field(title).empty()) {
      Refuse(title, "", "a name");
    }
    return Field(title);
  }

  SimTime Makespan(const std::string& title) {
    const SimTime time = TimeIn(Field(title)).value_or(SimTime{});
    if (time == SimTime{}) {
      Refuse(title, Field(title), "seconds, above 0 and at most 4.6e6");
    }
    return time;
  }

  SimTime Bound() {
    const std::optional<SimTime> time = TimeIn(Field("lower_bound_s"));
    if (!time.has_value()) {
      Refuse("lower_bound_s", Field("lower_bound_s"), "seconds, from 0 to 4.6e6");
    }
    return time.value_or(SimTime{});
  }

  double Number(const std::string& title) {
    const double number = NumberIn(Field(title)).value_or(-1.0);
    if (number < 0.0) {
      Refuse(title, Field(title), "a number from 0");
    }
    return number;
  }

  std::int64_t Count(const std::string& title, const std::string& field) {
    const std::optional<std::int64_t> count = CountIn(field);
    if (!count.has_value()) {
      Refuse(title, field, "a whole number from 0");
    }
    return count.value_or(0);
  }

  std::optional<PlanWorth> ReadExpert() {
    if (Field("expert_s").empty() && Field("expert_score").empty()) {
      return std::nullopt;
    }
    return PlanWorth{.makespan = Makespan("expert_s"), .score = Number("expert_score")};
  }

  ProblemWords ReadProblem() {
    return CanonicalWords({.graph = Name("graph"),
                           .machine = Name("machine"),
                           .tasks = Field("tasks"),
                           .objective = Field("objective"),
                           .queue = Field("queue"),
                           .fusion = Field("fusion")},
                          place_,
                          diagnostics_);
  }

  const std::string& ReadFile() {
    if (!IsPlanFile(Field("plan"))) {
      Refuse("plan", Field("plan"), "plans/NAME");
    }
    return Field("plan");
  }

  std::set<std::string> ReadRules() {
    std::set<std::string> rules;
    for (const std::string& word : SplitWords(Field("rules"))) {
      rules.insert(AgentIn("rules", word));
    }
    return rules;
  }

  std::string AgentIn(const std::string& title, std::string_view word) {
    const std::optional<std::string> name = FromWord(word);
    if (!name.has_value()) {
      Refuse(title, std::string(word), "two hexadecimal digits behind each %");
    }
    return name.value_or("");
  }

  // The name of an agent may hold colons itself (FILE:CLASS): the last two count.
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> ReadSearches() {
    std::map<std::pair<std::string, std::int64_t>, std::int64_t> searches;
    for (const std::string& word : SplitWords(Field("searches"))) {
      const std::size_t last = word.rfind(':');
      const std::size_t first =
          last == std::string::npos || last == 0 ? std::string::npos : word.rfind(':', last - 1);
      if (first == std::string::npos) {
        Refuse("searches", word, "AGENT:SEED:EVALUATIONS");
        continue;
      }
      const std::string agent = AgentIn("searches", word.substr(0, first));
      const std::int64_t seed = Count("searches", word.substr(first + 1, last - first - 1));
      searches[{agent, seed}] = Count("searches", word.substr(last + 1));
    }
    return searches;
  }

  const CsvRow& row_;
  const std::vector<std::size_t>& columns_;
  std::string place_;
  Diagnostics& diagnostics_;
};

std::string Seconds(SimTime time) {
  return ToText(time.seconds());
}

std::string SearchesText(const BestKnownPlan& plan) {
  std::string text;
  for (const auto& [search, evaluations] : plan.searches) {
    text += (text.empty() ? "" : " ") + ToWord(search.first) + ":" + std::to_string(search.second) +
            ":" + std::to_string(evaluations);
  }
  return text;
}

std::string RulesText(const BestKnownPlan& plan) {
  std::string text;
  for (const std::string& rule : plan.rules) {
    text += (text.empty() ? "" : " ") + ToWord(rule);
  }
  return text;
}

std::vector<std::string> RowOf(const BestKnownPlan& plan) {
  const SearchEffort effort = EffortOf(plan);
  const bool has_expert = plan.expert.has_value();
  return {plan.problem.graph,
          plan.problem.machine,
          plan.problem.tasks,
          plan.problem.objective,
          plan.problem.queue,
          plan.problem.fusion,
          Seconds(plan.best.makespan),
          ToText(plan.best.score),
          has_expert ? Seconds(plan.expert->makespan) : "",
          has_expert ? ToText(plan.expert->score) : "",
          Seconds(plan.lower_bound),
          plan.agent,
          std::to_string(plan.seed),
          std::to_string(plan.evaluations),
          plan.version,
          plan.file,
          plan.reproduce,
          RulesText(plan),
          SearchesText(plan),
          plan.graph_sha256,
          plan.machine_sha256,
          std::to_string(effort.num_agents),
          std::to_string(effort.num_seeds),
          effort.least_evaluations.has_value() ? std::to_string(*effort.least_evaluations) : ""};
}

// The settings in the words of a problem, by their names in env/problem_fields.h.
struct SettingWord {
  const char* name;
  std::string ProblemWords::*word;
};
constexpr auto kWords = std::to_array<SettingWord>({{"tasks", &ProblemWords::tasks},
                                                    {"objective", &ProblemWords::objective},
                                                    {"queue", &ProblemWords::queue},
                                                    {"fusion", &ProblemWords::fusion}});

}  // namespace

ProblemWords CanonicalWords(const ProblemWords& words,
                            const std::string& place,
                            Diagnostics& diagnostics) {
  ProblemWords canonical{.graph = words.graph, .machine = words.machine};
  for (const auto& [name, word] : kWords) {
    const env::ProblemField& field = env::FieldOf(name);
    const std::size_t before = diagnostics.count();
    env::ProblemSettings settings;
    field.read(env::ParseSetting(field, words.*word), place + ": " + name, settings, diagnostics);
    const bool is_read = diagnostics.count() == before;
    canonical.*word = is_read ? env::SettingText(field.print(settings)) : "";
  }
  return canonical;
}

SearchEffort EffortOf(const BestKnownPlan& plan) {
  std::set<std::string> agents = plan.rules;
  std::map<std::string, std::size_t> seeds;
  SearchEffort effort;
  for (const auto& [search, evaluations] : plan.searches) {
    agents.insert(search.first);
    ++seeds[search.first];
    effort.least_evaluations =
        std::min(effort.least_evaluations.value_or(evaluations), evaluations);
  }
  effort.num_agents = agents.size();
  for (const auto& [agent, count] : seeds) {
    effort.num_seeds = effort.num_seeds == 0 ? count : std::min(effort.num_seeds, count);
  }
  return effort;
}

std::optional<fs::path> FindBestKnown(const fs::path& path) {
  std::error_code ignored;
  if (path.extension() == ".csv" && !fs::is_directory(path, ignored)) {
    return path;
  }
  const bool is_ours = fs::exists(path / kBestKnownFile, ignored) &&
                       !fs::exists(path / ResultStore::kFileName, ignored);
  return is_ours ? std::optional(path / kBestKnownFile) : std::nullopt;
}

std::vector<BestKnownPlan> ReadBestKnown(const fs::path& path) {
  return ReadBestKnownText(sim::ReadTextFile(path), InputName(path));
}

std::vector<BestKnownPlan> ReadBestKnownText(std::string_view text, const std::string& place) {
  sim::EnsureUtf8(text, place);
  const std::vector<CsvRow> rows = ReadCsv(text, place);
  const std::vector<std::size_t> columns = FindColumns(rows, kBestKnownTitles, place);
  Diagnostics diagnostics;
  std::vector<BestKnownPlan> plans;
  std::set<ProblemWords> seen;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string line = place + ":" + std::to_string(rows[i].line);
    plans.push_back(RowReader(rows[i], columns, line, diagnostics).Read());
    if (!seen.insert(plans.back().problem).second) {
      diagnostics.AddError(line, "found this problem again, expected it once");
    }
  }
  diagnostics.ThrowIfAny();
  return plans;
}

std::string BestKnownCsv(const std::vector<BestKnownPlan>& plans) {
  std::vector<std::string> titles(kBestKnownTitles.begin(), kBestKnownTitles.end());
  titles.insert(titles.end(), {"agents", "seeds", "least_evaluations"});
  CsvTable table(titles);
  for (const BestKnownPlan& plan : plans) {
    table.AddRow(RowOf(plan));
  }
  return table.text();
}

env::ProblemSpec SpecOf(const ProblemWords& words,
                        std::shared_ptr<const sim::OpGraph> graph,
                        std::shared_ptr<const sim::HardwareProfile> hardware) {
  env::ProblemSpec spec{.graph = std::move(graph), .hardware = std::move(hardware)};
  Diagnostics diagnostics;
  for (const auto& [name, word] : kWords) {
    const env::ProblemField& field = env::FieldOf(name);
    field.read(env::ParseSetting(field, words.*word), name, spec.settings, diagnostics);
  }
  OPYARD_CHECK(diagnostics.empty(), "words that were read before");
  return spec;
}

}  // namespace opyard::experiments
