// The agents `regal` and `gas`; declaration.h says what they are.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/only_plan.h"
#include "agents/learned/common/torch_device.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/regal/declaration.h"
#include "agents/learned/regal/learner.h"
#include "agents/learned/regal/proposal_search.h"
#include "agents/planning/encoding/decisions.h"
#include "sim/base/data_root.h"

namespace opyard::agents::regal {
namespace {

// The weights of `settings`, or those that ship with the program.
std::filesystem::path WeightsFor(const env::Problem& problem, const Settings& settings) {
  if (!settings.session.checkpoint.empty()) {
    return settings.session.checkpoint;
  }
  const bool is_of_memory = problem.objective().kind == env::ObjectiveKind::kPeakMemory;
  const std::string name = settings.training.sizes.network == Network::kMessages ? "regal" : "gas";
  return DataRoot() / "weights" / (name + (is_of_memory ? "" : "-makespan") + ".opyard");
}

class Regal final : public Agent {
 public:
  // Throws InputError for a population of 1.
  explicit Regal(Settings settings) : settings_(std::move(settings)) {
    static_cast<void>(BrkgaSearch(settings_.genetic));
  }

  // Throws InputError, before it evaluates anything, where LibTorch sees no such device as the
  // settings ask for, or the weights cannot be had.
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    const torch::Device device = RequireDevice(settings_.session.device);
    if (HasOnePlan(problem)) {
      evaluator.Evaluate(OnlyPlan(problem));
      return;
    }
    // `rng` stays as it is, so that the search is seeded as one without proposals.
    Rng bins = rng.Fork(1);
    Propose(problem, device, bins)
        .Search(problem, evaluator, rng, ToDecisions(problem, context.start));
  }

 private:
  [[nodiscard]] BrkgaSearch Propose(const env::Problem& problem,
                                    torch::Device device,
                                    Rng& rng) const {
    const TorchSession session(settings_.session.num_threads, settings_.session.device);
    const std::filesystem::path path = WeightsFor(problem, settings_);
    const Checkpoint found = ReadCheckpoint(path);
    const Sizes sizes = SizesOf(found, settings_.training.sizes.network, path);
    Rng any(0);  // the weights are copied over
    Learner learner(settings_.training, sizes, any, device);
    learner.TakeWeights(found, path);
    if (!settings_.session.save.empty()) {
      WriteCheckpoint(learner.ToWeights(), settings_.session.save);
    }
    const View view = MakeView(problem, sizes, device);
    return SearchWith(view, sizes, settings_.genetic, learner.Propose(view, rng));
  }

  Settings settings_;
};

}  // namespace

std::unique_ptr<Agent> Declaration::Make(const Settings& settings) {
  return std::make_unique<Regal>(settings);
}

std::unique_ptr<Agent> GasDeclaration::Make(const Settings& settings) {
  return std::make_unique<Regal>(settings);
}

}  // namespace opyard::agents::regal
