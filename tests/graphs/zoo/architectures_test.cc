// Parameters, arithmetic and op counts of the zoo against what the architectures say.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_source.h"
#include "graphs/zoo/model_size.h"
#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

using sim::Phase;
using GraphPointer = std::shared_ptr<const sim::OpGraph>;

// Forward multiply-adds of products and convolutions.
double ForwardMacs(const sim::OpGraph& graph) {
  return HeavyFlops(graph, Phase::kForward).count / 2.0;
}

double BackwardMacs(const sim::OpGraph& graph) {
  return HeavyFlops(graph, Phase::kBackward).count / 2.0;
}

void ExpectWithinThirtyPercent(const GraphPointer& graph, double published) {
  const auto found = static_cast<double>(graph->num_ops());
  EXPECT_GE(found, 0.7 * published);
  EXPECT_LE(found, 1.3 * published);
}

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
  ExpectWithinThirtyPercent(LoadGraph("zoo:rnnlm"), 9'021);
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
  ExpectWithinThirtyPercent(LoadGraph("zoo:gnmt?layers=2"), 28'044);
  ExpectWithinThirtyPercent(LoadGraph("zoo:gnmt?layers=4"), 46'600);
  ExpectWithinThirtyPercent(LoadGraph("zoo:gnmt?layers=8"), 83'712);
}

TEST(GnmtTest, EncoderAndDecoderLayersShareAStage) {
  const GraphPointer graph = LoadGraph("zoo:gnmt?layers=4&seq=2");
  EXPECT_EQ(graph->op(FindOp(*graph, "encoder/forward2/kernel")).layer, 3);
  EXPECT_EQ(graph->op(FindOp(*graph, "decoder/forward2/kernel")).layer, 3);
}

// --- Image models. Published counts: torchvision's documentation, table "classification weights".

TEST(InceptionV3Test, ParametersEqualThePublishedCount) {
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:inception_v3")), 27'161'264);
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:inception_v3?auxiliary=false")), 23'834'568);
}

TEST(InceptionV3Test, MultiplyAddsAreThePublishedOnesAndGrowWithTheBatch) {
  const GraphPointer graph = LoadGraph("zoo:inception_v3?batch=32&auxiliary=false");
  EXPECT_NEAR(ForwardMacs(*graph), 32 * 5.71e9, 0.03 * 32 * 5.71e9);
  EXPECT_EQ(ForwardMacs(*LoadGraph("zoo:inception_v3?batch=64&auxiliary=false")),
            2 * ForwardMacs(*graph));
}

TEST(InceptionV3Test, BackwardIsTwiceForwardLessTheImagesGradient) {
  const GraphPointer graph = LoadGraph("zoo:inception_v3");
  // First convolution: 32 filters of 3·3·3 on 149 × 149 places, 32 images.
  const double first = 32.0 * (149 * 149) * 32 * 27;
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph) - first);
}

TEST(InceptionV3Test, OpCountIsNearThePublishedOne) {
  // Table of the HDP paper: 24,713 ops.
  ExpectWithinThirtyPercent(LoadGraph("zoo:inception_v3"), 24'713);
}

TEST(Resnet50Test, ParametersEqualThePublishedCount) {
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:resnet50")), 25'557'032);
}

TEST(Resnet50Test, MultiplyAddsAreThePublishedOnes) {
  const GraphPointer graph = LoadGraph("zoo:resnet50");
  EXPECT_NEAR(ForwardMacs(*graph), 32 * 4.09e9, 0.03 * 32 * 4.09e9);
  // First convolution: 64 filters of 3·7·7 on 112 × 112 places, 32 images.
  const double first = 32.0 * (112 * 112) * 64 * 147;
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph) - first);
}

TEST(Resnet50Test, HasOneOpPerConvolutionGradient) {
  Histogram counts = CountTypes(*LoadGraph("zoo:resnet50"));
  EXPECT_EQ(counts["Conv2D"], 53);
  EXPECT_EQ(counts["Conv2DBackpropFilter"], 53);
  EXPECT_EQ(counts["Conv2DBackpropInput"], 52);  // the image needs none
}

TEST(Vgg16Test, ParametersEqualThePublishedCount) {
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:vgg16")), 138'357'544);
}

TEST(Vgg16Test, MultiplyAddsAreThePublishedOnes) {
  const GraphPointer graph = LoadGraph("zoo:vgg16");
  EXPECT_NEAR(ForwardMacs(*graph), 32 * 15.47e9, 0.03 * 32 * 15.47e9);
  // First convolution: 64 filters of 3·3·3 on 224 × 224 places, 32 images.
  const double first = 32.0 * (224 * 224) * 64 * 27;
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph) - first);
}

TEST(AmoebanetTest, ParametersAreNearThePublishedCounts) {
  // GPipe (arXiv:1811.06965), table 1: 82 M for (18, 208), 318 M for (18, 416).
  EXPECT_NEAR(static_cast<double>(NumParameters(*LoadGraph("zoo:amoebanet"))), 82e6, 0.03 * 82e6);
  EXPECT_NEAR(static_cast<double>(NumParameters(*LoadGraph("zoo:amoebanet?filters=416"))),
              318e6,
              0.03 * 318e6);
}

// Multiply-adds of AmoebaNet-D's cells for one image, as GPipe's authors published them: both
// inputs of a cell come to its `channels` by 1×1 convolutions; a 3×3 or 7×7 operation works on a
// quarter of the channels, between two 1×1 convolutions.
class AmoebanetMacs {
 public:
  explicit AmoebanetMacs(double channels) : now_{channels, 112}, before_(now_) {
    macs_ = 112.0 * 112 * channels * 27;  // the stem halves 224 × 224 by 3·3 places of 3 channels
  }

