#include "experiments/external/guarded_agent.h"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "agents/base/agent_failure.h"
#include "sim/base/error.h"
#include "sim/io/text/utf8.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kLongestFailure = 500;

[[noreturn]] void Fail(const std::string& name, const std::string& why) {
  throw agents::AgentFailure("agent " + name + " failed: " + sim::ShownText(why, kLongestFailure));
}

// The result of `call`.
template <class Call>
auto Guard(const std::string& name, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const InputError&) {
    throw;
  } catch (const UnsupportedError&) {
    throw;
  } catch (const agents::AgentFailure&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    Fail(name, error.what());
  } catch (...) {
    Fail(name, "it threw what is no std::exception");
  }
}

class GuardedAgent final : public agents::Agent {
 public:
  GuardedAgent(std::string name, std::unique_ptr<Agent> agent)
      : name_(std::move(name)), agent_(std::move(agent)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const agents::SearchContext& context) override {
    Guard(name_, [&] { agent_->Search(problem, evaluator, rng, context); });
  }

 private:
  std::string name_;
  std::unique_ptr<Agent> agent_;
};

class GuardedTrainer final : public agents::Trainer {
 public:
  GuardedTrainer(std::string name, std::unique_ptr<Trainer> trainer)
      : name_(std::move(name)), trainer_(std::move(trainer)) {}

  std::optional<agents::TrainingPoint> Update(env::ProblemPool& pool, Rng& rng) override {
    return Guard(name_, [&] { return trainer_->Update(pool, rng); });
  }
  [[nodiscard]] std::int64_t num_updates() const override {
    return Guard(name_, [&] { return trainer_->num_updates(); });
  }
  void Save(const std::filesystem::path& path,
            const agents::TrainingRecord& record) const override {
    Guard(name_, [&] { trainer_->Save(path, record); });
  }
  agents::TrainingRecord Load(const std::filesystem::path& path) override {
    return Guard(name_, [&] { return trainer_->Load(path); });
  }
  void SaveWeights(const std::filesystem::path& path,
                   const agents::TrainingRecord& record) const override {
    Guard(name_, [&] { trainer_->SaveWeights(path, record); });
  }

 private:
  std::string name_;
  std::unique_ptr<Trainer> trainer_;
};

// The result of `make`, guarded; it must not be null.
template <class Guarded, class Make>
std::unique_ptr<Guarded> MakeGuarded(const std::string& name, const Make& make) {
  auto made = Guard(name, make);
  if (made == nullptr) {
    Fail(name, "it made nothing");
  }
  return std::make_unique<Guarded>(name, std::move(made));
}

}  // namespace

agents::AgentEntry Guarded(agents::AgentEntry entry) {
  agents::AgentEntry guarded = entry;
  guarded.make = [name = entry.info.name, make = std::move(entry.make)](Options& options) {
    return MakeGuarded<GuardedAgent>(name, [&] { return make(options); });
  };
  if (entry.check != nullptr) {
    // An object that a plugin makes may refuse more than its table says.
    guarded.check = [name = entry.info.name, check = std::move(entry.check), make = guarded.make](
                        Options& options) {
      auto faults = Guard(name, [&] { return check(options); });
      if (faults.empty()) {
        static_cast<void>(make(options));
      }
      return faults;
    };
  }
  if (entry.make_trainer != nullptr) {
    guarded.make_trainer = [name = entry.info.name, make = std::move(entry.make_trainer)](
                               Options& options, const agents::TrainingPlan& plan) {
      return MakeGuarded<GuardedTrainer>(name, [&] { return make(options, plan); });
    };
  }
  if (entry.start_of != nullptr) {
    guarded.start_of = [name = entry.info.name,
                        start_of = std::move(entry.start_of)](Options& options) {
      return Guard(name, [&] { return start_of(options); });
    };
  }
  return guarded;
}

}  // namespace opyard::experiments
