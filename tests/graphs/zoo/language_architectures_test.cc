// Parameters, arithmetic and op counts of language models against what the architectures say.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/graphs/zoo/model_macs.h"

namespace opyard::graphs {
namespace {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

// One LSTM layer: a matrix [inputs + hidden, 4 · hidden] and a bias.
std::int64_t LstmParameters(std::int64_t inputs, std::int64_t hidden) {
  return 4 * hidden * (inputs + hidden) + 4 * hidden;
}

// --- RNNLM.

TEST(RnnlmTest, ParametersFollowFromItsSizes) {
  for (const std::int64_t layers : {2, 4, 8}) {
    const GraphPointer graph = LoadGraph("zoo:rnnlm?layers=" + std::to_string(layers));
    const std::int64_t expected = 10'000 * 2048                          // embedding
                                  + layers * LstmParameters(2048, 2048)  //
                                  + 2048 * 10'000 + 10'000;              // projection
    EXPECT_EQ(NumParameters(*graph), expected);
  }
}

TEST(RnnlmTest, MultiplyAddsFollowFromItsSizes) {
  const GraphPointer graph = LoadGraph("zoo:rnnlm?layers=2");
  const double cell = 4.0 * 2048 * (2048 + 2048);
  const double step = 2 * cell + 2048.0 * 10'000;
  EXPECT_EQ(ForwardMacs(*graph), 64 * 64 * step);  // 64 sequences of 64 steps
  // Each product has two gradients; the gradient of the embedding is no product.
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph));
}

TEST(RnnlmTest, OpCountOfTwoLayersIsNearThePublishedOne) {
  // Table of the HDP paper (arXiv and ICLR 2018): 9,021 ops.
  ExpectWithinThirtyPercent(*LoadGraph("zoo:rnnlm"), 9'021);
}

TEST(RnnlmTest, EachCellStepAddsTheOpsOfItsEquations) {
  const auto histogram = [](int seq) {
    return CountTypes(*LoadGraph("zoo:rnnlm?layers=1&seq=" + std::to_string(seq)));
  };
  Histogram shorter = histogram(4);
  Histogram longer = histogram(5);
  const auto added = [&](const std::string& type) { return longer[type] - shorter[type]; };
  // Gates: three sigmoids and a candidate's tanh; the cell's tanh. Each has a gradient.
  EXPECT_EQ(added("Sigmoid"), 3);
  EXPECT_EQ(added("SigmoidGrad"), 3);
  EXPECT_EQ(added("Tanh"), 2);
  EXPECT_EQ(added("TanhGrad"), 2);
  EXPECT_EQ(added("Split"), 1);
  // Gates and projection: one product and bias each, two gradients and one.
  EXPECT_EQ(added("MatMul"), 2 * 3);
  EXPECT_EQ(added("BiasAdd"), 2);
  EXPECT_EQ(added("BiasAddGrad"), 2);
  // [x, h] joined, and its two slices; the gradient of the gates joined.
  EXPECT_EQ(added("ConcatV2"), 2);
  EXPECT_EQ(added("Slice"), 2);
  EXPECT_EQ(added("SparseSoftmaxCrossEntropyWithLogits"), 1);
}

// --- GNMT.

std::int64_t GnmtParameters(std::int64_t layers) {
  const std::int64_t hidden = 1024;
  const std::int64_t words = 32'000;
  std::int64_t encoder = words * hidden + 2 * LstmParameters(hidden, hidden);
  for (std::int64_t i = 1; i < layers; ++i) {
    encoder += LstmParameters(i == 1 ? 2 * hidden : hidden, hidden);  // behind both directions
  }
  const std::int64_t attention = 2 * hidden * hidden + hidden;  // keys, query, score
  const std::int64_t decoder = words * hidden + layers * LstmParameters(2 * hidden, hidden);
  return encoder + attention + decoder + hidden * words;
}

TEST(GnmtTest, ParametersFollowFromItsSizes) {
  for (const std::int64_t layers : {2, 4, 8}) {
    EXPECT_EQ(NumParameters(*LoadGraph("zoo:gnmt?layers=" + std::to_string(layers))),
              GnmtParameters(layers));
  }
}

TEST(GnmtTest, MultiplyAddsFollowFromItsSizes) {
  const double hidden = 1024;
  const double narrow = 4 * hidden * 2 * hidden;
  const double wide = 4 * hidden * 3 * hidden;
  // Encoder: two directions, the layer behind them, the keys. Decoder: two layers that also read
  // the context; query, the weighted mean of 64 places, projection.
  const double encoder = 2 * narrow + wide + hidden * hidden;
  const double decoder = 2 * wide + hidden * hidden + 64 * hidden + hidden * 32'000;
  const GraphPointer graph = LoadGraph("zoo:gnmt?layers=2");
  EXPECT_EQ(ForwardMacs(*graph), 256 * 64 * (encoder + decoder));
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph));
}

