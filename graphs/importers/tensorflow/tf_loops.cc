// While and StatelessWhile.
#include <algorithm>

#include "graphs/importers/tensorflow/tf_expander.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kMostUnrolled = 65'536;  // nodes of one loop
constexpr std::int64_t kMostIterations = std::int64_t{1} << 17;
// Nodes opened to count the iterations of all loops of a file: a tenth of a second, two with the
// address sanitizer. A loop beyond it counts as one that only a run knows.
constexpr std::size_t kMostTried = std::size_t{1} << 17U;

}  // namespace

std::optional<TfOpened> TfExpander::OpenLoop(Frame& frame,
                                             std::size_t i,
                                             const TfAttributes& attributes) {
  const auto condition = FindCallee(frame, attributes, "cond");
  const auto body = FindCallee(frame, attributes, "body");
  if (!condition.has_value() || !body.has_value() ||
      BodyOf(body->name).returns.size() > frame.body.inputs[i].size()) {
    return std::nullopt;
  }
  const Call call = MakeCall(frame, i);
  const std::size_t begin = flat_.size();
  std::optional<TfOpened> opened = Unroll(*condition, *body, call);
  if (!opened.has_value()) {
    flat_.Truncate(begin);
    const std::optional<std::int64_t> count = CountIterations(*condition, *body, call);
    ImportSummary& summary = is_trial_ ? dropped_ : summary_;
    if (count.has_value()) {
      summary.unknown.Add(
          "loop too long to be unrolled: its ops stand once, with the work of all iterations",
          call.name + " (" + std::to_string(*count) + ")");
    } else {
      summary.unknown.Add("loop whose number of iterations only a run knows: its ops run once",
                          call.name);
    }
    opened = RunOnce(*body, call, count.value_or(1));
  }
  flat_.NameLast(begin, opened->outputs, call.name, call.keeps_name);
  return opened;
}

// Nothing if it has too many iterations or nothing says how many.
std::optional<TfOpened> TfExpander::Unroll(const Callee& condition,
                                           const Callee& body,
                                           const Call& call) {
  const std::size_t begin = flat_.size();
  Call state = call;
  TfOpened opened{.outputs = call.arguments, .waits = call.starts};
  for (std::int64_t iteration = 0;; ++iteration) {
    const std::optional<bool> goes_on = IsTrue(condition, state);
    if (!goes_on.has_value()) {
      return std::nullopt;
    }
    if (!*goes_on) {
      return opened;
    }
    if (iteration == options_.unroll || flat_.size() - begin > kMostUnrolled) {
      return std::nullopt;
    }
    opened = ExpandFunction(body, state, call.name + "/" + std::to_string(iteration) + "/");
    std::copy(opened.outputs.begin(), opened.outputs.end(), state.arguments.begin());
  }
}

TfOpened TfExpander::RunOnce(const Callee& body, const Call& call, std::int64_t times) {
  const std::size_t begin = flat_.size();
  TfOpened opened = ExpandFunction(body, call, call.name + "/");
  flat_.Multiply(begin, times);
  flat_.ForgetConstants(begin, opened.outputs);
  return opened;
}

// Nothing where constants do not decide.
std::optional<bool> TfExpander::IsTrue(const Callee& condition,
                                       const Call& call,
                                       const std::vector<bool>* only) {
  const std::size_t begin = flat_.size();
  const bool was_trial = std::exchange(is_trial_, true);
  const TfOpened opened = ExpandFunction(condition, call, call.name + "/", only);
  std::optional<bool> result;
  if (!opened.outputs.empty()) {
    const TfValue& value = flat_.ValueOf(opened.outputs[0]);
    if (value.constant.has_value() && value.constant->size() == 1) {
      result = value.constant->front() != 0.0;
    }
  }
  is_trial_ = was_trial;
  flat_.Truncate(begin);
  return result;
}

// Follows only what the condition needs, and throws the nodes away after each iteration.
std::optional<std::int64_t> TfExpander::CountIterations(const Callee& condition,
                                                        const Callee& body,
                                                        const Call& call) {
  const TfBody& condition_body = BodyOf(condition.name);
  const TfBody& loop_body = BodyOf(body.name);
  if (condition_body.returns.empty()) {
    return std::nullopt;
  }
  std::vector<bool> wanted(call.arguments.size(), false);
  std::vector<bool> of_condition(condition_body.nodes->size(), false);
  std::vector<bool> of_body(loop_body.nodes->size(), false);
  MarkNeeded(condition_body, condition_body.returns[0], of_condition, wanted);
  for (std::vector<bool> before; before != wanted;) {
    before = wanted;
    for (std::size_t i = 0; i < loop_body.returns.size(); ++i) {
      if (wanted[i]) {
        MarkNeeded(loop_body, loop_body.returns[i], of_body, wanted);
      }
    }
  }
  const std::size_t begin = flat_.size();
  Call state = call;
  std::optional<std::int64_t> count;
  for (std::int64_t iteration = 0; iteration <= kMostIterations; ++iteration) {
    const std::optional<bool> goes_on = IsTrue(condition, state, &of_condition);
    if (!goes_on.has_value() || num_tried_ > kMostTried) {
      break;
    }
    if (!*goes_on) {
      count = iteration;
      break;
    }
    StepForCount(body, of_body, wanted, begin, state);
  }
  flat_.Truncate(begin);
  return count;
}

// One iteration: the values of its results become stand-ins from `begin` on.
void TfExpander::StepForCount(const Callee& body,
                              const std::vector<bool>& only,
                              const std::vector<bool>& wanted,
                              std::size_t begin,
                              Call& state) {
  const bool was_trial = std::exchange(is_trial_, true);
  const TfOpened opened = ExpandFunction(body, state, state.name + "/", &only);
  is_trial_ = was_trial;
  std::vector<std::pair<std::size_t, TfValue>> values;
  for (std::size_t i = 0; i < opened.outputs.size(); ++i) {
    if (wanted[i] && opened.outputs[i].node >= begin) {
      values.emplace_back(i, flat_.ValueOf(opened.outputs[i]));
    } else if (wanted[i]) {
      state.arguments[i] = opened.outputs[i];
    }
  }
  flat_.Truncate(begin);
  for (auto& [argument, value] : values) {
    state.arguments[argument] = {.node = flat_.size()};
    flat_.Add({.name = state.name, .type = "Const"}, {std::move(value)}, false);
  }
}

}  // namespace opyard::graphs
