#include "graphs/importers/tensorflow/tf_expander.h"

#include <algorithm>

#include <protozero/exception.hpp>

#include "graphs/builder/shape.h"
#include "graphs/importers/tensorflow/tf_evaluation.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

// Opened nodes whose results are thrown away again count, too.
constexpr std::size_t kMostEvaluated = std::size_t{1} << 22U;
constexpr std::size_t kFewWaits = 8;

// "loc:@NAME" of the list _class, if the body still has the node.
std::string ColocationOf(const TfAttributes& attributes) {
  constexpr std::string_view kPrefix = "loc:@";
  for (const std::string_view text : attributes.Texts("_class")) {
    if (text.starts_with(kPrefix)) {
      return std::string(text.substr(kPrefix.size()));
    }
  }
  return "";
}

}  // namespace

TfGraph ExpandTfGraph(const TfGraphDefinition& definition,
                      const std::string& place,
                      const TfExpansionOptions& options,
                      ImportSummary& summary) {
  return TfExpander(definition, place, options, summary).Run();
}

TfGraph TfExpander::Run() {
  const TfBody body = PrepareTfGraph(definition_, place_);
  const Arguments none;
  const std::vector<bool> wanted = FindWanted(body);
  Frame frame{.body = body, .arguments = none, .only = wanted.empty() ? nullptr : &wanted};
  static_cast<void>(Expand(frame));
  RepeatOldLoops(BacksOf(frame), flat_, summary_);
  if (options_.dim.has_value() && !uses_dim_) {
    throw InputError(place_ + ": found the option dim, but no extent that the file leaves open");
  }
  if (!open_sources_.empty()) {
    Diagnostics diagnostics;
    for (const std::string& source : open_sources_) {
      diagnostics.AddError(
          place_,
          "found " + source +
              " with an extent that only a run knows, expected its size: --dim N (or "
              "--option dim=N) stands for all of them");
    }
    diagnostics.ThrowIfAny();
  }
  TfGraph graph;
  graph.attributes_of_calls = bindings_;
  graph.nodes = flat_.Take();
  return graph;
}

// The ways back of the loops that are in no function.
std::vector<TfLoopBack> TfExpander::BacksOf(const Frame& frame) const {
  std::vector<TfLoopBack> backs;
  for (const TfBodyLoop& loop : frame.body.loops) {
    const std::int64_t merge = frame.emitted[loop.merge];
    if (merge >= 0 && frame.emitted[static_cast<std::size_t>(loop.next.node)] >= 0) {
      backs.push_back(
          {.merge = static_cast<std::size_t>(merge), .next = Resolve(frame, loop.next)});
    }
  }
  return backs;
}

// Empty where all nodes are.
std::vector<bool> TfExpander::FindWanted(const TfBody& graph) {
  std::vector<bool> wanted(graph.nodes->size(), false);
  std::vector<bool> arguments;
  std::size_t num_found = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::ranges::find(options_.fetches, (*graph.nodes)[i].name) != options_.fetches.end()) {
      ++num_found;
      MarkNeeded(graph, {.node = static_cast<std::int64_t>(i)}, wanted, arguments);
    }
  }
  if (options_.must_find_fetches && num_found < options_.fetches.size()) {
    throw InputError(place_ + ": found " + std::to_string(num_found) + " of the " +
                     std::to_string(options_.fetches.size()) +
                     " nodes of the option outputs, expected the names of nodes");
  }
  const bool has_fetch = num_found > 0;
  for (std::size_t i = 0; i < wanted.size() && has_fetch; ++i) {
    if (!wanted[i]) {
      summary_.folded.Add("node that the outputs of the model do not need", (*graph.nodes)[i].name);
    }
  }
  return has_fetch ? wanted : std::vector<bool>();
}