TEST(GnmtTest, OpCountsAreNearThePublishedOnes) {
  // Table of the HDP paper: 28,044, 46,600 and 83,712 ops.
  ExpectWithinThirtyPercent(*LoadGraph("zoo:gnmt?layers=2"), 28'044);
  ExpectWithinThirtyPercent(*LoadGraph("zoo:gnmt?layers=4"), 46'600);
  ExpectWithinThirtyPercent(*LoadGraph("zoo:gnmt?layers=8"), 83'712);
}

TEST(GnmtTest, EncoderAndDecoderLayersShareAStage) {
  const GraphPointer graph = LoadGraph("zoo:gnmt?layers=4&seq=2");
  EXPECT_EQ(graph->op(FindOp(*graph, "encoder/forward2/kernel")).layer, 3);
  EXPECT_EQ(graph->op(FindOp(*graph, "decoder/forward2/kernel")).layer, 3);
}

// --- Transformers.

TEST(BertTest, ParametersEqualThePublishedCount) {
  // bert-base with its pre-training heads: 110,106,428.
  const std::int64_t width = 768;
  const std::int64_t norm = 2 * width;
  const std::int64_t square = width * width + width;
  const std::int64_t embedding = (30'522 + 512 + 2) * width + norm;
  const std::int64_t layer = 4 * square + norm + 2 * width * 3072 + 3072 + width + norm;
  const std::int64_t heads = square + norm + 30'522 + square + 2 * width + 2;
  EXPECT_EQ(embedding + 12 * layer + heads, 110'106'428);
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:bert")), 110'106'428);
}

TEST(BertTest, MultiplyAddsFollowFromItsSizes) {
  const double words = 32 * 128;
  const double layer = words * (4.0 * 768 * 768 + 2.0 * 768 * 3072) + words * 2 * 128 * 768;
  const double masked = 32 * 20 * (768.0 * 768 + 768.0 * 30'522);
  const double next = 32 * (768.0 * 768 + 768 * 2);
  const GraphPointer graph = LoadGraph("zoo:bert");
  EXPECT_EQ(ForwardMacs(*graph), 12 * layer + masked + next);
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph));
}

TEST(GptTest, ParametersEqualThePublishedCount) {
  // GPT-2 small.
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:gpt")), 124'439'808);
}

TEST(GptTest, MultiplyAddsFollowFromItsSizes) {
  const double words = 4 * 1024;
  const double layer = words * 12 * 768 * 768 + words * 2 * 1024 * 768;  // 3 + 1 + 4 + 4 squares
  const GraphPointer graph = LoadGraph("zoo:gpt");
  EXPECT_EQ(ForwardMacs(*graph), 12 * layer + words * 768 * 50'257);
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph));
}

TEST(TransformerXlTest, ParametersFollowFromItsSizes) {
  const std::int64_t width = 1024;
  const std::int64_t inner = 4096;
  // query, key, value, distance, output without bias; two norms; feed-forward.
  const std::int64_t layer = 5 * width * width + 2 * 2 * width + 2 * width * inner + inner + width;
  for (const std::int64_t layers : {2, 4, 8}) {
    EXPECT_EQ(NumParameters(*LoadGraph("zoo:transformer_xl?layers=" + std::to_string(layers))),
              32'000 * width + 2 * width + layers * layer + width * 32'000 + 32'000);
  }
}

TEST(TransformerXlTest, MultiplyAddsFollowFromItsSizes) {
  const double words = 96 * 384;
  const double seen = 2 * words;  // the segment and the memory
  const double square = 1024.0 * 1024;
  const double layer = words * 2 * square          // query, output
                       + seen * 2 * square         // key, value
                       + 768 * square              // distances, once for all sequences
                       + 3 * words * 768 * 1024    // by content, by distance, the mean
                       + words * 2 * 1024 * 4096;  // feed-forward
  const GraphPointer graph = LoadGraph("zoo:transformer_xl?layers=2");
  EXPECT_EQ(ForwardMacs(*graph), 2 * layer + words * 1024 * 32'000);
}

TEST(TransformerXlTest, TheMemoryOfEachLayerIsReplacedAtTheEnd) {
  const GraphPointer graph = LoadGraph("zoo:transformer_xl?layers=4");
  EXPECT_EQ(graph->op(FindOp(*graph, "layer3/memory")).param_bytes,
            Bytes{std::int64_t{96} * 384 * 1024 * 4});
}

TEST(MoeTest, ParametersFollowFromItsSizes) {
  const std::int64_t width = 768;
  const std::int64_t inner = 3072;
  const std::int64_t feed_forward = 2 * width * inner + inner + width;
  const std::int64_t attention = 4 * (width * width + width);
  const std::int64_t norms = 2 * 2 * width;
  // Three of six layers have eight experts and a router.
  const std::int64_t expected = (32'000 + 512) * width + 2 * width + 6 * (attention + norms) +
                                3 * feed_forward + 3 * (8 * feed_forward + width * 8);
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:moe")), expected);
}

TEST(MoeTest, MultiplyAddsFollowFromItsSizes) {
  const double words = 8 * 512;
  const double square = 768.0 * 768;
  const double feed_forward = 2.0 * 768 * 3072;
  const double attention = words * (4 * square + 2 * 512 * 768);
  // 512 words, 8 experts: 64 places each, and a quarter more. Words are sent to the places and
  // fetched back by products with one row per word and one column per place.
  const double places = 8 * 80;
  const double mixture =
      words * 768 * 8 + 2 * words * places * 768 + 8 * places * feed_forward;  // of 8 sequences
  const double expected =
      6 * attention + 3 * words * feed_forward + 3 * mixture + words * 768 * 32'000;
  EXPECT_EQ(ForwardMacs(*LoadGraph("zoo:moe")), expected);
}

TEST(MoeTest, ExpertsWorkOnTheirCapacity) {
  const GraphPointer graph = LoadGraph("zoo:moe");
  // 512 words, 8 experts: 64 each, and a quarter more.
  const sim::Op& product = graph->op(FindOp(*graph, "layer1/mixture/expert7/in/MatMul"));
  EXPECT_EQ(product.flops.count, 2.0 * (8 * 80) * 768 * 3072);
}

}  // namespace
}  // namespace opyard::graphs
