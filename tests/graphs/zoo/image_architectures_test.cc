// Parameters, arithmetic and op counts of image and sound models against what the architectures
// say.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/graphs/zoo/model_macs.h"

namespace opyard::graphs {
namespace {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

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
  ExpectWithinThirtyPercent(*LoadGraph("zoo:inception_v3"), 24'713);
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

}  // namespace
}  // namespace opyard::graphs
