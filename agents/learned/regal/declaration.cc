#include "agents/learned/regal/declaration.h"

namespace opyard::agents::regal {
namespace {

constexpr const char* kUnknown = "unknown";

OptionTable<Sizes> NetworkOptions() {
  return OptionTable<Sizes>(
      {{.name = "type_embedding",
        .field = Whole(&Sizes::type_embedding, 1, 4096),
        .meaning = "width of the embeddings of types",
        .paper = kUnknown},
       {.name = "hidden",
        .field = Whole(&Sizes::hidden, 2, 4096),
        .meaning = "width of all layers",
        .paper = kUnknown},
       {.name = "rounds",
        .field = Whole(&Sizes::rounds, 0, 64),
        .meaning = "rounds of messages along the edges; of no account to an LSTM",
        .paper = kUnknown},
       {.name = "bins",
        .field = Whole(&Sizes::bins, 2, 256),
        .meaning = "means that a distribution may have, and variances for each",
        .paper = "16"},
       {.name = "genes",
        .field = Word(&Sizes::genes,
                      {{"both", Genes::kBoth},
                       {"placement", Genes::kPlacement},
                       {"scheduling", Genes::kScheduling}}),
        .meaning =
            "what the network proposes: affinities and priorities (both), affinities alone "
            "(placement) or priorities alone (scheduling); the other genes are sampled evenly",
        .paper = "both"},
       {.name = "features",
        .field = Word(&Sizes::features, {{"all", Features::kAll}, {"sizes", Features::kSizes}}),
        .meaning = "what the network sees of an op: all features of an observation (all), or its "
                   "type, bytes and degrees (sizes)",
        .paper = "sizes"},
       {.name = "learned_bias",
        .field = Flag(&Sizes::learned_bias),
        .meaning = "whether the network proposes the elite bias, too, one for each graph",
        .paper = "false"},
       {.name = "spread",
        .field = Real(&Sizes::spread, 0.0, 10.0),
        .meaning = "standard deviation of means, and of variances, about those of an even "
                   "distribution before anything is learnt; 0: all bins are as likely",
        .paper = kUnknown}});
}

OptionTable<TrainingOptions> OptionsOfTraining() {
  return OptionTable<TrainingOptions>()
      .With(
          {{.name = "proposal",
            .field = Word(&TrainingOptions::proposal,
                          {{"sampled", ProposalRule::kSampled},
                           {"likeliest", ProposalRule::kLikeliest},
                           {"expected", ProposalRule::kExpected}}),
            .meaning = "whether a search takes bins that it samples once (sampled), the likeliest "
                       "ones (likeliest), or the mean of all (expected)",
            .paper = kUnknown}})
      .With(&TrainingOptions::sizes, NetworkOptions())
      .With({{.name = "credit",
              .field = Word(&TrainingOptions::credit,
                            {{"chromosome", Credit::kChromosome}, {"search", Credit::kSearch}}),
              .meaning = "what a training rewards: each chromosome, sampled from bins of its own, "
                         "beside the one that the same uniform numbers make (chromosome), or a "
                         "genetic search with a proposal beside one without (search)",
              .paper = "search"},
             {.name = "batch_size",
              .field = Whole(&TrainingOptions::batch_size, 1, 4096),
              .meaning = "proposals per update of a training: of each chromosome of uniform "
                         "numbers, or of a genetic search each",
              .paper = kUnknown},
             {.name = "chromosomes",
              .field = Whole(&TrainingOptions::chromosomes, 2, 100'000),
              .meaning = "chromosomes of uniform numbers per update, where they are rewarded"},
             {.name = "best_of",
              .field = Whole(&TrainingOptions::best_of, 1, 100'000),
              .meaning = "number of chromosomes whose best one is to become better, where they "
                         "are rewarded; 1: the mean of all"},
             {.name = "decodes",
              .field = Whole(&TrainingOptions::decodes, 2, 1'000'000),
              .meaning = "evaluations of each genetic search of a training",
              .paper = kUnknown},
             {.name = "learning_rate",
              .field = Real(&TrainingOptions::learning_rate, 1e-8, 1.0),
              .meaning = "step size of Adam",
              .paper = kUnknown},
             {.name = "reward_baseline",
              .field = Word(&TrainingOptions::baseline,
                            {{"others", Baseline::kOthers}, {"average", Baseline::kAverage}}),
              .meaning = "what a proposal is compared with: the mean of the others of its update "
                         "(others), or an average of the problem's past rewards (average)",
              .paper = "learnt"},
             {.name = "baseline_momentum",
              .field = Real(&TrainingOptions::baseline_momentum, 0.0, 0.9999),
              .meaning = "decay of that average"}})
      .With(&TrainingOptions::rule, LearningRuleOptions("reinforce"))
      .With(&TrainingOptions::entropy, EntropyScheduleOptions(kUnknown))
      .With({{.name = "max_grad_norm",
              .field = Real(&TrainingOptions::max_grad_norm, 1e-6, 1e6),
              .meaning = "greatest norm of the gradient",
              .paper = kUnknown}});
}

// With the defaults that the shipped weights were trained by.
OptionTable<Settings> OptionsOf(Network network) {
  Settings defaults;
  defaults.training.sizes.network = network;
  defaults.training.sizes.spread = 0.25;
  defaults.training.proposal = ProposalRule::kExpected;
  defaults.training.learning_rate = 3e-3;
  return OptionTable<Settings>()
      .With(&Settings::training, OptionsOfTraining())
      .With(&Settings::genetic, BrkgaOptionTable())
      .With(&Settings::session, TrainingSessionOptions())
      .WithDefaults(defaults);
}

}  // namespace

AgentInfo Declaration::Info() {
  return {
      .name = "regal",
      .kind = AgentKind::kLearned,
      .tasks = {"placement", "scheduling", "fusion"},
      .paper = "Paliwal et al., ICLR 2020",
      .summary =
          "REGAL: a graph network that was trained over many graphs proposes from which "
          "distribution BRKGA samples each of its keys. The network does not learn on the "
          "problem at hand.",
      .deviations = {
          "Devices share one head, which sees their features, so that one network serves "
          "machines with any number of them.",
          "The network sees all features of an observation, the place of an op in the graph "
          "included (`features`).",
          "Before anything is learnt distributions are near even ones (`spread`), so that a "
          "training begins near BRKGA.",
          "A training rewards single chromosomes, each sampled from bins of its own, and not whole "
          "searches (`credit`).",
          "A proposal is compared with the others of its update (`reward_baseline`), or of its "
          "chromosome.",
          "Keys are the quantiles of the uniform numbers that BRKGA samples from the same seed, so "
          "that searches with and without proposals have their random numbers in common.",
          "The distribution of a group has the means of the logits of its ops.",
          "A search takes the mean of the bins, where a training samples them (`proposal`).",
          "Keys of copies, where there are any (`transfer_genes`), have the distribution of the "
          "priority of the group that makes the tensor; keys of fusion, of which REGAL has none, "
          "are even.",
          "Without `checkpoint` a search takes the shipped weights: those for peak memory "
          "where that is the objective, else those for the makespan."}};
}

OptionTable<Settings> Declaration::Options() {
  return OptionsOf(Network::kMessages);
}

AgentInfo GasDeclaration::Info() {
  AgentInfo info = Declaration::Info();
  info.name = "gas";
  info.summary =
      "Graph as sequence, REGAL's ablation: an LSTM over the ops in topological order in place of "
      "the graph network proposes from which distribution BRKGA samples each of its keys.";
  info.deviations.emplace_back("The LSTM reads the sequence in both directions.");
  return info;
}

OptionTable<Settings> GasDeclaration::Options() {
  return OptionsOf(Network::kSequence);
}

}  // namespace opyard::agents::regal
