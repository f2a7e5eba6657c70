#include "agents/learned/common/recomputed.h"

#include <vector>

namespace opyard::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using ChunkFunction = std::function<torch::Tensor(const torch::Tensor& input, std::int64_t chunk)>;

// The function and the sizes of its results, for the gradient; LibTorch keeps them as an object
// without a type.
struct Chunks : torch::CustomClassHolder {
  ChunkFunction f;
  std::vector<std::int64_t> rows;  // of the result of each chunk
};

class RecomputedFunction : public torch::autograd::Function<RecomputedFunction> {
 public:
  static torch::Tensor forward(AutogradContext* context,
                               const torch::Tensor& input,
                               const c10::intrusive_ptr<Chunks>& chunks,
                               std::int64_t num_chunks) {
    std::vector<torch::Tensor> results;
    for (std::int64_t chunk = 0; chunk < num_chunks; ++chunk) {
      results.push_back(chunks->f(input, chunk));
      chunks->rows.push_back(results.back().size(0));
    }
    context->save_for_backward({input});
    context->saved_data["chunks"] = c10::IValue::make_capsule(chunks);
    return torch::cat(results);
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    const auto capsule = context->saved_data["chunks"].toCapsule();
    const auto& chunks = static_cast<const Chunks&>(*capsule);
    const torch::AutoGradMode with_gradient(true);
    const torch::Tensor input = context->get_saved_variables()[0].detach().requires_grad_();
    std::int64_t row = 0;
    for (std::size_t i = 0; i < chunks.rows.size(); ++i) {
      const torch::Tensor gradient = gradients[0].narrow(0, row, chunks.rows[i]);
      chunks.f(input, static_cast<std::int64_t>(i)).backward(gradient);
      row += chunks.rows[i];
    }
    return {input.grad(), torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor Recomputed(const torch::Tensor& input,
                         std::int64_t num_chunks,
                         const ChunkFunction& f) {
  const auto chunks = c10::make_intrusive<Chunks>();
  chunks->f = f;
  return RecomputedFunction::apply(input, chunks, num_chunks);
}

}  // namespace opyard::agents
