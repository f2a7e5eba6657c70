// One function per model of the zoo; each stands in a file of its name, with its keys.
//
// All make one training step: forward, backward, update. Equal options give equal graphs. Each
// throws InputError for options that are unknown or out of range.
#pragma once

#include <memory>
#include <string>

#include "sim/base/options.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

using GraphPointer = std::shared_ptr<const sim::OpGraph>;

[[nodiscard]] GraphPointer MakeAmoebanet(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeBert(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeGnmt(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeGpt(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeInceptionV3(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeMoe(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeResnet50(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeRnnlm(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeTransformerXl(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeUnet(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeVgg16(const std::string& graph_name, Options& options);
[[nodiscard]] GraphPointer MakeWavenet(const std::string& graph_name, Options& options);

}  // namespace opyard::graphs