TfOpened TfExpander::Expand(Frame& frame) {
  const std::size_t begin = flat_.size();
  frame.emitted.assign(frame.body.nodes->size(), -1);
  for (const std::int32_t i : frame.body.order) {
    const auto node = static_cast<std::size_t>(i);
    if (frame.only == nullptr || (*frame.only)[node]) {
      Take(frame, node);
    }
  }
  if (!frame.prefix.empty() && !frame.body.loops.empty() && !is_trial_) {
    summary_.unknown.Add("loop of TensorFlow 1 within a function: its ops run once", frame.prefix);
  }
  TfOpened opened;
  for (std::size_t i = 0; i < frame.body.returns.size(); ++i) {
    const TfBodyInput& source = frame.body.returns[i];
    const bool is_wanted = source.node < 0 || frame.only == nullptr ||
                           (*frame.only)[static_cast<std::size_t>(source.node)];
    // Values that a trial does not follow stay what they were.
    opened.outputs.push_back(is_wanted || i >= frame.arguments.size() ? Resolve(frame, source)
                                                                      : frame.arguments[i]);
  }
  opened.waits = WaitsOf(frame, opened, begin);
  return opened;
}

void TfExpander::Take(Frame& frame, std::size_t i) {
  try {
    num_tried_ += is_trial_ ? 1U : 0U;
    if (++num_evaluated_ > kMostEvaluated) {
      throw InputError("found more nodes in calls than can be opened, expected at most 4194304");
    }
    if (std::optional<TfOpened> opened = Open(frame, i)) {
      frame.opened.emplace(i, std::move(*opened));
    } else {
      Emit(frame, i);
    }
  } catch (const protozero::exception& damage) {
    throw InputError(frame.body.place + std::to_string(i) + ": found damaged data (" +
                     damage.what() + "), expected a GraphDef in Protocol Buffers' wire format");
  } catch (const InputError& error) {
    const std::string text = error.what();
    if (text.starts_with(place_ + "#")) {
      throw;
    }
    throw InputError(frame.body.place + std::to_string(i) + ": " + text);
  }
}

void TfExpander::Emit(Frame& frame, std::size_t i) {
  const TfNodeDefinition& definition = (*frame.body.nodes)[i];
  TfNode node{.name = frame.prefix + std::string(definition.name),
              .type = std::string(definition.type),
              .inputs = InputsOf(frame, i),
              .controls = ControlsOf(frame, i),
              .attributes = TfAttributes(&definition.attributes, frame.bindings)};
  node.colocate_with = ColocationOf(node.attributes);
  if (!node.colocate_with.empty()) {
    node.colocate_with = frame.prefix + node.colocate_with;
  }
  std::vector<TfValue> values = Evaluate(node);
  frame.emitted[i] = static_cast<std::int64_t>(flat_.size());
  flat_.Add(std::move(node), std::move(values), frame.prefix.empty());
}

std::vector<TfValue> TfExpander::Evaluate(const TfNode& node) {
  for (const TfInput& input : node.inputs) {
    static_cast<void>(flat_.ValueOf(input));  // which may move values
  }
  std::vector<const TfValue*> inputs;
  for (const TfInput& input : node.inputs) {
    inputs.push_back(&flat_.ValueOf(input));
  }
  const TfOp op{.type = node.type, .attributes = node.attributes, .inputs = inputs};
  TfEvaluation evaluation = EvaluateTfOp(op, options_.dim);
  ReportEvaluation(node, evaluation.needs_dim, evaluation.assumes_dim);
  uses_dim_ |= evaluation.uses_dim;
  return std::move(evaluation.outputs);
}

void TfExpander::ReportEvaluation(const TfNode& node, bool needs_dim, bool assumes_dim) {
  constexpr std::size_t kMostNamed = 16;
  if (is_trial_) {
    return;
  }
  if (needs_dim && open_sources_.size() < kMostNamed) {
    TfExtents extents = node.attributes.Extents("shape");
    const std::vector<TfExtents> shapes = node.attributes.ExtentsList("_output_shapes");
    extents = shapes.empty() ? extents : shapes[0];
    open_sources_.push_back("the " + node.type + " " + Quoted(node.name) +
                            (extents.has_value() ? " " + ToText(*extents) : std::string()));
  }
  if (assumes_dim) {
    summary_.unknown.Add("extent that only a run knows, taken to be the option dim", node.name);
  }
}

