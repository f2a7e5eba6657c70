// GO's network: the device, the priority and the fusion priority of each row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/common/op_graph.h"
#include "agents/learned/common/ppo.h"
#include "agents/learned/common/precision_scope.h"
#include "agents/learned/go/decision_rows.h"
#include "agents/learned/go/graph_encoder.h"
#include "agents/learned/go/group_tables.h"
#include "agents/learned/go/placement_decoder.h"
#include "agents/learned/go/row_capacity.h"
#include "agents/learned/go/segment_attention.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/task.h"
#include "sim/base/rng.h"

namespace opyard::agents::go {

// The input of the network. T tasks over R rows, gone through in P passes (`refinement`), make
// S = P · T stages, pass after pass. K samples are int64 [K, S, R]; the actions of the last pass
// are the plan's, those before are drafts. An action is a device, a level, or a place in an order
// (row_order.h).
struct PolicyInput {
  const OpGraph* graph = nullptr;
  const DecisionRows* rows = nullptr;
  const DeviceFeatures* devices = nullptr;
  std::vector<Task> tasks;              // each once, in the order of Task; none is no input
  const GroupTables* tables = nullptr;  // of the problem; null: none
  Precision precision = Precision::kFloat32;
  torch::Tensor rule_scores;              // [R]: start of the scores of an order; undefined: 0
  const RowCapacity* capacity = nullptr;  // limits of placements; null: no limit
  double temperature = 1.0;               // of samples: p^(1 / temperature), but p of orders
};

// The precision of the input, as long as the scope lives.
PrecisionScope ScopeOf(const PolicyInput& input);

// The part of an input that all plans share, encoded.
struct EncodedInput {
  torch::Tensor rows;      // h: [R, hidden]
  torch::Tensor devices;   // k: [D, hidden]; undefined where placement is no task
  RowRelations relations;  // where rows are placed one after the other
};

// Actions whose figures are asked for.
struct Actions {
  torch::Tensor given;    // int64 [K, S, R]: the condition of later stages
  torch::Tensor targets;  // same shape: the actions that the figures are of; undefined: `given`
  torch::Tensor allowed;  // bool [K, R, D]: where rows of the plan may go; undefined: by their mask
};

struct SampledActions {
  torch::Tensor actions;       // int64 [K, S, R]
  torch::Tensor allowed;       // bool [K, R, D], as sampled within capacities; undefined: no limit
  SampledDecisions decisions;  // [K, S · R]: of each row, or of each place in an order

  // The actions of the plans that `samples`, int64 [M], names.
  [[nodiscard]] Actions Of(const torch::Tensor& samples) const;
};
struct ActionLogProbs {
  torch::Tensor log_probs;           // [K]
  torch::Tensor decision_log_probs;  // [K, S · R]: of each row, or of each place in an order
  torch::Tensor entropy;             // [T]: mean of a decision of each task over passes, nats
};

// Zhou et al. 2020, section 3. Ops become vectors by GraphSAGE (graph_encoder.h). A row is the mean
// of its ops' vectors and its own columns; layers of GraphSAGE over the graph of rows add those of
// its neighbours. The graph's vector g, the mean of the ops' vectors, scales the hidden units
// before each layer, "parameter superposition": m(x) = 2 sigmoid(W g + b) ⊙ x. Segment attention
// (segment_attention.h) over the rows in topological order gives y. The tasks read
// h(i) = LN(mean y) + LN(y(i) − mean y) + S columns(i): what rows share, how they differ, and a
// way past all layers (`row_skip`; h = y without). Each task t, in the order of Task, then has
//   y(t) = A(LN(h + e(t) + Σ over earlier tasks s of E(s, action of s))).
// The tasks share the layer A. The logits of each row come from y(t), all rows at once:
//   device d: ⟨W y, k(d)⟩ / √hidden        level l: (U(t) y)(l)        score: u y + that of a rule
//   k(d) = LN(V device_x(d) + slot(d) + mean over d' of ReLU(P [pair_x(d, d'); pair_x(d', d)] + c))
// LN, a layer norm without weights, keeps keys from vanishing. With `priority_head: gumbel` rows
// are ordered by scores (row_order.h); a place is passed to later tasks as the level that stands
// for it (LevelsOfPlaces). Tables (group_tables.h) add to the logits.
//
// With `refinement` P > 1 the tasks are gone through P times, each time with actions of their own.
// The next pass begins with h + M q in place of h, where q = Σ over tasks of E(s, action of s) are
// the embeddings of the actions of the pass. So rows which were decided at once can be decided
// again in sight of each other. The last pass is the plan. Where the plan could be too large for a
// device, its rows are placed one after the other within what is left (row_capacity.h). With
// `autoregressive_rows` rows are placed in topological order, each in sight of where those before
// it are (placement_decoder.h), within what is left, too.
//
// With `modulation: layer` g is a vector per row, from one more layer of attention over the rows.
//
// Deviations: attention reads rows, not ops: with one op a row they are the same, and else the
// layers that are run anew for each plan cost rows, not ops. Devices are chosen by a pointer, so
// that one set of weights serves all machines, and equal devices that change places change their
// probabilities.
class Policy : public torch::nn::Module {
 public:
  Policy(const Sizes& sizes, Rng& rng);

