#include "agents/learned/reinforce_lstm/declaration.h"

namespace opyard::agents::reinforce_lstm {
namespace {

OptionTable<GroupingOptions> GroupOptions() {
  return GroupRuleOptions("single_consumer")
      .With({{.name = "max_groups",
              .field = Whole(&GroupingOptions::max_groups, 1, 4096),
              .meaning = "groups that are placed one after the other; beyond, they are merged",
              .paper = "83 to 280"}});
}

OptionTable<Sizes> NetworkOptions() {
  return OptionTable<Sizes>(
      {{.name = "faithful",
        .field = Flag(&Sizes::faithful),
        .meaning = "whether the network is the paper's: a group described by its types, output "
                   "shapes and adjacency rows (unless `adjacency` says otherwise), a decoder that "
                   "begins with the encoder's last state and reads the last device alone, and an "
                   "output per device, so that its weights serve machines with as many devices "
                   "only",
        .paper = "true"},
       {.name = "adjacency",
        .field = Word(&Sizes::adjacency,
                      {{"as_published", Adjacency::kAsPublished},
                       {"means", Adjacency::kMeans},
                       {"rows", Adjacency::kRows}}),
        .meaning = "what a group sees of who is next to it: the means of their features (means), "
                   "its rows of the adjacency matrix, whose weights serve problems with as many "
                   "groups only (rows), or rows if faithful and else means (as_published)",
        .paper = "rows"},
       {.name = "memory_features",
        .field = Flag(&Sizes::memory_features),
        .meaning = "whether the network sees the bytes of parameters and workspaces, and what they "
                   "and all ops need of a device's memory",
        .paper = "false"},
       {.name = "hidden",
        .field = Whole(&Sizes::hidden, 1, 4096),
        .meaning = "units of each of the two LSTMs",
        .paper = "512"},
       {.name = "attention",
        .field = Whole(&Sizes::attention, 1, 4096),
        .meaning = "width of the attention and of the embeddings of devices"},
       {.name = "embedding",
        .field = Whole(&Sizes::embedding, 1, 4096),
        .meaning = "width of the embeddings of types and of what is next to a group"},
       {.name = "temperature",
        .field = Real(&Sizes::temperature, 1e-3, 1e6),
        .meaning = "T of the logits C · tanh(logit / T)",
        .paper = "10"},
       {.name = "tanh_constant",
        .field = Real(&Sizes::tanh_constant, 1e-3, 1e3),
        .meaning = "C of the logits C · tanh(logit / T)",
        .paper = "5"}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  return OptionTable<TrainingOptions>()
      .With(&TrainingOptions::groups, GroupOptions())
      .With(&TrainingOptions::sizes, NetworkOptions())
      .With({{.name = "batch_size",
              .field = Whole(&TrainingOptions::batch_size, 1, 4096),
              .meaning = "plans per update",
              .paper = "4 to 8 workers per controller"},
             {.name = "workers",
              .field = Whole(&TrainingOptions::num_workers, 1, 256),
              .meaning = "controllers that take turns at updates, each with the weights of the end "
                         "of its own last turn: those of asynchronous ones",
              .paper = "about 20 controllers"},
             {.name = "learning_rate",
              .field = Real(&TrainingOptions::learning_rate, 1e-8, 1.0),
              .meaning = "step size of Adam",
              .paper = "0.1"}})
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
      .With(&TrainingOptions::baseline, BaselineRuleOptions("a moving average", "about 5000"))
      .With({{.name = "learn",
              .field = Flag(&TrainingOptions::learns),
              .meaning = "whether updates change the network, and a collapsed one gives way; if "
                         "not, as many plans are sampled from the network as it is"}});
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "reinforce_lstm",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling"},
      .paper = "Mirhoseini et al., ICML 2017",
      .summary =
          "ColocRL: an LSTM with attention places one co-location group after the "
          "other and learns by REINFORCE on the problem at hand.",
      .deviations = {
          "No code is published. What the paper leaves open is decided here: a group is described "
          "by the mean type embedding and the mean output shapes of its ops, sizes as they are, "
          "groups stand in topological order, and attention is additive.",
          "The paper's rules by hand for steps of LSTMs and modules of convolutions are left out; "
          "beyond max_groups, groups are merged.",
          "Controllers take turns (`workers`) instead of running at once, and a plan is evaluated "
          "once instead of 10 to 15 times, which would give equal step times.",
          "Rewards are -sqrt(step time / reference), of a failure -10.",
          "Unless faithful, a group is described by the means of the observation's columns, the "
          "decoder also reads the encoding of the group that it places and begins with zeros, and "
          "the same weights serve every problem: a group sees the mean of what is next to it "
          "(`adjacency`), and devices are chosen by a pointer over their features.",
          "At the defaults the plans of single devices are evaluated first, an entropy bonus is "
          "paid, a collapsed policy is replaced, and the baseline begins with the first rewards "
          "and follows completed plans only: experiments/configs/colocrl-faithful.yaml undoes "
          "that.",
          "Where scheduling is a task, priorities are the upward ranks."}};
}

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With({NetworkStartRow(&Settings::start)})
      .With(&Settings::session, TrainingSessionOptions());
}

}  // namespace opyard::agents::reinforce_lstm
