// A plugin whose file's name says what is the matter with it: the tests copy it to names such as
// "other_abi.so". Compiled with hidden symbols, as many people compile plugins.
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include "agents/base/make_entry.h"
#include "agents/base/plugin.h"
#include "env/problem.h"
#include "sim/base/error.h"

namespace {

using opyard::InputError;
namespace agents = opyard::agents;
namespace env = opyard::env;

// "other_abi" of ".../other_abi.so".
std::string Case() {
  static constexpr char kInside = 0;
  Dl_info info{};
  dladdr(&kInside, &info);
  return std::filesystem::path(info.dli_fname).stem();
}

enum class Throw : std::uint8_t {
  kNothing,
  kInputError,
  kPlanError,
  kRuntimeError,
  kNumber,
  kBadAlloc
};

struct Settings {
  Throw when_made = Throw::kNothing;
  Throw when_searching = Throw::kNothing;
};

agents::Words<Throw> ThrowWords() {
  return {{"nothing", Throw::kNothing},
          {"input_error", Throw::kInputError},
          {"plan_error", Throw::kPlanError},
          {"runtime_error", Throw::kRuntimeError},
          {"number", Throw::kNumber},
          {"bad_alloc", Throw::kBadAlloc}};
}

void Throws(Throw what) {
  switch (what) {
    case Throw::kNothing:
      return;
    case Throw::kInputError:
      throw InputError("the plugin refuses its input");
    case Throw::kPlanError:
      throw opyard::PlanError("the plugin's plan is odd");
    case Throw::kRuntimeError:
      throw std::runtime_error("the plugin\nbroke");
    case Throw::kNumber:
      throw 42;
    case Throw::kBadAlloc:
      throw std::bad_alloc();
  }
}

// Evaluates the default plan, then throws.
class Thrower final : public agents::Agent {
 public:
  explicit Thrower(const Settings& settings) : settings_(settings) { Throws(settings.when_made); }

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              opyard::Rng& /*rng*/,
              const agents::SearchContext& /*context*/) override {
    evaluator.Evaluate({.placement = problem.default_placement()});
    Throws(settings_.when_searching);
  }

 private:
  Settings settings_;
};

// Has one update, and then breaks.
class BrokenTrainer final : public agents::Trainer {
 public:
  std::optional<agents::TrainingPoint> Update(env::ProblemPool& /*pool*/,
                                              opyard::Rng& /*rng*/) override {
    throw std::runtime_error("no update today");
  }
  [[nodiscard]] std::int64_t num_updates() const override { return 3; }
  void Save(const std::filesystem::path& /*path*/,
            const agents::TrainingRecord& /*record*/) const override {}
  agents::TrainingRecord Load(const std::filesystem::path& /*path*/) override { return {}; }
  void SaveWeights(const std::filesystem::path& /*path*/,
                   const agents::TrainingRecord& /*record*/) const override {}
};

agents::AgentEntry Entry(const std::string& name) {
  const agents::OptionTable<Settings> options(
      {{.name = "when_made",
        .field = Word(&Settings::when_made, ThrowWords()),
        .meaning = "what is thrown when it is made"},
       {.name = "when_searching",
        .field = Word(&Settings::when_searching, ThrowWords()),
        .meaning = "what is thrown after a plan"}});
  agents::AgentEntry entry = agents::MakeEntry(
      {.name = name, .tasks = {"placement"}, .summary = "Throws what its option says."},
      options,
      [](const Settings& settings) { return std::make_unique<Thrower>(settings); },
      [](const Settings&, const agents::TrainingPlan&) {
        return std::make_unique<BrokenTrainer>();
      });
  entry.start_of = [](opyard::Options& given) {
    return given.Text("when_made", "") == "number" ? throw 42 : std::string("the default plan");
  };
  return entry;
}

// One agent, with the fault that the file's name names.
std::vector<agents::AgentEntry> Agents() {
  const std::string fault = Case();
  if (fault == "throws") {
    throw std::runtime_error("not today");
  }
  if (fault == "no_agents") {
    return {};
  }
  if (fault == "twins") {
    return {Entry("thrower"), Entry("thrower")};
  }
  std::vector<agents::AgentEntry> entries = {Entry(fault == "taken" ? "heft" : "thrower")};
  if (fault == "odd_name") {
    entries.front() = Entry("odd name");
  } else if (fault == "no_make") {
    entries.front().make = nullptr;
  } else if (fault == "odd_task") {
    entries.front().info.tasks = {"cooking"};
  } else if (fault == "odd_text") {
    entries.front().info.summary = "\xff";
  } else if (fault == "makes_nothing") {
    entries.front().make = [](opyard::Options&) { return std::unique_ptr<agents::Agent>(); };
  }
  return entries;
}

}  // namespace

const agents::Plugin* opyard_plugin() {
  static constexpr agents::Plugin kGood{.agents = Agents};
  static constexpr agents::Plugin kOtherAbi{.abi = 999, .agents = Agents};
  static constexpr agents::Plugin kOtherLayout{.entry_bytes = 8, .agents = Agents};
  static constexpr agents::Plugin kOtherVersion{.version = "0.0.9", .agents = Agents};
  static constexpr agents::Plugin kEmpty{};
  const std::string fault = Case();
  if (fault == "declares_nothing") {
    return nullptr;
  }
  if (fault == "throws_at_once") {
    throw InputError("too early");
  }
  return fault == "other_abi"       ? &kOtherAbi
         : fault == "other_layout"  ? &kOtherLayout
         : fault == "other_version" ? &kOtherVersion
         : fault == "empty"         ? &kEmpty
                                    : &kGood;
}
