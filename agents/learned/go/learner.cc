#include "agents/learned/go/learner.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/optimiser_step.h"
#include "agents/learned/common/weights.h"
#include "env/observation.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr const char* kAgent = "go";
constexpr const char* kEntropyWeights = "entropy_weights";
constexpr const char* kPriorityHead = "priority_head";
constexpr const char* kGumbel = "gumbel";

std::map<std::string, std::string> ConfigOf(const GoSizes& sizes) {
  std::map<std::string, std::string> config = {
      {"type_embedding", std::to_string(sizes.type_embedding)},
      {"hidden", std::to_string(sizes.hidden)},
      {"graph_layers", std::to_string(sizes.graph_layers)},
      {"row_layers", std::to_string(sizes.row_layers)},
      {"attention_layers", std::to_string(sizes.attention_layers)},
      {"heads", std::to_string(sizes.heads)},
      {"feed_forward", std::to_string(sizes.feed_forward)},
      {"segment", std::to_string(sizes.segment)},
      {"attention", sizes.attention ? "1" : "0"},
      {"modulation", sizes.modulation ? "1" : "0"},
      {"refinement", std::to_string(sizes.refinement)},
      {"levels", std::to_string(sizes.levels)},
      {"ranked", sizes.ranked ? "1" : "0"}};
  if (sizes.priority_head == GoPriorityHead::kGumbel) {
    config[kPriorityHead] = kGumbel;  // networks of before this choice say nothing
  }
  return config;
}

// How many decisions of a plan have a choice; at least 1.
double NumDecisions(const DrawnDecisions& drawn) {
  return std::max(drawn.has_choice[0].sum().item<double>(), 1.0);
}

}  // namespace

GoMemory::GoMemory(const GoView& view, const GoOptions& options, torch::Device device)
    : elites(options.elites) {
  if (options.table_learning_rate == 0.0) {
    return;
  }
  tables = std::make_shared<GroupTables>(
      GroupTables::Sizes{.num_groups = view.num_groups(),
                         .num_devices = view.levels.front().sequence.num_devices,
                         .num_levels = options.sizes.levels,
                         .head = options.sizes.priority_head},
      view.tasks,
      device);
  optimiser_of_tables = std::make_unique<torch::optim::Adam>(
      tables->parameters(), torch::optim::AdamOptions(options.table_learning_rate));
}

GoLearner::GoLearner(const GoOptions& options, const GoSizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<GoPolicy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

GoScene GoLearner::SceneOf(const GoView& view, std::size_t level, const GoMemory* memory) const {
  GoScene scene = agents::SceneOf(view, level);
  scene.precision = options_.precision;
  scene.tables = memory == nullptr ? nullptr : memory->tables.get();
  return scene;
}

std::optional<JudgedGoSamples> GoLearner::Sample(const GoView& view,
                                                 std::size_t level,
                                                 std::int64_t num_samples,
                                                 const GoMemory* memory,
                                                 env::Evaluator& evaluator,
                                                 Rng& rng) {
  const torch::NoGradGuard no_grad;
  const GoScene scene = SceneOf(view, level, memory);
  JudgedGoSamples samples{.level = level,
                          .drawn = policy_->Sample(scene, policy_->Encode(scene), num_samples, rng),
                          .actions = {},
                          .evaluations = {}};
  samples.actions = ActionsOfGroups(view, level, samples.drawn.actions);
  samples.evaluations =
      evaluator.Evaluate(static_cast<std::size_t>(num_samples), [&](std::size_t item) {
        return ToPlan(view, samples.actions[static_cast<std::int64_t>(item)]);
      });
  if (std::ssize(samples.evaluations) < num_samples) {
    return std::nullopt;
  }
  return samples;
}

std::optional<env::Evaluation> GoLearner::JudgeLikeliest(const GoView& view,
                                                         std::size_t level,
                                                         env::Evaluator& evaluator) {
  const torch::NoGradGuard no_grad;
  const GoScene scene = SceneOf(view, level, nullptr);
  const torch::Tensor actions = policy_->Likeliest(scene, policy_->Encode(scene));
  return evaluator.Evaluate(ToPlan(view, ActionsOfGroups(view, level, actions)[0]));
}

std::vector<double> GoLearner::DeviceAffinity(const GoView& view,
                                              std::size_t level,
                                              const GoMemory* memory) {
  if (view.tasks.front() != GoTask::kPlacement) {
    return {};
  }
  const torch::NoGradGuard no_grad;
  const GoScene scene = SceneOf(view, level, memory);
  const torch::Tensor of_groups =  // [G, D]
      policy_->DeviceProbabilities(scene, policy_->Encode(scene))
          .to(torch::kCPU, torch::kDouble)
          .index_select(0, view.row_of_group[level])
          .contiguous();
  const auto* const first = of_groups.const_data_ptr<double>();
  return {first, first + of_groups.numel()};
}

std::vector<double> GoLearner::AdvantagesOf(const GoView& view,
                                            const JudgedGoSamples& samples,
                                            RewardBaseline& baseline,
                                            UpdateReport& report) const {
  std::vector<double> advantages =
      Advantages(samples.evaluations, view.reference_score, false, baseline, report);
  if (options_.advantage == GoAdvantage::kRank) {
    return RankAdvantages(report.rewards);
  }
  Normalise(advantages);
  return advantages;
}

UpdateReport GoLearner::Learn(const GoView& view,
                              const JudgedGoSamples& samples,
                              double used_share,
                              RewardBaseline& baseline,
                              GoMemory* memory,
                              Rng& rng) {
  // Weights of entropies are Judge's: one for each task.
  UpdateReport report{.entropy_weight = 1.0};
  const std::vector<double> advantages = AdvantagesOf(view, samples, baseline, report);
  torch::Tensor elites;  // [E, T, R]
  if (memory != nullptr && options_.elites > 0) {
    memory->elites.Add(samples.actions, report.rewards);
    if (used_share >= options_.elite_from) {
      elites = ActionsOfRows(view, samples.level, memory->elites.plans());
    }
  }
  const GoScene scene = SceneOf(view, samples.level, memory);
  const DrawnDecisions& drawn = samples.drawn.decisions;
  std::vector<double> entropy;  // [T]
  LearnByPpo(
      options_.ppo,
      {.drawn = drawn,
       .advantages = torch::tensor(advantages, drawn.log_probs.options()) / NumDecisions(drawn),
       .judge =
           [&](const torch::Tensor& share) {
             return Judge(scene, samples.drawn, share, elites, entropy);
           },
       .step = [&](const torch::Tensor& loss) { return Step(loss, memory); }},
      rng,
      report);
  report.entropy_weight = control_.WeightOf(view.tasks.front());
  const std::vector<double> wanted = WantedEntropies(view, samples.level, options_, used_share);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    control_.Move(view.tasks[i], entropy[i], wanted[i]);
  }
  return report;
}