  // Three 1×1 convolutions, and two 7×7 as a row and a column; joins four states.
  void NormalCell(double channels) {
    const double square = channels * channels;
    const double area = now_.side * now_.side;
    ReadInputs(channels);
    macs_ += area * (3 * square + 2 * Row7AndColumn7(channels));
    Finish({4 * channels, now_.side});
  }

  // On the halved grid: one 1×1, one 7×7, one 3×3, whose first 1×1 reads the full grid; joins
  // three.
  void ReductionCell(double channels) {
    const double square = channels * channels;
    const double quarter = channels / 4;
    const double area = now_.side * now_.side;
    ReadInputs(channels);
    macs_ += area * channels * quarter;
    macs_ += area / 4 * (9 * quarter * quarter + quarter * channels);
    macs_ += area / 4 * (square + Row7AndColumn7(channels));
    Finish({3 * channels, now_.side / 2});
  }

  // All places are averaged before.
  [[nodiscard]] double WithClasses(double classes) const { return macs_ + now_.channels * classes; }

 private:
  struct Grid {
    double channels;
    double side;
  };

  static double Row7AndColumn7(double channels) {
    const double quarter = channels / 4;
    return 2 * channels * quarter + 2 * 7 * quarter * quarter;
  }

  // The earlier input is left as it is where it has the grid and the channels already.
  void ReadInputs(double channels) {
    const double area = now_.side * now_.side;
    macs_ += area * now_.channels * channels;
    if (before_.side != now_.side || before_.channels != channels) {
      macs_ += area * before_.channels * channels;
    }
  }

  void Finish(const Grid& made) {
    before_ = now_;
    now_ = made;
  }

  Grid now_;
  Grid before_;
  double macs_ = 0;
};

TEST(AmoebanetTest, MultiplyAddsFollowFromItsCells) {
  AmoebanetMacs image(208.0 / 4);
  image.ReductionCell(104);
  image.ReductionCell(208);
  for (const double channels : {208.0, 416.0, 832.0}) {
    if (channels > 208) {
      image.ReductionCell(channels);
    }
    for (int cell = 0; cell < 18 / 3; ++cell) {
      image.NormalCell(channels);
    }
  }
  EXPECT_EQ(ForwardMacs(*LoadGraph("zoo:amoebanet")), 64 * image.WithClasses(1000));
}

TEST(UnetTest, MultiplyAddsFollowFromItsGrids) {
  // Two unpadded 3×3 convolutions: each takes two places off the side.
  const auto two = [](double side, double in, double out) {
    return (side - 2) * (side - 2) * 9 * in * out + (side - 4) * (side - 4) * 9 * out * out;
  };
  double macs = two(572, 1, 64) + two(284, 64, 128) + two(140, 128, 256) + two(68, 256, 512) +
                two(32, 512, 1024);
  double side = 28;
  for (const double out : {512, 256, 128, 64}) {
    macs += side * side * 2 * out * out * 4;  // 2×2 places from each
    side *= 2;
    macs += two(side, 2 * out, out);
    side -= 4;
  }
  EXPECT_EQ(side, 388);  // as in figure 1 of the paper
  macs += side * side * 64 * 2;
  EXPECT_EQ(ForwardMacs(*LoadGraph("zoo:unet")), 4 * macs);
}

TEST(UnetTest, ParametersFollowFromItsFilters) {
  // Two 3×3 convolutions with bias, per grid.
  const auto two = [](std::int64_t in, std::int64_t out) {
    return 9 * in * out + out + 9 * out * out + out;
  };
  std::int64_t expected =
      two(1, 64) + two(64, 128) + two(128, 256) + two(256, 512) + two(512, 1024);
  for (const std::int64_t out : {512, 256, 128, 64}) {
    expected += 4 * (2 * out) * out + out + two(2 * out, out);  // doubling, then two convolutions
  }
  expected += 64 * 2 + 2;  // the classes
  EXPECT_EQ(expected, 31'030'658);
  EXPECT_EQ(NumParameters(*LoadGraph("zoo:unet")), expected);
}

TEST(UnetTest, BackwardIsTwiceForwardLessTheImagesGradient) {
  const GraphPointer graph = LoadGraph("zoo:unet");
  // Doublings are Conv2DBackpropInput in the forward pass; they, too, have two gradients.
  const double first = 4.0 * (570 * 570) * 64 * 9;
  EXPECT_EQ(BackwardMacs(*graph), 2 * ForwardMacs(*graph) - first);
}

// --- WaveNet.

TEST(WavenetTest, ParametersFollowFromItsChannels) {
  for (const std::int64_t layers : {18, 36}) {
    const std::string stacks = layers == 18 ? "2" : "4";
    const GraphPointer graph =
        LoadGraph("zoo:wavenet?stacks=" + stacks + "&layers=" + std::to_string(layers));
    const std::int64_t input = 2 * 256 * 64 + 64;
    const std::int64_t gated = 2 * (2 * 64 * 64 + 64);  // filter and gate, two samples wide
    const std::int64_t skip = 64 * 256 + 256;
    const std::int64_t residual = 64 * 64 + 64;
    const std::int64_t output = 2 * (256 * 256 + 256);
    EXPECT_EQ(NumParameters(*graph),
              input + layers * (gated + skip) + (layers - 1) * residual + output);
  }
}

TEST(WavenetTest, MultiplyAddsFollowFromItsChannels) {
  const GraphPointer graph = LoadGraph("zoo:wavenet?stacks=2&layers=18");
  const double layer = 2 * 2 * 64 * 64 + 64 * 256;
  const double sample = 2 * 256 * 64 + 18 * layer + 17 * 64 * 64 + 2 * 256 * 256;
  EXPECT_EQ(ForwardMacs(*graph), 32 * 16'384 * sample);
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