  [[nodiscard]] EncodedInput Encode(const PolicyInput& input);
  // In two steps, where several inputs have one graph: the vectors of the ops, [N, hidden], then
  // the rest.
  [[nodiscard]] torch::Tensor EncodeOps(const PolicyInput& input);
  [[nodiscard]] EncodedInput EncodeRows(const PolicyInput& input, const torch::Tensor& ops);
  // Samples actions from what Encode gave, without gradients.
  [[nodiscard]] SampledActions Sample(const PolicyInput& input,
                                      const EncodedInput& encoded,
                                      std::int64_t num_samples,
                                      Rng& rng);
  // The likeliest action of each row, stage after stage: int64 [1, S, R].
  [[nodiscard]] torch::Tensor Likeliest(const PolicyInput& input, const EncodedInput& encoded);
  // The probability of each device for each row, [R, D], without gradients. REQUIRES: placement is
  // a task.
  [[nodiscard]] torch::Tensor DeviceProbabilities(const PolicyInput& input,
                                                  const EncodedInput& encoded);
  // The figures of given actions, with gradients. Plans whose layers would hold more than
  // `most_values` together are evaluated in chunks, each of them once more for the gradient
  // (common/recomputed.h).
  [[nodiscard]] ActionLogProbs EvaluateActions(const PolicyInput& input,
                                               const EncodedInput& encoded,
                                               const Actions& actions,
                                               std::int64_t most_values = std::int64_t{1} << 24);
  // Actions that imitate `plans`, int64 [K, T, R]: a plan is the target of every pass, in sight of
  // drafts that the policy samples.
  [[nodiscard]] Actions Imitated(const PolicyInput& input,
                                 const EncodedInput& encoded,
                                 const torch::Tensor& plans,
                                 Rng& rng);

  [[nodiscard]] const Sizes& sizes() const { return sizes_; }

