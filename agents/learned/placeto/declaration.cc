#include "agents/learned/placeto/declaration.h"

namespace opyard::agents::placeto {
namespace {

OptionTable<GroupingOptions> GroupOptions() {
  return GroupRuleOptions("").With(
      {{.name = "max_groups",
        .field = Whole(&GroupingOptions::max_groups, 1, 4096),
        .meaning = "nodes that are visited one after the other; beyond, groups are merged",
        .paper = "a final size"}});
}

OptionTable<Sizes> NetworkOptions() {
  return OptionTable<Sizes>(
      {{.name = "faithful",
        .field = Flag(&Sizes::faithful),
        .meaning = "whether the network has an output per device, so that its weights serve "
                   "machines with as many devices only",
        .paper = "true"},
       {.name = "layers",
        .field = Word(&Sizes::layers,
                      {{"compact", Layers::kCompact}, {"published", Layers::kPublished}}),
        .meaning = "whether the network has the published code's layers: two hidden ones before "
                   "messages, ReLUs behind f and g, no message to a node without neighbours, a "
                   "head of 16 and 8 times the width; and its features: the memory of a node is "
                   "that of its outputs, and starts are divided by the latest after the current "
                   "node's (published); or one layer before messages, no such ReLUs and a head of "
                   "2 and 1 times the width, and the peak of the node's device (compact)",
        .paper = "published"},
       {.name = "width",
        .field = Whole(&Sizes::width, 0, 4096),
        .meaning = "numbers of a message in each direction; 0: as many as it has features, 6 "
                   "and one per device, or those of a device where it is not faithful",
        .paper = "0"},
       {.name = "rounds",
        .field = Whole(&Sizes::rounds, 1, 1024),
        .meaning = "rounds of messages in each direction",
        .paper = "8"},
       {.name = "aggregation",
        .field = Word(
            &Sizes::aggregation,
            {{"sum", Aggregation::kSum}, {"mean", Aggregation::kMean}, {"max", Aggregation::kMax}}),
        .meaning = "what becomes of several messages to one node, and of the nodes of a pool",
        .paper = "sum"},
       {.name = "moves",
        .field = Real(&Sizes::moves, 0.0, kMostMoves),
        .meaning = "nodes that a pass moves in the mean before anything is learnt; 0: as many as "
                   "uniform samples would",
        .paper = "0"}});
}

Words<EpisodeStart> EpisodeStartWords() {
  return {{"random", EpisodeStart::kRandom},
          {"one_random", EpisodeStart::kOneRandom},
          {"single_device", EpisodeStart::kSingleDevice},
          {"best", EpisodeStart::kBest},
          {"rules", EpisodeStart::kHeuristics},
          {"simple", EpisodeStart::kSimple}};
}

OptionTable<EpisodeOptions> EpisodeTable() {
  return OptionTable<EpisodeOptions>(
      {{.name = "start",
        .field = Word(&EpisodeOptions::start, EpisodeStartWords()),
        .meaning =
            "where an episode begins: a placement sampled uniformly (random), one that is "
            "sampled once (one_random), all on the first accelerator (single_device), or the "
            "best placement so far that completes: at first the best of all on one device, "
            "which are evaluated first (best), of list schedules, METIS partitions and the "
            "following (rules), or of all on one device and contiguous splits (simple); "
            "sampled ones as long as none completes",
        .paper = "one_random"},
       {.name = "order",
        .field = Word(&EpisodeOptions::order,
                      {{"topological", VisitOrder::kTopological}, {"random", VisitOrder::kRandom}}),
        .meaning = "the order in which a pass visits the nodes",
        .paper = "topological"},
       {.name = "passes",
        .field = Whole(&EpisodeOptions::passes, 1, 1024),
        .meaning = "visits of each node in an episode",
        .paper = "1"},
       {.name = "penalty_s_per_gb",
        .field = Real(&EpisodeOptions::penalty_s_per_gb, 0.0, 1e6),
        .meaning = "seconds that each 1e9 bytes of the greatest peak beyond free_gb add to the run "
                   "time, which is ten seconds at most if this is not 0",
        .paper = "2"},
       {.name = "free_gb",
        .field = Real(&EpisodeOptions::free_gb, 0.0, 1e6),
        .meaning = "memory of a device that costs nothing, in 1e9 bytes",
        .paper = "8"}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  return OptionTable<TrainingOptions>()
      .With(&TrainingOptions::groups, GroupOptions())
      .With(&TrainingOptions::sizes, NetworkOptions())
      .With(&TrainingOptions::episode, EpisodeTable())
      .With({{.name = "learn",
              .field = Flag(&TrainingOptions::learns),
              .meaning = "whether episodes change the network, and a collapsed one gives way; if "
                         "not, that of `checkpoint` plays them as it is"},
             {.name = "learning_rate",
              .field = Real(&TrainingOptions::learning_rate, 1e-8, 1.0),
              .meaning = "step size of Adam at the start",
              .paper = "0.001"},
             {.name = "final_learning_rate",
              .field = Real(&TrainingOptions::final_learning_rate, 1e-8, 1.0),
              .meaning = "step size of Adam at the end of the budget, to which it goes linearly",
              .paper = "0.0001"}})
      .With(&TrainingOptions::entropy, EntropyScheduleOptions("1, to 0 linearly"))
      .With({{.name = "episodes",
              .field = Whole(&TrainingOptions::episodes, 1, 4096),
              .meaning = "episodes of an update",
              .paper = "4 to 8 workers with one each"},
             {.name = "add_steps",
              .field = Flag(&TrainingOptions::adds_steps),
              .meaning = "whether the gradients of an update's steps are added up, which matters "
                         "to the clip alone; if not, they are averaged",
              .paper = "true"},
             {.name = "discount",
              .field = Real(&TrainingOptions::discount, 0.0, 1.0),
              .meaning = "what a gain one step later counts for",
              .paper = "1"},
             {.name = "baseline_episodes",
              .field = Whole(&TrainingOptions::baseline_episodes, 1, 1'000'000),
              .meaning = "last updates whose mean, step by step, is the baseline",
              .paper = "10"},
             {.name = "restart_updates",
              .field = Whole(&TrainingOptions::restart_updates, 0, kMostUpdates),
              .meaning = "episodes that end with one of the last 64 different placements that "
                         "episodes ended with, after which a fresh policy takes over; 0: none does",
              .paper = "none"},
             {.name = "max_grad_norm",
              .field = Real(&TrainingOptions::max_grad_norm, 1e-6, 1e6),
              .meaning = "greatest norm of the gradient",
              .paper = "1.25"}});
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "placeto",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling"},
      .start = "single_device",
      .paper = "Addanki et al., NeurIPS 2019",
      .summary =
          "Placeto: a graph network visits one node after the other, places it anew, and "
          "learns by REINFORCE from what each step gains.",
      .deviations = {
          "With faithful: false, the same weights serve every machine: devices, where a node is "
          "and where it may go, are described by their features, and chosen by a pointer.",
          "Nodes are the problem's co-location groups, merged like reinforce_lstm's where there "
          "are more than max_groups.",
          "At the defaults the layers are compact, messages are averaged, an update has one "
          "episode, episodes begin at the best placement so far (`start`), a fresh network moves "
          "few nodes (`moves`), gains are discounted, and a collapsed policy is replaced: "
          "experiments/configs/placeto-faithful.yaml undoes that.",
          "Run times are divided by the problem's reference; the published code's are in seconds. "
          "A plan that does not complete counts as 10 times the reference.",
          "A placement that was just evaluated is not evaluated again: a step that moves nothing "
          "is no evaluation, nor is the start of an episode that begins where an earlier one did.",
          "The baseline of an episode does not include that episode, and the entropy has no 0.001 "
          "beside each probability.",
          "No episode takes the likeliest device, as every 999th of the published code does, which "
          "learns nothing from it.",
          "Where scheduling is a task, priorities are the upward ranks."}};
}

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With(&Settings::session, TrainingSessionOptions());
}

std::string Declaration::StartOf(const Settings& settings) {
  const EpisodeStart start = settings.training.episode.start;
  return EpisodeStartWords().NameOf(start == EpisodeStart::kBest ? EpisodeStart::kSingleDevice
                                                                 : start);
}

}  // namespace opyard::agents::placeto
