#include "experiments/graphs/runtime_names.h"

#include <algorithm>
#include <array>

namespace opyard::experiments {
namespace {

struct RuntimeName {
  std::string_view name;
  std::string_view op;
};

// clang-format off
constexpr auto kNames = std::to_array<RuntimeName>({
    {"_batch_norm_impl_index", "batch_norm"},
    {"_batch_norm_impl_index_backward", "native_batch_norm_backward"},
    {"_batch_norm_with_update", "batch_norm"},
    {"_conv_depthwise2d", "convolution"},
    {"_convolution", "convolution"},
    {"_efficient_attention_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_efficient_attention_forward", "scaled_dot_product_attention"},
    {"_flash_attention_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_flash_attention_forward", "scaled_dot_product_attention"},
    {"_fused_dropout", "native_dropout"},
    {"_native_batch_norm_legit", "batch_norm"},
    {"_scaled_dot_product_attention_math", "scaled_dot_product_attention"},
    {"_scaled_dot_product_cudnn_attention", "scaled_dot_product_attention"},
    {"_scaled_dot_product_cudnn_attention_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_scaled_dot_product_efficient_attention", "scaled_dot_product_attention"},
    {"_scaled_dot_product_efficient_attention_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_scaled_dot_product_flash_attention", "scaled_dot_product_attention"},
    {"_scaled_dot_product_flash_attention_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_scaled_dot_product_fused_attention_overrideable", "scaled_dot_product_attention"},
    {"_scaled_dot_product_fused_attention_overrideable_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"_slow_conv2d_backward", "convolution_backward"},
    {"_slow_conv2d_forward", "convolution"},
    {"batch_norm_backward", "native_batch_norm_backward"},
    {"conv_depthwise3d", "convolution"},
    {"conv_transpose1d", "convolution"},
    {"conv_transpose2d", "convolution"},
    {"conv_transpose3d", "convolution"},
    {"convolution_backward_overrideable", "convolution_backward"},
    {"convolution_overrideable", "convolution"},
    {"cudnn_batch_norm", "batch_norm"},
    {"cudnn_batch_norm_backward", "native_batch_norm_backward"},
    {"cudnn_convolution", "convolution"},
    {"cudnn_convolution_add_relu", "convolution"},
    {"cudnn_convolution_relu", "convolution"},
    {"cudnn_convolution_transpose", "convolution"},
    {"fill", "full"},
    {"instance_norm", "batch_norm"},
    {"miopen_batch_norm", "batch_norm"},
    {"miopen_batch_norm_backward", "native_batch_norm_backward"},
    {"miopen_convolution", "convolution"},
    {"miopen_convolution_transpose", "convolution"},
    {"miopen_depthwise_convolution", "convolution"},
    {"mkldnn_convolution", "convolution"},
    {"mkldnn_convolution_backward", "convolution_backward"},
    {"mps_convolution_backward", "convolution_backward"},
    {"multiply", "mul"},
    {"native_batch_norm", "batch_norm"},
    {"nll_loss", "nll_loss_forward"},
    {"nll_loss2d_backward", "nll_loss_backward"},
    {"nll_loss2d_forward", "nll_loss_forward"},
    {"rms_norm", "_fused_rms_norm"},
    {"slow_conv3d_forward", "convolution"},
    {"softmax", "_softmax"},
    {"square", "pow"},
    {"subtract", "sub"},
    {"thnn_conv2d", "convolution"},
    {"true_divide", "div"},
    {"zero", "zeros"},
});
// clang-format on
static_assert(std::ranges::is_sorted(kNames, {}, &RuntimeName::name));

constexpr std::array<std::string_view, 5> kFusedUpdates = {
    "_fused_adagrad", "_fused_adam", "_fused_adamw", "_fused_lion", "_fused_sgd"};

}  // namespace

std::string_view FindOpRunAs(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kNames, name, {}, &RuntimeName::name);
  return found != kNames.end() && found->name == name ? found->op : std::string_view{};
}

bool IsUpdateOfMany(std::string_view name) {
  return name.starts_with("_foreach_") ||
         std::ranges::find(kFusedUpdates, name) != kFusedUpdates.end();
}

std::string_view FindTypeRunAs(std::string_view type) {
  return type == "dropoutgrad" ? "mul" : "";
}

}  // namespace opyard::experiments
