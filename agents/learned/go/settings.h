// The settings of GO, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/common/declaration.h"
#include "agents/learned/common/learning_rule.h"
#include "agents/learned/common/precision.h"
#include "agents/planning/encoding/common_options.h"

namespace opyard::agents::go {

// The outputs by which the network orders the rows.
enum class PriorityHead : std::uint8_t {
  kLevels,  // each row takes one of some levels
  kGumbel,  // each row has a score, by which they are sampled one after the other (row_order.h)
};

// The scale of hidden units before each layer.
enum class Modulation : std::uint8_t {
  kNone,   // nothing; an ablation
  kGraph,  // one vector of the graph, the mean of its ops
  kLayer,  // a vector per row, from one more layer of attention
};

// The sizes of the network, which serves every graph, machine and list of tasks.
struct Sizes {
  std::int64_t type_embedding = 32;
  std::int64_t hidden = 64;
  std::int64_t graph_layers = 3;      // of GraphSAGE
  std::int64_t row_layers = 2;        // of GraphSAGE over rows
  std::int64_t attention_layers = 2;  // before the one that the tasks share
  std::int64_t heads = 4;
  std::int64_t feed_forward = 128;
  std::int64_t segment = 256;  // rows
  bool attention = true;       // whether rows see each other; an ablation
  Modulation modulation = Modulation::kGraph;
  bool row_skip = true;         // whether tasks see how rows differ past all layers
  std::int64_t refinement = 1;  // passes over the tasks, the last of which is the plan
  // Up to so many rows are placed one after the other, each in sight of those before; more, and
  // with 0 all, at once.
  std::int64_t autoregressive_rows = 0;
  PriorityHead priority_head = PriorityHead::kLevels;
  std::int64_t levels = 20;  // priorities that a row may have, and fusion priorities
  // Whether a priority is relative to the op's upward rank, so that all rows on the level in the
  // middle run in that order; if not, the level is the priority. With scores: whether they begin
  // with that order.
  bool ranked = true;
  // Probability of the level in the middle before anything is learnt; with scores, of the row whose
  // turn it is by upward ranks.
  double level_prior = 0.9;
};

// The decision granularity: rows, each decided as one.
struct Rows {
  // Rows of the first plans; later ones have twice as many, four times and so on, and the last
  // ones a row per group of the problem. 0: all of them have.
  std::int64_t first = 6;
  std::int64_t most = 0;  // beyond, groups of the problem are merged; 0: never
  // Up to so many rows are runs of the network's stages (planning/grouping/stage_groups.h), with
  // more of them groups are merged along the edges that carry most (sim::CoarsenGroups).
  std::int64_t staged = 1000;
};

enum class Advantage : std::uint8_t {
  kRank,      // how many plans of the same update are worse
  kBaseline,  // by how much it is better than the mean of the past
};

// In how many decisions of a task a plan differs from the likeliest plan, which the entropy of the
// policy is held to; geometrically from the start of a training to its end.
struct Exploration {
  double start = 0.9;  // of as many as plans of equal probabilities differ in, on the first rows
  double end = 1.0;    // decisions
};

// The rule for the weight of entropy in an update.
enum class EntropyRule : std::uint8_t {
  kControlled,  // what holds it to the exploration that is wanted
  kConstant,    // the same throughout
};
struct EntropyBonus {
  EntropyRule rule = EntropyRule::kControlled;
  double weight = 0.05;  // of the mean entropy of a decision, per task; where it is controlled, the
                         // first one
  double gain = 0.3;     // of the controller
};

// The order in which a search decides several tasks.
enum class TaskOrder : std::uint8_t {
  kJoint,       // one network, all tasks in each plan
  kSequential,  // a network for each task, one after the other, in equal parts of the budget: each
                // goes on from the best plan so far, whose other tasks it leaves as they are
};

enum class Mode : std::uint8_t {
  kOne,       // learns as long as the budget lasts
  kFinetune,  // makes so many updates of a trained network, after evaluating its likeliest plan
  kZeroshot,  // evaluates what a trained network decides, and never changes it
};

// The batches of a training over many problems.
struct Batches {
  std::int64_t problems = 8;     // per update
  double imitation_share = 0.7;  // of its updates that imitate alone, where there is a teacher
  std::int64_t search = 256;     // evaluations of a search over rows, with a teacher: for a plan to
                                 // imitate on each resolution, and from the best sampled plan
};

// The options of the training.
struct TrainingOptions {
  Mode mode = Mode::kOne;
  TaskOrder order = TaskOrder::kJoint;
  std::int64_t finetune_updates = 50;
  double temperature = 1.0;  // of the samples of zeroshot
  bool learns = true;        // whether updates change the network; a control
  Sizes sizes;
  Rows rows;
  Batches batches;
  std::int64_t batch_size = 16;  // plans per update
  double learning_rate = 1e-3;
  PpoOptions ppo{.n_epochs = 4, .num_minibatches = 1, .clip_range = 0.2, .target_kl = 0.03};
  Advantage advantage = Advantage::kRank;
  double baseline_momentum = 0.9;
  Exploration exploration;
  EntropyBonus entropy;
  std::int64_t elites = 1;    // best plans so far that steps of a search imitate, too; 0: none
  double elite_from = 0.1;    // share of the budget after which they do
  double elite_weight = 0.5;  // of the log-probability of their decisions
  // Step size of a table of logits of the problem's own groups that is learnt beside the network;
  // 0: there is none.
  double table_learning_rate = 0.1;
  // Whether plans that ran out of memory are compared by how much they ask for.
  bool shaped_failures = true;
  // Whether rows are placed one after the other within what is left of each device, where not all
  // of them would fit on one.
  bool within_capacity = true;
  double max_grad_norm = 0.5;                 // greatest norm of the gradient
  Precision precision = Precision::kFloat32;  // of the network's matrix products
};

// The settings of the agent.
struct Settings {
  TrainingOptions training;
  TrainingSession session;
  Start start = Start::kSingleDevice;
};

}  // namespace opyard::agents::go
