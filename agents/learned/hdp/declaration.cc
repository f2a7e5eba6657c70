#include "agents/learned/hdp/declaration.h"

namespace opyard::agents {
namespace {

OptionTable<HdpSizes> GrouperOptions() {
  return OptionTable<HdpSizes>(
      {{.name = "faithful",
        .field = Flag(&HdpSizes::faithful),
        .meaning = "whether ops are described as in the published code, by raw numbers that go "
                   "through two matrices without bias or activation, and the decoder reads the "
                   "last device alone",
        .paper = "true"},
       {.name = "grouper",
        .field = Word(&HdpSizes::grouper,
                      {{"learned", GrouperKind::kLearned}, {"random", GrouperKind::kRandom}}),
        .meaning = "whether groups are learnt, or drawn once and kept",
        .paper = "learned"},
       {.name = "groups",
        .field = Whole(&HdpSizes::num_groups, 0, 4096),
        .meaning = "groups that ops are dealt out to; 0: min(256, 20 · accelerators), but no more "
                   "than there are units that may not be split",
        .paper = "min(256, 20 · accelerators)"},
       {.name = "grouper_hidden",
        .field = Whole(&HdpSizes::grouper_hidden, 1, 4096),
        .meaning = "units between the two matrices of the grouper",
        .paper = "64"},
       {.name = "grouper_temperature",
        .field = Real(&HdpSizes::grouper_temperature, 1e-3, 1e6),
        .meaning = "T of the grouper's logits, logit / T; if faithful, C · tanh(logit / T)",
        .paper = "1"}});
}

OptionTable<HdpSizes> PlacerOptions() {
  return OptionTable<HdpSizes>(
      {{.name = "placer",
        .field = Word(&HdpSizes::placer,
                      {{"sequence", PlacerKind::kSequence}, {"flat", PlacerKind::kFlat}}),
        .meaning = "whether groups are placed one after the other, or each by a softmax of its "
                   "own whatever is in it",
        .paper = "sequence"},
       {.name = "attention",
        .field = Flag(&HdpSizes::attention),
        .meaning = "whether the decoder attends to the encodings of all groups",
        .paper = "true"},
       {.name = "hidden",
        .field = Whole(&HdpSizes::hidden, 2, 4096),
        .meaning = "units of the decoder; each direction of the encoder has half of them",
        .paper = "512"},
       {.name = "embedding",
        .field = Whole(&HdpSizes::embedding, 1, 4096),
        .meaning = "width of the attention and of the embeddings of devices",
        .paper = "512"},
       {.name = "temperature",
        .field = Real(&HdpSizes::temperature, 1e-3, 1e6),
        .meaning = "T of the placer's logits C · tanh(logit / T)",
        .paper = "10; 1 in the published code"},
       {.name = "tanh_constant",
        .field = Real(&HdpSizes::tanh_constant, 1e-3, 1e3),
        .meaning = "C of the logits C · tanh(logit / T)",
        .paper = "5; 1 in the published code"}});
}

OptionTable<StepSize> StepSizeOptions() {
  return OptionTable<StepSize>({{.name = "learning_rate",
                                 .field = Real(&StepSize::start, 1e-8, 1.0),
                                 .meaning = "step size of Adam",
                                 .paper = "0.1"},
                                {.name = "decay",
                                 .field = Real(&StepSize::factor, 1e-3, 1.0),
                                 .meaning = "what it is multiplied by, again and again",
                                 .paper = "0.95"},
                                {.name = "decay_updates",
                                 .field = Whole(&StepSize::num_updates, 1, kMostUpdates),
                                 .meaning = "updates from one multiplication to the next",
                                 .paper = "50"},
                                {.name = "decay_start",
                                 .field = Whole(&StepSize::first_update, 0, kMostUpdates),
                                 .meaning = "updates before these begin",
                                 .paper = "400"}});
}

OptionTable<HdpOptions> TrainingOptions() {
  return OptionTable<HdpOptions>()
      .With({{.name = "units",
              .field = Word(&HdpOptions::units,
                            {{"problem", UnitKind::kProblem},
                             {"op", UnitKind::kOp},
                             {"stages", UnitKind::kStages}}),
              .meaning = "what is dealt out to groups: the groups of the problem; single ops, "
                         "whatever the problem's groups, but for those of one co-location label "
                         "(op); or runs of the network's layers, forward and backward, as many as "
                         "there are groups (stages)",
              .paper = "op"}})
      .With(&HdpOptions::sizes, GrouperOptions())
      .With(&HdpOptions::sizes, PlacerOptions())
      .With({{.name = "samples",
              .field = Whole(&HdpOptions::samples, 1, 4096),
              .meaning = "plans per update",
              .paper = "1"}})
      .With(&HdpOptions::step_size, StepSizeOptions())
      .With(&HdpOptions::entropy, EntropyScheduleOptions())
      .With({{.name = "restart_updates",
              .field = Whole(&HdpOptions::restart_updates, 0, kMostUpdates),
              .meaning = "updates without a plan that is not among the last 64 different ones, "
                         "after which a fresh policy takes over; 0: none does",
              .paper = "none"}})
      .With(&HdpOptions::rule, LearningRuleOptions("reinforce"))
      .With({{.name = "normalise_advantages",
              .field = Flag(&HdpOptions::normalise_advantages),
              .meaning = "whether the advantages of an update get a root mean square of 1",
              .paper = "false"},
             {.name = "clip",
              .field = Real(&HdpOptions::clip, 1e-6, 1e6),
              .meaning = "greatest norm of the gradient",
              .paper = "1"},
             {.name = "baseline_decay",
              .field = Real(&HdpOptions::baseline_decay, 0.0, 0.9999),
              .meaning = "decay of the moving average of rewards that a plan is compared with",
              .paper = "0.9"},
             {.name = "failure_updates",
              .field = Whole(&HdpOptions::failure_updates, 0, kMostUpdates),
              .meaning = "updates that learn from plans that run out of memory, too",
              .paper = "1000"}});
}

}  // namespace

AgentInfo HdpDeclaration::Info() {
  return {
      .name = "hdp",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling"},
      .paper = "Mirhoseini et al., ICLR 2018",
      .summary =
          "HDP: a grouper deals the ops out to groups, an LSTM with attention places the "
          "groups, and both learn together by REINFORCE on the problem at hand.",
      .deviations = {
          "The faults of the published code are mended: what was sampled is stored, and its "
          "probability taken again; each op and each group knows all that it reads from; sums of "
          "shapes have columns of their own.",
          "Co-located ops are one unit, which is grouped as a whole by the mean of what describes "
          "its ops.",
          "A unit whose group is on a device that it may not use takes the next device, in the "
          "order of the machine, that it may.",
          "Unless faithful, types have an embedding, shapes are logarithms, an op is also "
          "described by the columns of the observation and by cosines of its place in the graph, "
          "and the decoder also reads the group that it places.",
          "The baseline begins with the first rewards, not at 10, and no noise is added to the "
          "logits; sampling never stops.",
          "Where scheduling is a task, priorities are the upward ranks."}};
}

OptionTable<HdpSettings> HdpDeclaration::Options() {
  return OptionTable<HdpSettings>()
      .With(&HdpSettings::training, TrainingOptions())
      .With({NetworkStartRow(&HdpSettings::start)})
      .With(&HdpSettings::session, TrainingSessionOptions());
}

}  // namespace opyard::agents
