// The settings of REGAL and GAS, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/genetic/brkga_options.h"
#include "agents/learned/common/declaration.h"
#include "agents/learned/common/learning_rule.h"

namespace opyard::agents::regal {

enum class Network : std::uint8_t {
  kMessages,  // REGAL: a graph network
  kSequence,  // GAS: an LSTM over the topological order
};

// The genes that the network proposes; the others are sampled evenly.
enum class Genes : std::uint8_t { kBoth, kPlacement, kScheduling };

enum class Features : std::uint8_t {
  kAll,    // of env::Observation
  kSizes,  // type, bytes and degrees of an op alone, as published
};

// The sizes of the network, which serves every graph and machine.
struct Sizes {
  Network network = Network::kMessages;
  std::int64_t type_embedding = 16;
  std::int64_t hidden = 64;
  std::int64_t rounds = 8;
  std::int64_t bins = 16;  // means that a distribution may have, and variances
  Genes genes = Genes::kBoth;
  Features features = Features::kAll;
  bool learned_bias = false;  // whether the network proposes the elite bias, too; an ablation
  // The spread of means and variances about those of an even distribution, as they are sampled
  // before anything is learnt; 0: each bin is as likely.
  double spread = 0.15;
};

// The rule by which a trained network proposes.
enum class ProposalRule : std::uint8_t {
  kSampled,  // bins are sampled, as in training
  kLikeliest,
  kExpected,  // the mean of the means, and of the variances
};

enum class Baseline : std::uint8_t {
  kOthers,   // the mean of the other samples of the update
  kAverage,  // an average of the problem's past rewards
};

// The unit that is rewarded in a training.
enum class Credit : std::uint8_t {
  kChromosome,  // each chromosome, which bins of its own make (chromosome_rewards.h)
  kSearch,      // a whole genetic search with a proposal, as published (proposal_search.h)
};

// The options of the training.
struct TrainingOptions {
  Sizes sizes;
  ProposalRule proposal = ProposalRule::kSampled;
  Credit credit = Credit::kChromosome;
  // Proposals per update, for each chromosome of uniform genes, or a genetic search each.
  std::int64_t batch_size = 8;
  std::int64_t chromosomes = 64;  // of uniform genes per update
  std::int64_t best_of = 1;       // chromosomes whose best one counts (advantages.h)
  std::int64_t decodes = 500;     // of each genetic search
  double learning_rate = 1e-3;
  LearningRule rule;
  Baseline baseline = Baseline::kOthers;
  double baseline_momentum = 0.9;
  EntropySchedule entropy{.weight = 1e-3};
  double max_grad_norm = 1.0;  // greatest norm of the gradient
};

// The settings of the agent. It starts as BRKGA-5K does: with no rule's plan.
struct Settings {
  TrainingOptions training;
  BrkgaOptions genetic{.population = 100, .start = Start::kRandom};
  TrainingSession session;
};

}  // namespace opyard::agents::regal