TfInput TfExpander::Resolve(const Frame& frame, const TfBodyInput& input) const {
  if (input.node < 0) {
    return frame.arguments[static_cast<std::size_t>(-1 - input.node)];
  }
  const auto node = static_cast<std::size_t>(input.node);
  if (frame.emitted[node] >= 0) {
    return {.node = static_cast<std::size_t>(frame.emitted[node]), .port = input.port};
  }
  const std::vector<TfInput>& outputs = frame.opened.at(node).outputs;
  if (input.port >= outputs.size()) {
    throw InputError("found output " + std::to_string(input.port) + " of the call " +
                     Quoted((*frame.body.nodes)[node].name) + ", expected one of its " +
                     std::to_string(outputs.size()));
  }
  return outputs[input.port];
}

TfExpander::Arguments TfExpander::InputsOf(const Frame& frame, std::size_t i) const {
  Arguments inputs;
  for (const TfBodyInput& input : frame.body.inputs[i]) {
    inputs.push_back(Resolve(frame, input));
  }
  return inputs;
}

// The controls that the node names; those of the whole call, too, where nothing of it is before.
std::vector<std::size_t> TfExpander::ControlsOf(Frame& frame, std::size_t i) {
  std::vector<std::size_t> controls;
  bool is_first = std::ranges::all_of(frame.body.inputs[i],
                                      [](const TfBodyInput& input) { return input.node < 0; });
  for (const std::int64_t source : frame.body.controls[i]) {
    if (source < 0) {
      controls.push_back(frame.arguments[static_cast<std::size_t>(-1 - source)].node);
      continue;
    }
    const auto node = static_cast<std::size_t>(source);
    is_first = false;
    if (frame.emitted[node] >= 0) {
      controls.push_back(static_cast<std::size_t>(frame.emitted[node]));
    } else {
      AddWaits(frame.opened.at(node),
               frame.prefix + std::string((*frame.body.nodes)[node].name) + "/done",
               controls);
    }
  }
  if (is_first) {
    controls.insert(controls.end(), frame.starts.begin(), frame.starts.end());
  }
  return controls;
}

// Many are joined by one NoOp.
void TfExpander::AddWaits(TfOpened& opened,
                          const std::string& name,
                          std::vector<std::size_t>& controls) {
  if (opened.waits.size() > kFewWaits) {
    const std::size_t joint = flat_.size();
    flat_.Add({.name = name, .type = "NoOp", .controls = std::move(opened.waits)}, {}, false);
    opened.waits = {joint};
  }
  controls.insert(controls.end(), opened.waits.begin(), opened.waits.end());
}

// Those that the function says, and those that make its results.
std::vector<std::size_t> TfExpander::WaitsOf(const Frame& frame,
                                             const TfOpened& opened,
                                             std::size_t begin) {
  std::vector<std::size_t> waits;
  for (const std::size_t node : frame.body.control_returns) {
    if (frame.emitted[node] >= 0) {
      waits.push_back(static_cast<std::size_t>(frame.emitted[node]));
    } else if (const auto inner = frame.opened.find(node); inner != frame.opened.end()) {
      waits.insert(waits.end(), inner->second.waits.begin(), inner->second.waits.end());
    }
  }
  for (const TfInput& output : opened.outputs) {
    waits.push_back(output.node);
  }
  if (waits.empty() && flat_.size() > begin) {
    waits.push_back(flat_.size() - 1);
  }
  std::ranges::sort(waits);
  waits.erase(std::ranges::unique(waits).begin(), waits.end());
  return waits;
}

const TfBody& TfExpander::BodyOf(std::string_view function) {
  std::unique_ptr<TfBody>& body = bodies_[function];
  if (body == nullptr) {
    body = std::make_unique<TfBody>(PrepareTfFunction(definition_, function, place_));
    for (std::size_t i = 0; i < body->needed.size(); ++i) {
      if (!body->needed[i]) {
        summary_.folded.Add("node of a function that its results do not need",
                            (*body->nodes)[i].name);
      }
    }
    if (!body->has_signature) {
      summary_.unknown.Add(
          "function without a signature: names of no node are its arguments, in the order in which "
          "they are read",
          function);
    }
  }
  return *body;
}

}  // namespace opyard::graphs
