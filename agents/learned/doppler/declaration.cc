#include "agents/learned/doppler/declaration.h"

namespace opyard::agents::doppler {
namespace {

OptionTable<GroupingOptions> GroupOptions() {
  return GroupRuleOptions("").With(
      {{.name = "max_groups",
        .field = Whole(&GroupingOptions::max_groups, 1, 4096),
        .meaning = "nodes that are selected and placed; beyond, groups are merged",
        .paper = "none: one node per op"}});
}

OptionTable<Sizes> NetworkOptions() {
  return OptionTable<Sizes>(
      {{.name = "faithful",
        .field = Flag(&Sizes::faithful),
        .meaning = "whether devices have the published columns alone, start times are estimated "
                   "as published, from the work of a device, and the teacher takes the device of "
                   "the earliest start; if not, start times wait for inputs, columns also have "
                   "how long the node takes, when it ends and how full the device is, and the "
                   "teacher takes the device of the earliest end that has room",
        .paper = "true"},
       {.name = "hidden",
        .field = Whole(&Sizes::hidden, 1, 1024),
        .meaning = "numbers of an embedding",
        .paper = "128"},
       {.name = "head",
        .field = Whole(&Sizes::head, 1, 4096),
        .meaning = "width of the layer before the logit",
        .paper = "64"},
       {.name = "rounds",
        .field = Whole(&Sizes::rounds, 1, 64),
        .meaning = "rounds of message passing",
        .paper = "6"}});
}

Words<Chooser> ChooserWords(const char* teacher) {
  return {{"policy", Chooser::kPolicy}, {teacher, Chooser::kTeacher}};
}

OptionTable<TrainingOptions> ActingOptions() {
  return OptionTable<TrainingOptions>(
      {{.name = "stages",
        .field = Word(&TrainingOptions::stages,
                      {{"both", Stages::kBoth},
                       {"imitation", Stages::kImitation},
                       {"simulation", Stages::kSimulation},
                       {"none", Stages::kNone}}),
        .meaning =
            "what the networks learn from: imitation of the teacher, then the simulator "
            "(both), one of them, or nothing; with weights of `checkpoint` stage 1 is left out",
        .paper = "both, then hardware"},
       {.name = "select",
        .field = Word(&TrainingOptions::select, ChooserWords("critical_path")),
        .meaning = "who takes the next node: the policy, or the teacher, the ready one of the "
                   "longest path to a sink",
        .paper = "policy"},
       {.name = "place",
        .field = Word(&TrainingOptions::place, ChooserWords("earliest_start")),
        .meaning = "who places it: the policy, or the teacher",
        .paper = "policy"},
       {.name = "exploration",
        .field = Word(
            &TrainingOptions::exploration,
            {{"sample", Exploration::kSample}, {"epsilon_greedy", Exploration::kEpsilonGreedy}}),
        .meaning = "how episodes choose: from the policy's probabilities, or the likeliest but "
                   "for a share of uniform choices",
        .paper = "epsilon_greedy"},
       {.name = "batch_size",
        .field = Whole(&TrainingOptions::batch_size, 1, 4096),
        .meaning = "episodes per update",
        .paper = "1"}});
}

OptionTable<ImitationOptions> ImitationTable() {
  return OptionTable<ImitationOptions>(
      {{.name = "teacher",
        .field = Word(&ImitationOptions::teacher,
                      {{"list_schedule", Teacher::kListSchedule}, {"best", Teacher::kBest}}),
        .meaning = "whom the first stage imitates: a list schedule, the ready node of the longest "
                   "path to a sink on the device where it starts or ends first, or the better one "
                   "of it and of the best plan that `start` names",
        .paper = "list_schedule"},
       {.name = "imitation_updates",
        .field = Whole(&ImitationOptions::num_updates, 0, kMostUpdates),
        .meaning = "updates that imitate the teacher, before the first evaluation",
        .paper = "2000"},
       {.name = "imitation_learning_rate",
        .field = Real(&ImitationOptions::learning_rate, 1e-8, 1.0),
        .meaning = "step size of Adam meanwhile",
        .paper = "0.001"},
       {.name = "imitation_epsilon",
        .field = Real(&ImitationOptions::epsilon, 0.0, 1.0),
        .meaning = "share of uniform choices (epsilon_greedy) at their start; falls to 0 linearly",
        .paper = "1"},
       {.name = "imitation_entropy",
        .field = Real(&ImitationOptions::entropy_weight, 0.0, 1e3),
        .meaning = "weight of the mean entropy of a decision meanwhile",
        .paper = "0.001"}});
}

OptionTable<TrainingOptions> LearningOptions() {
  return OptionTable<TrainingOptions>(
             {{.name = "epsilon",
               .field = Real(&TrainingOptions::epsilon, 0.0, 1.0),
               .meaning = "share of uniform choices (epsilon_greedy) at the start; falls to 0 "
                          "linearly at the end of the budget",
               .paper = "0.2"},
              {.name = "learning_rate",
               .field = Real(&TrainingOptions::learning_rate, 1e-8, 1.0),
               .meaning = "step size of Adam at the start",
               .paper = "0.0001"},
              {.name = "final_learning_rate",
               .field = Real(&TrainingOptions::final_learning_rate, 1e-8, 1.0),
               .meaning = "step size of Adam at the end of the budget, to which it goes linearly",
               .paper = "0.0001"}})
      .With(&TrainingOptions::entropy, EntropyScheduleOptions())
      .With(
          {{.name = "advantage",
            .field = Word(&TrainingOptions::advantage,
                          {{"rank", Advantage::kRank}, {"average_cost", Advantage::kAverageCost}}),
            .meaning = "what an episode is worth: its rank in the update, or the mean cost of all "
                       "episodes so far less its own; a rank needs several samples",
            .paper = "average_cost"},
           {.name = "discount",
            .field = Real(&TrainingOptions::discount, 0.0, 1.0),
            .meaning = "what a decision one step earlier counts for",
            .paper = "0.99"},
           {.name = "elites",
            .field = Whole(&TrainingOptions::elites, 0, 4096),
            .meaning = "best episodes so far that each update makes likelier, too",
            .paper = "0"},
           {.name = "restart_updates",
            .field = Whole(&TrainingOptions::restart_updates, 0, kMostUpdates),
            .meaning = "updates without a plan that is not among the last 64 different ones, "
                       "after which fresh policies, which imitate no teacher, take over; 0: none "
                       "do",
            .paper = "none"},
           {.name = "max_grad_norm",
            .field = Real(&TrainingOptions::max_grad_norm, 1e-6, 1e6),
            .meaning = "greatest norm of the gradient",
            .paper = "none"}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  OptionTable<TrainingOptions> table = OptionTable<TrainingOptions>()
                                           .With(&TrainingOptions::groups, GroupOptions())
                                           .With(&TrainingOptions::sizes, NetworkOptions())
                                           .With(ActingOptions().rows())
                                           .With(&TrainingOptions::imitation, ImitationTable());
  return table.With(LearningOptions().rows());
}

// The best plan that is evaluated there may become the teacher, unlike in other agents whose plans
// a network samples.
OptionRow<Settings> EvaluatedStartRow() {
  OptionRow<Settings> row = NetworkStartRow(&Settings::start);
  row.meaning =
      "what is evaluated before the policies sample plans, for `teacher`: nothing (network); list "
      "schedules, METIS partitions and the following (rules); all on one device, and contiguous "
      "splits (simple); the first of these alone (single_device)";
  return row;
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "doppler",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling"},
      .start = "single_device",
      .paper = "Yao et al., ICLR 2026",
      .summary =
          "DOPPLER: one policy takes a node that is ready, another one places it; both "
          "imitate a list schedule, then learn by REINFORCE on the simulator.",
      .deviations = {
          "Stage 3, on hardware, is left out: the simulator is what there is.",
          "Stage 1 evaluates no plan of a policy: the published code simulates each, and learns "
          "nothing from it.",
          "The faults of the published code are mended: a node has its own path embeddings, "
          "not those of the node at its place in a depth-first search.",
          "The published decay of the step size, which its optimiser never sees, is "
          "final_learning_rate.",
          "Nodes are the problem's co-location groups, merged like reinforce_lstm's where "
          "there are more than max_groups; links that merging makes lead back do not delay "
          "a node.",
          "Seconds of a node are those of its ops on each device, and a link takes what its "
          "tensors take; the published graphs have one time and one output per node.",
          "The deviation that embeddings are divided by is 0.1 at least, where the published code "
          "adds 1e-6: so the gradient of candidates that are nearly alike stays bounded.",
          "Costs are divided by the problem's reference; a plan that does not complete costs "
          "10.",
          "Where scheduling is a task, nodes have priority in the order in which they were "
          "taken, which the published simulator does not see."}};
}

OptionTable<Settings> Declaration::Options() {
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With({EvaluatedStartRow()})
      .With(&Settings::session, TrainingSessionOptions());
}

}  // namespace opyard::agents::doppler