 private:
  void RegisterAll();
  // Devices begin with about equal probabilities, levels with those of `level_prior`.
  void BeginEven();
  [[nodiscard]] torch::Tensor Modulated(std::size_t layer,
                                        const torch::Tensor& rows,
                                        const torch::Tensor& by);
  // k, [D, hidden]; undefined where placement is no task.
  [[nodiscard]] torch::Tensor DeviceVectors(const PolicyInput& input);
  // The relations of the rows, where they are placed one after the other.
  [[nodiscard]] RowRelations RelationsOf(const PolicyInput& input) const;
  // [K, R, hidden] → [K, R, D].
  [[nodiscard]] torch::Tensor DeviceLogits(const torch::Tensor& devices, const torch::Tensor& rows);
  // Whether actions of a task are places in an order.
  [[nodiscard]] bool Orders(Task task) const;
  // E of a task: [D or levels, hidden].
  [[nodiscard]] torch::Tensor ActionEmbeddings(const EncodedInput& encoded, Task task);
  // E of the actions of one task, int64 [K, R], for later tasks: [K, R, hidden].
  [[nodiscard]] torch::Tensor ActionEmbedding(const EncodedInput& encoded,
                                              Task task,
                                              const torch::Tensor& actions);
  // y of a task, from `state`: h and the embeddings of earlier actions. [K, R, hidden] both.
  [[nodiscard]] torch::Tensor DecidedBy(Task task, const torch::Tensor& state);
  // y of the first task, the same for all plans: [R, hidden].
  [[nodiscard]] torch::Tensor FirstRows(const PolicyInput& input, const EncodedInput& encoded);
  // The logits of y, [K, R, D or levels], or its scores, [K, R, 1].
  [[nodiscard]] torch::Tensor Logits(const PolicyInput& input,
                                     Task task,
                                     const torch::Tensor& devices,
                                     const torch::Tensor& rows);
  // The logits as log-probabilities; scores stay as they are.
  [[nodiscard]] torch::Tensor Outputs(const PolicyInput& input,
                                      Task task,
                                      const torch::Tensor& devices,
                                      const torch::Tensor& rows);
  // Whether the rows of a stage are placed one after the other, each in sight of those before.
  [[nodiscard]] bool IsAutoregressive(const PolicyInput& input, Task task) const;
  // Log-probabilities of the devices of each row, given those of the rows before it of placements
  // int64 [K, R]: [K, R, D].
  [[nodiscard]] torch::Tensor OutputsGiven(const PolicyInput& input,
                                           const EncodedInput& encoded,
                                           const torch::Tensor& rows,
                                           const torch::Tensor& placements);
  // Places rows of y, [1 or K, R, hidden], one after the other.
  [[nodiscard]] OrderedPlacements PlaceInOrder(const PolicyInput& input,
                                               const EncodedInput& encoded,
                                               const torch::Tensor& rows,
                                               const PlacementRule& rule);
  // The actions of outputs [K or 1, R, choices], sampled or likeliest: int64 [K, R].
  [[nodiscard]] torch::Tensor Sample(Task task,
                                     const torch::Tensor& outputs,
                                     std::int64_t num_samples,
                                     Rng& rng) const;
  [[nodiscard]] torch::Tensor Best(Task task, const torch::Tensor& outputs) const;
  // Log-probabilities, [K, R], of the decisions of actions int64 [K, R], then their mean entropy.
  [[nodiscard]] torch::Tensor EvaluateTask(Task task,
                                           const torch::Tensor& outputs,
                                           const torch::Tensor& actions) const;
  // Which decisions of a task have a choice, bool [R].
  [[nodiscard]] torch::Tensor HasChoiceIn(Task task, const DecisionRows& rows) const;
  // Log-probabilities of all decisions, then the mean entropy of each stage: [K, S · R + S].
  [[nodiscard]] torch::Tensor EvaluateAtOnce(const PolicyInput& input,
                                             const EncodedInput& encoded,
                                             const torch::Tensor& first,
                                             const Actions& actions);
  // A stage of K plans, and what was chosen in it.
  struct StageOfPlans {
    Task task;
    std::int64_t number;
    std::int64_t num_plans;
  };
  struct SampledStage {
    torch::Tensor actions;  // int64 [K, R]
    torch::Tensor outputs;  // [K or 1, R, choices]: what they were chosen by
    torch::Tensor allowed;  // bool [K, R, D]: where rows could go; undefined: by their mask
  };
  [[nodiscard]] SampledStage SampleStage(const PolicyInput& input,
                                         const EncodedInput& encoded,
                                         const torch::Tensor& rows,
                                         const StageOfPlans& stage,
                                         Rng& rng);
  [[nodiscard]] SampledStage LikeliestOf(const PolicyInput& input,
                                         const EncodedInput& encoded,
                                         const torch::Tensor& rows,
                                         const StageOfPlans& stage);
  // Whether a stage places the rows of the plan, within the capacities of the input.
  [[nodiscard]] bool IsLimited(const PolicyInput& input, std::int64_t stage) const;
  // Goes through the stages, of which `first` are the FirstRows; `choose` gets y of a stage, [K or
  // 1, R, hidden], its task and its number, and gives the actions of it, int64 [K, R].
  template <class Choose>
  void ForEachStage(const PolicyInput& input,
                    const EncodedInput& encoded,
                    const torch::Tensor& first,
                    const Choose& choose);

  Sizes sizes_;
  std::shared_ptr<GraphEncoder> encoder_;
  torch::nn::Linear row_;
  torch::nn::Linear skip_{nullptr};  // from the columns of rows to the tasks, with `row_skip`
  std::vector<std::shared_ptr<SageLayer>> row_layers_;
  std::vector<torch::nn::Linear> modulation_;                 // before each layer and the tasks
  std::vector<std::shared_ptr<SegmentAttention>> attention_;  // the last one is the tasks'
  std::shared_ptr<SegmentAttention> modulator_;               // with `modulation: layer`
  torch::nn::Embedding task_;                                 // [3, hidden]
  torch::nn::Linear device_;
  torch::nn::Embedding slot_;
  torch::nn::Linear pair_;
  torch::nn::Linear query_;                             // of devices
  std::vector<torch::nn::Linear> level_;                // of scheduling and fusion
  std::vector<torch::nn::Embedding> action_embedding_;  // scheduling and fusion: [levels, hidden]
  torch::nn::Linear refine_{nullptr};                   // with more than one pass
  std::shared_ptr<PlacementDecoder> decoder_;           // with `autoregressive_rows`
};

}  // namespace opyard::agents::go