JudgedShare GoLearner::Judge(const GoScene& scene,
                             const SampledActions& drawn,
                             const torch::Tensor& share,
                             const torch::Tensor& elites,
                             std::vector<double>& entropy) {
  const EncodedScene encoded = policy_->Encode(scene);
  const JudgedActions judged = policy_->Judge(scene, encoded, drawn.actions.index_select(0, share));
  torch::Tensor paid_for = torch::zeros({}, encoded.rows.options());
  entropy.clear();
  for (std::size_t i = 0; i < scene.tasks.size(); ++i) {
    const torch::Tensor of_task = judged.entropy[static_cast<std::int64_t>(i)];
    entropy.push_back(of_task.item<double>());
    paid_for = paid_for + control_.WeightOf(scene.tasks[i]) * of_task;
  }
  if (elites.defined()) {
    paid_for = paid_for + options_.elite_weight *
                              policy_->Judge(scene, encoded, elites).decision_log_probs.mean();
  }
  return {.log_probs = judged.log_probs,
          .decision_log_probs = judged.decision_log_probs,
          .entropy = judged.entropy.mean(),
          .paid_for = paid_for};
}

double GoLearner::Step(const torch::Tensor& loss, GoMemory* memory) {
  const bool has_tables = memory != nullptr && memory->tables != nullptr;
  if (has_tables) {
    memory->optimiser_of_tables->zero_grad();
  }
  const double norm = StepDown(loss, *policy_, *optimiser_, options_.clip);
  if (has_tables) {
    memory->optimiser_of_tables->step();
  }
  return norm;
}

Checkpoint GoLearner::ToWeights() const {
  return WeightsOf(kAgent, ConfigOf(policy_->sizes()), *policy_);
}

Checkpoint GoLearner::ToState() const {
  Checkpoint state = ToWeights();
  AddOptimiser(*policy_, *optimiser_, state);
  state.tensors[kEntropyWeights] = torch::tensor(control_.weights(), torch::kDouble);
  return state;
}

void GoLearner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void GoLearner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
  const torch::Tensor& weights = found.tensors.at(kEntropyWeights);
  const auto* const first = weights.const_data_ptr<double>();
  control_.set_weights({first, first + weights.numel()});
}

GoSizes GoSizesOf(const Checkpoint& weights, const std::filesystem::path& path) {
  RequireAgent(weights, kAgent, env::kFeatureVersion, path);
  const auto count = [&](const std::string& name) { return SizeOf(weights, name, path); };
  GoSizes sizes{.type_embedding = count("type_embedding"),
                .hidden = count("hidden"),
                .graph_layers = count("graph_layers"),
                .row_layers = count("row_layers"),
                .attention_layers = count("attention_layers"),
                .heads = count("heads"),
                .feed_forward = count("feed_forward"),
                .segment = count("segment"),
                .attention = count("attention") != 0,
                .modulation = count("modulation") != 0,
                .refinement = count("refinement"),
                .priority_head = weights.config.contains(kPriorityHead) ? GoPriorityHead::kGumbel
                                                                        : GoPriorityHead::kLevels,
                .levels = count("levels"),
                .ranked = count("ranked") != 0};
  if (sizes.heads == 0 || sizes.hidden % sizes.heads != 0 || sizes.segment == 0) {
    throw InputError(path.string() + ": heads: found " + std::to_string(sizes.heads) +
                     " of a hidden width of " + std::to_string(sizes.hidden) +
                     ", expected a divisor");
  }
  return sizes;
}

}  // namespace opyard::agents
