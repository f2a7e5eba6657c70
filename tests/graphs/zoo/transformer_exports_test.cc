// Layers of generated transformers, op by op, against graphs that frameworks wrote.
#include <string>

#include <gtest/gtest.h>

#include "graphs/builder/autodiff.h"
#include "graphs/graph_sources.h"
#include "graphs/importers/importers.h"
#include "graphs/zoo/model_size.h"
#include "graphs/zoo/transformer.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/graphs/zoo/exported_graphs.h"

namespace opyard::graphs {
namespace {

constexpr std::int64_t kWidth = 8;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kBatch = 3;

// PyTorch's nn.Transformer from the layers of the zoo, on few and short words: no op depends on
// sizes. Normalisation follows each sum.
class EncoderDecoder {
 public:
  EncoderDecoder() : b_("transformer", "test") {}

  std::shared_ptr<const sim::OpGraph> Train(int layers) {
    const Tensor table = b_.Weight("table", {11, kWidth});
    const Tensor words = b_.Placeholder("words", {kBatch * 5}, sim::DType::kI32);
    const Tensor labels = b_.Placeholder("labels", {kBatch * 5}, sim::DType::kI32);
    mask_ = AttentionMask(b_, {1, 1, 5, 5});
    const Tensor rows = b_.Gather(table, words);
    Tensor memory = rows;
    for (int i = 0; i < layers; ++i) {
      memory = Finish(AddAndNorm(memory, SelfAttention(memory)));
    }
    memory = LayerNorm(b_, "norm", memory, NormOps::kFused);
    Tensor x = rows;
    for (int i = 0; i < layers; ++i) {
      x = AddAndNorm(x, SelfAttention(x));
      x = Finish(AddAndNorm(x, CrossAttention(x, memory)));
    }
    x = LayerNorm(b_, "norm", x, NormOps::kFused);
    Differentiate(b_, MeanTokenLoss(b_, Project(b_, "logits", x, 11), labels));
    return b_.Build();
  }

 private:
  Tensor Heads(const Tensor& rows) { return SplitHeads(b_, rows, kBatch, kHeads); }

  Tensor SelfAttention(const Tensor& x) {
    const auto parts = b_.Split(Project(b_, "query_key_value", x, 3 * kWidth), 3, 1);
    return See(parts[0], parts[1], parts[2]);
  }

  Tensor CrossAttention(const Tensor& x, const Tensor& memory) {
    const Tensor query = Project(b_, "query", x, kWidth);
    const auto parts = b_.Split(Project(b_, "key_value", memory, 2 * kWidth), 2, 1);
    return See(query, parts[0], parts[1]);
  }

  Tensor See(const Tensor& query, const Tensor& key, const Tensor& value) {
    const Tensor queries = Heads(query);
    const Tensor keys = Heads(key);
    const Tensor values = Heads(value);
    return Project(b_, "output", JoinHeads(b_, Attend(b_, queries, keys, values, mask_)), kWidth);
  }

  Tensor AddAndNorm(const Tensor& x, const Tensor& change) {
    return LayerNorm(b_, "norm", b_.Add(x, change), NormOps::kFused);
  }

  Tensor Finish(const Tensor& x) { return AddAndNorm(x, FeedForward(b_, "inner", x, 4 * kWidth)); }

  GraphBuilder b_;
  Tensor mask_;
};

TEST(TorchExportTest, TransformerLayersHaveTheSameProductsNormsAndActivations) {
  const nlohmann::json exported = ReadExport("torch_joint_fwdbwd_transformer_6_6_d512.json.gz");
  if (exported.is_null()) {
    GTEST_SKIP() << "no " << kExports << " beside the project";
  }
  Histogram theirs;
  for (const auto& node : exported["nodes"]) {
    ++theirs[node["op"].get<std::string>()];
  }
  const auto graph = EncoderDecoder().Train(6);
  Histogram forward = CountTypes(*graph, sim::Phase::kForward);
  Histogram backward = CountTypes(*graph, sim::Phase::kBackward);
  EXPECT_EQ(forward["MatMul"] + backward["MatMul"],
            theirs["aten.mm.default"] + theirs["aten.addmm.default"]);
  // Each bias is summed up over the rows.
  EXPECT_EQ(backward["BiasAddGrad"], theirs["aten.sum.dim_IntList"]);
  EXPECT_EQ(forward["LayerNorm"], theirs["aten.native_layer_norm.default"]);
  EXPECT_EQ(backward["LayerNormGrad"], theirs["aten.native_layer_norm_backward.default"]);
  // There a ReLU, here a GELU.
  EXPECT_EQ(forward["Gelu"], theirs["aten.relu.default"]);
  EXPECT_EQ(backward["GeluGrad"], theirs["aten.threshold_backward.default"]);
  // There one op holds both products of an attention and its softmax.
  const int attentions = theirs["aten._scaled_dot_product_flash_attention_for_cpu.default"];
  EXPECT_EQ(forward["Softmax"], attentions);
  EXPECT_EQ(forward["BatchMatMulV2"], 2 * attentions);
  EXPECT_EQ(backward["BatchMatMulV2"], 4 * attentions);
  EXPECT_EQ(forward["GatherV2"], theirs["aten.embedding.default"]);
  EXPECT_EQ(backward["UnsortedSegmentSum"], theirs["aten.embedding_dense_backward.default"]);
}

class GptExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    exported_ = ReadExportText("jax_hlo_unopt_train_gpt6_d512_b8_s256.txt.gz");
    if (exported_.empty()) {
      GTEST_SKIP() << "no " << kExports << " beside the project";
    }
    ours_ = LoadGraph("zoo:gpt?layers=6&width=512&heads=8&batch=8&seq=256&vocab=32000");
  }
  std::string exported_;
  std::shared_ptr<const sim::OpGraph> ours_;
};

TEST_F(GptExportTest, LayersHaveTheSameProducts) {
  Histogram counts = CountTypes(*ours_);
  // There query, key and value are three products, here one; each has two gradients.
  EXPECT_EQ(counts["MatMul"] + counts["BatchMatMulV2"] + 6 * 3 * 2, CountText(exported_, " dot("));
}

TEST_F(GptExportTest, ProductsDoTheSameWork) {
  const auto theirs =
      ImportGraph({.bytes = exported_, .place = "gpt", .stem = "gpt"}, "gpt", "hlo");
  double flops = 0.0;
  for (std::size_t op = 0; op < theirs.graph->num_ops(); ++op) {
    if (theirs.graph->work_shape(OpId(op)) != nullptr) {
      flops += theirs.graph->op(OpId(op)).flops.count;
    }
  }
  const Flops ours =
      HeavyFlops(*ours_, sim::Phase::kForward) + HeavyFlops(*ours_, sim::Phase::kBackward);
  EXPECT_EQ(ours.count, flops);
}

}  // namespace
}  // namespace opyard::graphs
