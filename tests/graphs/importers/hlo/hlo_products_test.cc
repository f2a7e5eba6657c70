// Matrix products and convolutions under other names, and the FLOPs of library kernels.
#include <gtest/gtest.h>

#include "tests/graphs/importers/hlo/hlo_files.h"

namespace opyard::graphs {
namespace {

TEST(HloProductsTest, ACublasProductIsADotWhoseScratchIsWorkspace) {
  for (const char* file : {"gpu_gemm.hlo", "byte_order_mark.hlo"}) {
    const ImportedGraph imported = ImportHloFile(file);
    const OpId op = FindOp(*imported.graph, "custom-call.1");
    EXPECT_EQ(imported.graph->op(op).flops.count, 2'147'483'648.0);  // 2 · 1024 · 512 · 2048
    EXPECT_EQ(imported.graph->op(op).type, "dot");
    EXPECT_EQ(imported.graph->op(op).workspace_bytes, Bytes{4'194'304});
    EXPECT_EQ(imported.graph->num_outputs(op), 1U);
    EXPECT_EQ(std::get<sim::GemmShape>(*imported.graph->work_shape(op)).k, 512);
    EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
  }
}

TEST(HloProductsTest, AConvolutionWithoutSpatialAxesIsAProduct) {
  for (const char* file : {"tpu_matmul.hlo", "leading_blank.hlo", "leading_comment.hlo"}) {
    SCOPED_TRACE(file);
    const ImportedGraph imported = ImportHloFile(file);
    const OpId op = FindOp(*imported.graph, "convolution.1");
    EXPECT_EQ(imported.graph->op(op).flops.count, 134'217'728.0);  // 2 · 128 · 512 · 1024
    const auto gemm = std::get<sim::GemmShape>(*imported.graph->work_shape(op));
    EXPECT_EQ(gemm.m, 128);
    EXPECT_EQ(gemm.n, 1024);
  }
}

struct Product {
  const char* what;
  const char* lines;  // of ENTRY; the product is y
  double flops;
};

class HloProductTest : public ::testing::TestWithParam<Product> {};

TEST_P(HloProductTest, DoesItsFlops) {
  const ImportedGraph imported = ImportText(HloModuleOf(GetParam().lines), "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, GetParam().flops);
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    HloProductTest,
    ::testing::Values(
        // A batch of 4: 2 · 4 · 8 · 16 · 32, its operands in quotes within quotes as XLA wrote it.
        Product{"BatchedCublasLt",
                "  a = f16[4,8,16] parameter(0)\n  b = f16[4,16,32] parameter(1)\n"
                "  ROOT y = f16[4,8,32] custom-call(a, b), "
                "custom_call_target=\"__cublas$lt$matmul\", backend_config=\"{\\\"alpha_real\\\":1,"
                "\\\"dot_dimension_numbers\\\":{\\\"lhs_contracting_dimensions\\\":[\\\"2\\\"],"
                "\\\"rhs_contracting_dimensions\\\":[\\\"1\\\"],\\\"lhs_batch_dimensions\\\":"
                "[\\\"0\\\"],\\\"rhs_batch_dimensions\\\":[\\\"0\\\"]}}\"\n",
                32'768.0},
        Product{
            "Fp8CublasLt",
            "  a = f8e4m3fn[8,16] parameter(0)\n  b = f8e4m3fn[32,16] parameter(1)\n"
            "  s = f32[] parameter(2)\n"
            "  ROOT y = (f16[8,32], s8[33554432]) custom-call(a, b, s, s), "
            "custom_call_target=\"__cublas$lt$matmul$f8\", backend_config={"
            "\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
            "\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"]}}}\n",
            8'192.0},
        // 2 · 2 · 8 · 8 results of 16 filters of 3 · 3 · 4 elements.
        Product{"CudnnForward",
                "  x = f32[2,4,8,8] parameter(0)\n  w = f32[16,4,3,3] parameter(1)\n"
                "  ROOT y = (f32[2,16,8,8], u8[1024]) custom-call(x, w), "
                "window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, "
                "custom_call_target=\"__cudnn$convForward\"\n",
                147'456.0},
        Product{"CudnnBackwardInput",
                "  g = f32[2,16,4,4] parameter(0)\n  w = f32[16,4,3,3] parameter(1)\n"
                "  ROOT y = (f32[2,4,8,8], u8[0]) custom-call(g, w), "
                "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01, "
                "custom_call_target=\"__cudnn$convBackwardInput\"\n",
                36'864.0},  // of the forward pass: 2 · 2 · 16 · 4 · 4 · 36
        Product{"CudnnBackwardFilter",
                "  x = f32[2,4,8,8] parameter(0)\n  g = f32[2,16,4,4] parameter(1)\n"
                "  ROOT y = (f32[16,4,3,3], u8[0]) custom-call(x, g), "
                "window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01, "
                "custom_call_target=\"__cudnn$convBackwardFilter\"\n",
                36'864.0},
        Product{"CudnnBiasActivation",
                "  x = f32[2,8,8,4] parameter(0)\n  w = f32[16,3,3,4] parameter(1)\n"
                "  b = f32[16] parameter(2)\n"
                "  ROOT y = (f32[2,8,8,16], u8[64]) custom-call(x, w, b), "
                "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f, "
                "custom_call_target=\"__cudnn$convBiasActivationForward\"\n",
                147'456.0},
        // Two products of [2 · 4] × 128 × 128 scores, 32 wide: 2 · 2 · 8 · 128 · 128 · 32.
        Product{"FusedAttention",
                "  q = bf16[2,128,4,32] parameter(0)\n"
                "  ROOT y = (bf16[2,4,128,32], u8[0]) custom-call(q, q, q), "
                "custom_call_target=\"__cudnn$fmhaSoftmax\", backend_config={"
                "\"cudnn_fmha_backend_config\":{\"bmm1_dot_dimension_numbers\":{"
                "\"lhs_contracting_dimensions\":[\"3\"]},\"intermediate_tensor_shape\":{"
                "\"element_type\":\"BF16\",\"dimensions\":[\"2\",\"4\",\"128\",\"128\"]}}}\n",
                16'777'216.0},
        Product{"OneDnn",
                "  a = f32[8,16] parameter(0)\n  b = f32[16,32] parameter(1)\n"
                "  ROOT y = f32[8,32] custom-call(a, b), custom_call_target=\"__onednn$matmul\"\n",
                8'192.0},
        // A batch of 16 as compilers for TPUs write it: 2 · 16 · 8 · 32 · 64.
        Product{"BatchAsWindow",
                "  a = bf16[16,8,32] parameter(0)\n  b = bf16[16,32,64] parameter(1)\n"
                "  ROOT y = bf16[16,8,64] convolution(a, b), window={size=16 stride=15 "
                "lhs_dilate=16}, dim_labels=0bf_0io->0bf\n",
                524'288.0},
        Product{"SequenceAsSpatialAxis",  // 2 · 4 · 10 · 8 · 6
                "  a = f32[4,10,8] parameter(0)\n  b = f32[1,8,6] parameter(1)\n"
                "  ROOT y = f32[4,10,6] convolution(a, b), window={size=1}, "
                "dim_labels=b0f_0io->b0f\n",
                3'840.0},
        Product{"ThreeDimensions",  // 2 · 2 · 8³ results of 8 filters of 27 · 4 elements
                "  x = f32[2,4,8,8,8] parameter(0)\n  w = f32[8,4,3,3,3] parameter(1)\n"
                "  ROOT y = f32[2,8,8,8,8] convolution(x, w), window={size=3x3x3 "
                "pad=1_1x1_1x1_1}, dim_labels=bf012_oi012->bf012\n",
                1'769'472.0},
        // As JAX writes the gradient of 16 filters of one channel each: 2 · 4 · 16 · 256 · 9.
        Product{"GradientOfDepthwiseFilters",
                "  x = f32[4,16,16,16] parameter(0)\n  g = f32[4,16,16,16] parameter(1)\n"
                "  ROOT y = f32[16,1,3,3] convolution(x, g), window={size=16x16 pad=1_1x1_1}, "
                "dim_labels=fb01_io01->fb01, batch_group_count=16\n",
                294'912.0},
        Product{"GroupsForward",  // 2 · 2 · 8 · 16 results of 2 · 9 elements
                "  x = f32[2,4,8,8] parameter(0)\n  w = f32[8,2,3,3] parameter(1)\n"
                "  ROOT y = f32[2,8,4,4] convolution(x, w), window={size=3x3 stride=2x2 "
                "pad=0_1x0_1}, dim_labels=bf01_oi01->bf01, feature_group_count=2\n",
                9'216.0},
        Product{"GroupsGradientOfData",
                "  g = f32[2,8,4,4] parameter(0)\n  w = f32[4,4,3,3] parameter(1)\n"
                "  ROOT y = f32[2,4,8,8] convolution(g, w), window={size=3x3 pad=2_1x2_1 "
                "lhs_dilate=2x2}, dim_labels=bf01_oi01->bf01, feature_group_count=2\n",
                9'216.0},      // 2 · 2 · 4 · 4 features · (4 · 3)², as forward
        Product{"RaggedRows",  // each of 128 rows meets one matrix: 2 · 128 · 64 · 32
                "  x = f32[128,64] parameter(0)\n  w = f32[4,64,32] parameter(1)\n"
                "  g = s32[4] parameter(2)\n"
                "  ROOT y = f32[128,32] ragged-dot(x, w, g), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}\n",
                524'288.0},
        Product{"RaggedSum",  // the groups share the 128 rows that are summed over
                "  x = f32[128,64] parameter(0)\n  w = f32[128,32] parameter(1)\n"
                "  g = s32[4] parameter(2)\n"
                "  ROOT y = f32[4,64,32] ragged-dot(x, w, g), lhs_contracting_dims={0}, "
                "rhs_contracting_dims={0}, lhs_ragged_dims={0}\n",
                524'288.0},
        Product{"Complex",  // 4 · 2 · 8 · 8 · 8
                "  x = c64[8,8] parameter(0)\n"
                "  ROOT y = c64[8,8] dot(x, x), lhs_contracting_dims={1}, "
                "rhs_contracting_dims={0}\n",
                4'096.0},
        Product{"Fourier",  // 4 transforms of 64 points: 4 · 5 · 64 · 6
                "  x = c64[4,64] parameter(0)\n"
                "  ROOT y = c64[4,64] fft(x), fft_type=FFT, fft_length={64}\n",
                7'680.0},
        Product{"Cholesky",  // 2 matrices: 2 · 6³ / 3
                "  x = f32[2,6,6] parameter(0)\n  ROOT y = f32[2,6,6] cholesky(x), lower=true\n",
                144.0},
        Product{"TriangularSolve",  // 3 right sides of 6: 3 · 6²
                "  a = f32[6,6] parameter(0)\n  b = f32[6,3] parameter(1)\n"
                "  ROOT y = f32[6,3] triangular-solve(a, b), left_side=true\n",
                108.0},
        Product{"Sort",  // 2 rows of 16: 2 · 16 · 4
                "  x = f32[2,16] parameter(0)\n"
                "  ROOT y = f32[2,16] sort(x), dimensions={1}, to_apply=main\n",
                128.0}),
    [](const auto& product) { return std::string(product.param.what); });

TEST(HloProductsTest, AFusionAroundOneProductIsAKernelOfItsShape) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[8,8] parameter(0)\n"
                  "  ROOT y = f32[8,8] fusion(x), kind=kOutput, calls=fused\n",
                  "fused {\n  p = f32[8,8] parameter(0)\n"
                  "  d = f32[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                  "  ROOT n = f32[8,8] negate(d)\n}\n"),
      "hlo");
  const OpId op = FindOp(*imported.graph, "y");
  EXPECT_EQ(imported.graph->op(op).flops.count, 1'088.0);  // 2 · 8³ + 64
  EXPECT_EQ(imported.graph->op(op).fusion_class, sim::FusionClass::kHeavy);
  EXPECT_EQ(std::get<sim::GemmShape>(*imported.graph->work_shape(op)).k, 8);
}

TEST(HloProductsTest, AKernelThatSaysWhatItCostsIsBelieved) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[4] parameter(0)\n"
                  "  ROOT y = f32[4] custom-call(x), custom_call_target=\"tpu_custom_call\", "
                  "backend_config={\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"640\","
                  "\"transcendentals\":\"0\",\"bytes_accessed\":\"32\"}}}\n"),
      "hlo");
  EXPECT_EQ(GetOp(*imported.graph, "y").flops.count, 640.0);
  EXPECT_EQ(imported.summary.unknown.all().size(), 0U);
}

TEST(HloProductsTest, ACustomCallWithoutARuleIsNamed) {
  const ImportedGraph imported = ImportText(
      HloModuleOf("  x = f32[4] parameter(0)\n"
                  "  ROOT y = f32[4] custom-call(x), custom_call_target=\"triton_kernel_call\"\n"),
      "hlo");
  ASSERT_EQ(imported.summary.unknown.all().size(), 1U);
  EXPECT_EQ(imported.summary.unknown.all()[0].examples,
            (std::vector<std::string>{"triton_kernel_call"}));
}

}  // namespace
}  // namespace opyard::graphs
