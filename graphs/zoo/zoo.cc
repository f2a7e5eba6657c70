#include "graphs/zoo/zoo.h"

#include <string_view>

#include "graphs/microbatches/repeat_microbatches.h"
#include "graphs/zoo/models.h"
#include "graphs/zoo/training_step.h"

namespace opyard::graphs {
namespace {

using MakeModel = std::shared_ptr<const sim::OpGraph> (*)(const std::string& graph_name,
                                                          Options& options);

class ZooSource final : public GraphSource {
 public:
  ZooSource(std::string_view name, std::string_view summary, MakeModel make)
      : name_(name), summary_(summary), make_(make) {}
  [[nodiscard]] std::string name() const override { return "zoo:" + std::string(name_); }
  [[nodiscard]] std::string summary() const override { return std::string(summary_); }
  [[nodiscard]] std::shared_ptr<const sim::OpGraph> Make(const std::string& graph_name,
                                                         Options& options) const override {
    const std::int64_t microbatches = ReadMicrobatches(options);
    return RepeatMicrobatches(make_(graph_name, options), microbatches, graph_name);
  }

 private:
  std::string_view name_;
  std::string_view summary_;
  MakeModel make_;
};

struct ZooModel {
  std::string_view name;
  std::string_view summary;
  MakeModel make;
};

// Sorted by name.
constexpr ZooModel kModels[] = {
    {"amoebanet",
     "image classifier of searched cells: batch, image, layers, filters, stem, reductions",
     MakeAmoebanet},
    {"bert",
     "pre-training of a bidirectional transformer: layers, width, heads, inner, seq, batch",
     MakeBert},
    {"gnmt",
     "translation, LSTM layers with attention, unrolled: layers, seq, batch, hidden, vocab",
     MakeGnmt},
    {"gpt", "causal transformer: layers, width, heads, seq, batch, vocab", MakeGpt},
    {"inception_v3",
     "image classifier with branches: batch, blocks_35, blocks_17, blocks_8, auxiliary",
     MakeInceptionV3},
    {"moe",
     "causal transformer with mixtures of experts: layers, experts, width, heads, inner, seq",
     MakeMoe},
    {"resnet50",
     "image classifier with shortcuts: batch, image, blocks_1, blocks_2, blocks_3, blocks_4",
     MakeResnet50},
    {"rnnlm",
     "language model, LSTM layers, unrolled: layers, seq, batch, hidden, vocab",
     MakeRnnlm},
    {"transformer_xl",
     "causal transformer with a memory: layers, width, heads, inner, seq, memory, batch",
     MakeTransformerXl},
    {"unet", "image segmentation with skip connections: batch, image, depth, filters", MakeUnet},
    {"vgg16", "image classifier, one chain: batch, image", MakeVgg16},
    {"wavenet",
     "audio model of dilated convolutions: stacks, layers, samples, residual, skip, batch",
     MakeWavenet},
};

}  // namespace

std::vector<std::unique_ptr<const GraphSource>> ZooSources() {
  std::vector<std::unique_ptr<const GraphSource>> sources;
  for (const ZooModel& model : kModels) {
    sources.push_back(std::make_unique<ZooSource>(model.name, model.summary, model.make));
  }
  return sources;
}

}  // namespace opyard::graphs
