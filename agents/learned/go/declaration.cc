#include "agents/learned/go/declaration.h"

#include "sim/base/error.h"

namespace opyard::agents::go {
namespace {

constexpr const char* kUnknown = "unknown";

OptionTable<Sizes> EncoderOptions() {
  return OptionTable<Sizes>(
      {{.name = "type_embedding",
        .field = Whole(&Sizes::type_embedding, 1, 4096),
        .meaning = "width of the embeddings of types",
        .paper = kUnknown},
       {.name = "hidden",
        .field = Whole(&Sizes::hidden, 8, 4096),
        .meaning = "width of all layers; a multiple of `heads`",
        .paper = kUnknown},
       {.name = "graph_layers",
        .field = Whole(&Sizes::graph_layers, 0, 64),
        .meaning = "layers of GraphSAGE over the ops",
        .paper = kUnknown},
       {.name = "row_layers",
        .field = Whole(&Sizes::row_layers, 0, 64),
        .meaning = "further ones, over the graph of what is decided together",
        .paper = "0"},
       {.name = "attention_layers",
        .field = Whole(&Sizes::attention_layers, 0, 64),
        .meaning = "layers of segment attention before the one that the tasks share",
        .paper = kUnknown},
       {.name = "heads",
        .field = Whole(&Sizes::heads, 1, 8),
        .meaning = "heads of each of them",
        .paper = kUnknown},
       {.name = "feed_forward",
        .field = Whole(&Sizes::feed_forward, 1, 16384),
        .meaning = "width of the layer that ends each of them",
        .paper = kUnknown},
       {.name = "segment",
        .field = Whole(&Sizes::segment, 1, 65536),
        .meaning = "rows that attend to each other and to as many before them",
        .paper = kUnknown}});
}

OptionTable<Sizes> DecisionOptions() {
  return OptionTable<Sizes>(
      {{.name = "refinement",
        .field = Whole(&Sizes::refinement, 1, 64),
        .meaning =
            "passes over the tasks, each of which sees what the one before decided; the last "
            "one is the plan",
        .paper = kUnknown},
       {.name = "autoregressive_rows",
        .field = Whole(&Sizes::autoregressive_rows, 0, 65536),
        .meaning = "up to so many decisions, devices are chosen one after the other, each in sight "
                   "of those before; with more, all at once",
        .paper = "0"},
       {.name = "attention",
        .field = Flag(&Sizes::attention),
        .meaning = "whether rows attend to each other at all",
        .paper = "true"},
       {.name = "row_skip",
        .field = Flag(&Sizes::row_skip),
        .meaning = "whether tasks see the columns of rows, and how rows differ, past all layers",
        .paper = "false"},
       {.name = "modulation",
        .field = Word(&Sizes::modulation,
                      {{"none", Modulation::kNone},
                       {"graph", Modulation::kGraph},
                       {"layer", Modulation::kLayer}}),
        .meaning = "what scales hidden units before each layer: nothing (none), the graph's vector "
                   "(graph), or a vector for each row from one more layer of attention (layer)",
        .paper = "layer"}});
}

OptionTable<Sizes> LevelOptions() {
  return OptionTable<Sizes>(
      {{.name = "priority_head",
        .field = Word(&Sizes::priority_head,
                      {{"levels", PriorityHead::kLevels}, {"gumbel", PriorityHead::kGumbel}}),
        .meaning = "what orders the rows: one of `levels` each (levels), or one score each, by "
                   "which a whole order is sampled with Gumbel noise (gumbel)",
        .paper = "levels"},
       {.name = "levels",
        .field = Whole(&Sizes::levels, 2, 20),
        .meaning = "priorities, and fusion priorities, of which 0 declines",
        .paper = kUnknown},
       {.name = "ranked",
        .field = Flag(&Sizes::ranked),
        .meaning = "whether priorities are relative to the upward ranks, so that rows on one level "
                   "run in that order, or scores begin with it; if not, the level is the priority",
        .paper = "false"},
       {.name = "level_prior",
        .field = Real(&Sizes::level_prior, 0.0, 0.999),
        .meaning = "probability of the level in the middle, or of the row whose turn it is by "
                   "upward ranks, before anything is learnt; 0: that of any other",
        .paper = "0"}});
}

OptionTable<Rows> RowOptions() {
  return OptionTable<Rows>(
      {{.name = "first_rows",
        .field = Whole(&Rows::first, 0, 65536),
        .meaning = "decisions of a plan at first, each for many groups (with a trained network "
                   "doubled until there is one for each accelerator); then twice as many, and so "
                   "on, for equal parts of the budget; 0: one per group from the start",
        .paper = "0"},
       {.name = "stage_rows",
        .field = Whole(&Rows::staged, 0, 65536),
        .meaning = "up to so many decisions are for runs of the network's stages (its layers, then "
                   "parts of them, with their backward ops); with more, groups are merged along "
                   "the edges that carry most",
        .paper = "0"},
       {.name = "max_groups",
        .field = Whole(&Rows::most, 0, 1'000'000),
        .meaning = "decisions of a plan in the end; beyond, groups are merged; 0: no limit",
        .paper = "0"}});
}

OptionTable<Exploration> ExplorationOptions() {
  return OptionTable<Exploration>(
      {{.name = "changes_start",
        .field = Real(&Exploration::start, 1e-3, 1.0),
        .meaning = "in how many decisions plans differ from the likeliest plan at the start, as a "
                   "share of what plans sampled evenly do; the entropy is held to it",
        .paper = "not held"},
       {.name = "changes_end",
        .field = Real(&Exploration::end, 1e-3, 1e6),
        .meaning = "in how many at the end of the budget; in between it falls geometrically",
        .paper = "not held"}});
}

OptionTable<EntropyBonus> EntropyOptions() {
  return OptionTable<EntropyBonus>(
      {{.name = "entropy",
        .field =
            Word(&EntropyBonus::rule,
                 {{"controlled", EntropyRule::kControlled}, {"constant", EntropyRule::kConstant}}),
        .meaning = "whether the weight of the entropy bonus holds the entropy to what "
                   "`changes_start` and `changes_end` ask for (controlled), or stays (constant)",
        .paper = "constant"},
       {.name = "entropy_weight",
        .field = Real(&EntropyBonus::weight, 0.0, 10.0),
        .meaning = "that weight, of the mean entropy of a decision of a task; the first one where "
                   "it is controlled",
        .paper = kUnknown},
       {.name = "entropy_gain",
        .field = Real(&EntropyBonus::gain, 0.0, 2.0),
        .meaning = "by which exponent an update moves that weight, at most"}});
}

OptionTable<Batches> BatchOptions() {
  return OptionTable<Batches>(
      {{.name = "problems",
        .field = Whole(&Batches::problems, 1, 1024),
        .meaning = "of a training over many problems: how many of them an update learns from",
        .paper = kUnknown},
       {.name = "imitation_share",
        .field = Real(&Batches::imitation_share, 0.0, 1.0),
        .meaning = "of a training with a teacher: the share of its updates that imitate alone, "
                   "before others also sample plans",
        .paper = "0"},
       {.name = "search_evaluations",
        .field = Whole(&Batches::search, 0, 1'000'000),
        .meaning =
            "of a training with a teacher: evaluations of each search over rows, which makes "
            "of the teacher's plan one to imitate for every number of rows, and later goes on "
            "from the best plan that was sampled",
        .paper = "0"}});
}

OptionTable<PpoOptions> UpdateOptions() {
  return OptionTable<PpoOptions>(
      {{.name = "n_epochs",
        .field = Whole(&PpoOptions::n_epochs, 1, 1000),
        .meaning = "epochs of an update over its plans",
        .paper = "4"},
       {.name = "num_minibatches",
        .field = Whole(&PpoOptions::num_minibatches, 1, 4096),
        .meaning = "minibatches of an epoch, one gradient step each"},
       {.name = "clip_range",
        .field = Real(&PpoOptions::clip_range, 1e-3, 1.0),
        .meaning =
            "clip range of the ratio of a decision's probability to that when it was sampled, "
            "around 1",
        .paper = "0.2"},
       {.name = "target_kl",
        .field = Real(&PpoOptions::target_kl, 0.0, 1e3),
        .meaning = "estimated KL divergence of a decision, in nats, from the policy that sampled "
                   "it, beyond which an update ends; 0: no limit"}});
}

OptionTable<TrainingOptions> ModeOptions() {
  return OptionTable<TrainingOptions>(
      {{.name = "mode",
        .field = Word(
            &TrainingOptions::mode,
            {{"one", Mode::kOne}, {"finetune", Mode::kFinetune}, {"zeroshot", Mode::kZeroshot}}),
        .meaning =
            "whether the network learns on the problem at hand as long as the budget lasts "
            "(one), goes on from a trained one for `finetune_updates` (finetune), or is a "
            "trained one that stays as it is: its likeliest plans are evaluated, then samples "
            "(zeroshot)"},
       {.name = "finetune_updates",
        .field = Whole(&TrainingOptions::finetune_updates, 0, kMostUpdates),
        .meaning = "updates of finetune",
        .paper = "fewer than 50"},
       {.name = "temperature",
        .field = Real(&TrainingOptions::temperature, 0.01, 10.0),
        .meaning = "of the samples of zeroshot: probabilities p become p^(1 / temperature)",
        .paper = "1"},
       {.name = "learn",
        .field = Flag(&TrainingOptions::learns),
        .meaning =
            "whether updates change the network; if not, plans are sampled as if they did: the "
            "control of what learning is worth"},
       {.name = "order",
        .field = Word(&TrainingOptions::order,
                      {{"joint", TaskOrder::kJoint}, {"sequential", TaskOrder::kSequential}}),
        .meaning = "whether one network decides all tasks of a plan (joint), or each task has "
                   "a network and an equal part of the budget, one after the other, each "
                   "beginning at the best plan of those before (sequential)",
        .paper = "joint"}});
}

OptionTable<TrainingOptions> AdvantageOptions() {
  return OptionTable<TrainingOptions>(
      {{.name = "advantage",
        .field = Word(&TrainingOptions::advantage,
                      {{"rank", Advantage::kRank}, {"baseline", Advantage::kBaseline}}),
        .meaning = "what a plan is worth: its rank among those of its update (rank), or how "
                   "much better it is than the moving average (baseline)",
        .paper = "baseline"},
       {.name = "baseline_momentum",
        .field = Real(&TrainingOptions::baseline_momentum, 0.0, 0.9999),
        .meaning = "momentum of that average of rewards",
        .paper = "mean of all"}});
}

OptionTable<TrainingOptions> EliteOptions() {
  return OptionTable<TrainingOptions>(
      {{.name = "elites",
        .field = Whole(&TrainingOptions::elites, 0, 4096),
        .meaning = "best plans so far that late steps also imitate",
        .paper = "0"},
       {.name = "elite_from",
        .field = Real(&TrainingOptions::elite_from, 0.0, 1.0),
        .meaning = "share of the budget after which they do"},
       {.name = "elite_weight",
        .field = Real(&TrainingOptions::elite_weight, 0.0, 1e3),
        .meaning = "weight of the log-probability of their decisions",
        .paper = "0"},
       {.name = "table_learning_rate",
        .field = Real(&TrainingOptions::table_learning_rate, 0.0, 10.0),
        .meaning = "step size of Adam of a table, learnt beside the network, of what to add to "
                   "the logits of each group of the problem; 0: there is none",
        .paper = "0"},
       {.name = "shaped_failures",
        .field = Flag(&TrainingOptions::shaped_failures),
        .meaning = "whether plans that ran out of memory are compared by how much they ask for",
        .paper = "false"},
       {.name = "within_capacity",
        .field = Flag(&TrainingOptions::within_capacity),
        .meaning = "whether rows are placed one after the other, the surest first, within what is "
                   "left of each device, where one could not hold all",
        .paper = "false"},
       {.name = "max_grad_norm",
        .field = Real(&TrainingOptions::max_grad_norm, 1e-6, 1e6),
        .meaning = "greatest norm of the gradient",
        .paper = "0.5"},
       {.name = "precision",
        .field = Word(&TrainingOptions::precision,
                      {{"float32", Precision::kFloat32}, {"bfloat16", Precision::kBfloat16}}),
        .meaning = "what the network's matrix products are rounded to",
        .paper = kUnknown}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  return OptionTable<TrainingOptions>()
      .With(ModeOptions().rows())
      .With(&TrainingOptions::sizes, EncoderOptions())
      .With(&TrainingOptions::sizes, DecisionOptions())
      .With(&TrainingOptions::sizes, LevelOptions())
      .With(&TrainingOptions::rows, RowOptions())
      .With(&TrainingOptions::batches, BatchOptions())
      .With({{.name = "batch_size",
              .field = Whole(&TrainingOptions::batch_size, 1, 4096),
              .meaning = "plans per update",
              .paper = "16"},
             {.name = "learning_rate",
              .field = Real(&TrainingOptions::learning_rate, 1e-8, 1.0),
              .meaning = "step size of Adam",
              .paper = "1e-4"}})
      .With(&TrainingOptions::ppo, UpdateOptions())
      .With(AdvantageOptions().rows())
      .With(&TrainingOptions::exploration, ExplorationOptions())
      .With(&TrainingOptions::entropy, EntropyOptions())
      .With(EliteOptions().rows());
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "go",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling", "fusion"},
      .paper = "Zhou et al., NeurIPS 2020",
      .summary =
          "GO: one network, GraphSAGE and attention over all ops, decides in one pass where "
          "each op runs, its priority and what is fused, and learns by PPO on the problem at "
          "hand.",
      .deviations = {
          "Devices are chosen by a pointer over their features, so that one network serves "
          "machines with any number of them; edges have features.",
          "The first plans decide for few large groups of ops, later ones for more and more "
          "(`first_rows`); these are runs of the network's layers (`stage_rows`).",
          "Plans are compared by rank (`advantage`), the entropy is held to a course "
          "(`changes_start`, `changes_end`), and late steps also imitate the best plans so far "
          "(`elites`).",
          "The plans of single devices are evaluated first (`start`). Tasks see how rows differ "
          "past all layers (`row_skip`); rows are placed within what devices hold "
          "(`within_capacity`), and failures are compared by what they ask for "
          "(`shaped_failures`).",
          "Priorities move ops from the order of their upward ranks (`ranked`, "
          "`level_prior`)."}};
}

void EnsureHeadsFit(const Sizes& sizes) {
  if (sizes.hidden % sizes.heads != 0) {
    throw InputError("heads: found " + std::to_string(sizes.heads) + ", expected a divisor of " +
                     std::to_string(sizes.hidden) + ", the width `hidden`");
  }
}

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With({NetworkStartRow(&Settings::start)})
      .With(&Settings::session, TrainingSessionOptions())
      .WithRule({.name = "heads", .check = [](const Settings& settings) {
                   EnsureHeadsFit(settings.training.sizes);
                 }});
}

AgentInfo ZeroshotDeclaration::Info() {
  AgentInfo info = Declaration::Info();
  info.name = "go-zeroshot";
  info.summary =
      "GO as it was trained over many graphs: what the shipped network decides, the best of its "
      "likeliest plan and of some samples, without an update. `go` with mode: zeroshot.";
  return info;
}

OptionTable<Settings> ZeroshotDeclaration::Options() {
  return Declaration::Options().WithDefaults(
      {.training = {.mode = Mode::kZeroshot, .batch_size = 8},
       .session = {},
       .start = Start::kNetwork});
}

AgentInfo FinetuneDeclaration::Info() {
  AgentInfo info = Declaration::Info();
  info.name = "go-finetune";
  info.summary =
      "GO as it was trained over many graphs, with some further updates on the problem at hand. "
      "`go` with mode: finetune.";
  return info;
}

OptionTable<Settings> FinetuneDeclaration::Options() {
  return Declaration::Options().WithDefaults(
      {.training = {.mode = Mode::kFinetune, .exploration = {.start = 0.2}}, .session = {}});
}

}  // namespace opyard::agents::go
