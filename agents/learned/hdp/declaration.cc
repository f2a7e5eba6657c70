#include "agents/learned/hdp/declaration.h"

namespace opyard::agents::hdp {
namespace {

OptionTable<Sizes> GrouperOptions() {
  return OptionTable<Sizes>(
      {{.name = "faithful",
        .field = Flag(&Sizes::faithful),
        .meaning = "whether network and features are the published code's: ops described by raw "
                   "numbers that go through two matrices without bias or activation, LSTMs whose "
                   "only bias is one number of the forget gates, a decoder that reads the last "
                   "device alone, and a context of the attention memory",
        .paper = "true"},
       {.name = "grouper",
        .field = Word(&Sizes::grouper,
                      {{"learned", GrouperKind::kLearned}, {"random", GrouperKind::kRandom}}),
        .meaning = "whether groups are learnt, or sampled once and kept",
        .paper = "learned"},
       {.name = "groups",
        .field = Whole(&Sizes::num_groups, 0, 4096),
        .meaning = "groups that ops are dealt out to; 0: min(256, 20 · accelerators), but no more "
                   "than there are units that may not be split",
        .paper = "min(256, 20 · devices), hosts included"},
       {.name = "grouper_hidden",
        .field = Whole(&Sizes::grouper_hidden, 1, 4096),
        .meaning = "units between the two matrices of the grouper",
        .paper = "64"},
       {.name = "grouper_temperature",
        .field = Real(&Sizes::grouper_temperature, 1e-3, 1e6),
        .meaning = "T of the grouper's logits, logit / T, which nothing else limits",
        .paper = "1"}});
}

OptionTable<Sizes> PlacerOptions() {
  return OptionTable<Sizes>(
      {{.name = "placer",
        .field = Word(&Sizes::placer,
                      {{"sequence", PlacerKind::kSequence}, {"flat", PlacerKind::kFlat}}),
        .meaning = "whether groups are placed one after the other, or each by a softmax of its "
                   "own whatever is in it",
        .paper = "sequence"},
       {.name = "attention",
        .field = Flag(&Sizes::attention),
        .meaning = "whether the decoder attends to the encodings of all groups",
        .paper = "true"},
       {.name = "hidden",
        .field = Whole(&Sizes::hidden, 2, 4096),
        .meaning = "units of the decoder; each direction of the encoder has half of them",
        .paper = "512"},
       {.name = "embedding",
        .field = Whole(&Sizes::embedding, 1, 4096),
        .meaning = "width of the attention and of the embeddings of devices",
        .paper = "512"},
       {.name = "temperature",
        .field = Real(&Sizes::temperature, 1e-3, 1e6),
        .meaning = "T of the placer's logits C · tanh(logit / T)",
        .paper = "10; 1 in the published code"},
       {.name = "tanh_constant",
        .field = Real(&Sizes::tanh_constant, 1e-3, 1e3),
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

OptionTable<NoiseSchedule> NoiseOptions() {
  return OptionTable<NoiseSchedule>(
      {{.name = "logits_noise",
        .field = Real(&NoiseSchedule::relative_std, 0.0, 100.0),
        .meaning = "standard deviation of the Gaussian noise on the logits of grouper and placer, "
                   "over the root mean square of the logits: of the grouper's all, of the "
                   "placer's those of one group",
        .paper = "0.5"},
       {.name = "noise_updates",
        .field = Whole(&NoiseSchedule::num_updates, 0, kMostUpdates),
        .meaning = "updates that sample with that noise, the first ones",
        .paper = "751"}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  return OptionTable<TrainingOptions>()
      .With({{.name = "units",
              .field = Word(&TrainingOptions::units,
                            {{"problem", UnitKind::kProblem},
                             {"op", UnitKind::kOp},
                             {"stages", UnitKind::kStages}}),
              .meaning = "what is dealt out to groups: the groups of the problem; single ops, "
                         "whatever the problem's groups, but for those of one co-location label "
                         "(op); or runs of the network's layers, forward and backward, as many as "
                         "there are groups (stages)",
              .paper = "op"}})
      .With(&TrainingOptions::sizes, GrouperOptions())
      .With(&TrainingOptions::sizes, PlacerOptions())
      .With({{.name = "batch_size",
              .field = Whole(&TrainingOptions::batch_size, 1, 4096),
              .meaning = "plans per update",
              .paper = "1"}})
      .With(&TrainingOptions::step_size, StepSizeOptions())
      .With(&TrainingOptions::entropy, EntropyScheduleOptions())
      .With({{.name = "restart_updates",
              .field = Whole(&TrainingOptions::restart_updates, 0, kMostUpdates),
              .meaning = "updates without a plan that is not among the last 64 different ones, "
                         "after which a fresh policy takes over; 0: none does",
              .paper = "none"}})
      .With(&TrainingOptions::rule, LearningRuleOptions("reinforce"))
      .With({{.name = "normalise_advantages",
              .field = Flag(&TrainingOptions::normalise_advantages),
              .meaning = "whether the advantages of an update get a root mean square of 1",
              .paper = "false"},
             {.name = "max_grad_norm",
              .field = Real(&TrainingOptions::max_grad_norm, 1e-6, 1e6),
              .meaning = "greatest norm of the gradient",
              .paper = "1"}})
      .With(&TrainingOptions::baseline, BaselineRuleOptions("0.9", "1000"))
      .With(&TrainingOptions::noise, NoiseOptions())
      .With({{.name = "stop_sampling",
              .field = Whole(&TrainingOptions::stop_sampling, 0, kMostUpdates),
              .meaning = "updates after which each group stays on the device of the last of them, "
                         "and trains the placer as if it had been sampled; 0: the placer always "
                         "samples",
              .paper = "500"},
             {.name = "learn",
              .field = Flag(&TrainingOptions::learns),
              .meaning = "whether updates change the network, and a collapsed one gives way; if "
                         "not, as many plans are sampled from the network as it is"}});
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "hdp",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling"},
      .paper = "Mirhoseini et al., ICLR 2018",
      .summary =
          "HDP: a grouper deals the ops out to groups, an LSTM with attention places the "
          "groups, and both learn together by REINFORCE on the problem at hand.",
      .deviations = {
          "Faults of the published code are mended in all configurations: it trains on a new "
          "sample, sampled with all groups described by zeros, where this agent stores the sampled "
          "plan and computes its log-probability; it forgets most of what an op reads from; it "
          "adds sums of shapes to the counts of types; shapes of more than 5 dimensions run into "
          "the next output.",
          "Co-located ops are one unit, which is grouped as a whole by the mean of the features of "
          "its ops. The graph is not pruned or folded first.",
          "A unit whose group is on a device that it may not use takes the next device, in the "
          "order of the machine, that it may. A group without units has no choice.",
          "Rewards are -sqrt(step time / reference), of a failure -10; the published code has no "
          "reference, and counts step times from 100 s on as failures.",
          "The vector that the decoder begins with is a row of the table of device embeddings, and "
          "groups have 256 columns for counts of types, which matters to the scale of first "
          "weights alone.",
          "Unless faithful, types have an embedding, shapes are logarithms, an op is also "
          "described by the columns of the observation and by cosines of its place in the graph, "
          "the grouper has biases and a ReLU, the decoder also reads the group that it places, and "
          "the context is a mean of encodings.",
          "At the defaults the plans of single devices are evaluated first, an entropy bonus is "
          "paid, a collapsed policy is replaced, the baseline begins with the first rewards and "
          "follows completed plans only, logits have no noise, and sampling never stops: "
          "experiments/configs/hdp-faithful.yaml undoes that.",
          "Where scheduling is a task, priorities are the upward ranks."}};
}

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With({NetworkStartRow(&Settings::start)})
      .With(&Settings::session, TrainingSessionOptions());
}

}  // namespace opyard::agents::hdp
