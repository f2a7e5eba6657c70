// Calls of functions, and the branches of If and Case.
#include <algorithm>
#include <array>

#include "graphs/importers/tensorflow/tf_expander.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kDeepestCall = 64;

bool IsPlainCall(std::string_view type) {
  return type == "PartitionedCall" || type == "StatefulPartitionedCall" ||
         type == "TPUPartitionedCall";
}

bool IsBranch(std::string_view type) {
  return type == "If" || type == "StatelessIf" || type == "Case" || type == "StatelessCase";
}

}  // namespace

std::optional<TfOpened> TfExpander::Open(Frame& frame, std::size_t i) {
  const TfNodeDefinition& definition = (*frame.body.nodes)[i];
  const TfAttributes attributes(&definition.attributes, frame.bindings);
  if (IsPlainCall(definition.type) || IsInLibrary(definition.type)) {
    return OpenCall(frame, i, attributes);
  }
  if (IsBranch(definition.type)) {
    return OpenBranches(frame, i, attributes);
  }
  if (definition.type == "While" || definition.type == "StatelessWhile") {
    return OpenLoop(frame, i, attributes);
  }
  return std::nullopt;
}

TfExpander::Callee TfExpander::Bind(const Frame& frame, const TfAttributes::Function& function) {
  if (function.attributes.empty()) {
    return {.name = function.name};
  }
  const TfAttributes::Function& kept = bindings_->functions.emplace_back(function);
  return {.name = kept.name,
          .bindings = &bindings_->attributes.emplace_back(&kept.attributes, frame.bindings)};
}

std::optional<TfExpander::Callee> TfExpander::FindCallee(const Frame& frame,
                                                         const TfAttributes& attributes,
                                                         std::string_view key) {
  const auto function = attributes.FunctionNamed(key);
  if (!function.has_value() || !IsInLibrary(function->name)) {
    return std::nullopt;
  }
  return Bind(frame, *function);
}

TfExpander::Call TfExpander::MakeCall(Frame& frame, std::size_t i) {
  return {.name = frame.prefix + std::string((*frame.body.nodes)[i].name),
          .keeps_name = frame.prefix.empty(),
          .arguments = InputsOf(frame, i),
          .starts = ControlsOf(frame, i)};
}

std::optional<TfOpened> TfExpander::OpenCall(Frame& frame,
                                             std::size_t i,
                                             const TfAttributes& attributes) {
  const std::string_view type = (*frame.body.nodes)[i].type;
  std::optional<Callee> callee = FindCallee(frame, attributes, "f");
  if (IsInLibrary(type)) {
    callee = Callee{.name = type, .bindings = &bindings_->attributes.emplace_back(attributes)};
  }
  if (!callee.has_value()) {
    return std::nullopt;
  }
  const Call call = MakeCall(frame, i);
  const std::size_t begin = flat_.size();
  TfOpened opened = ExpandFunction(*callee, call, call.name + "/");
  flat_.NameLast(begin, opened.outputs, call.name, call.keeps_name);
  return opened;
}

TfOpened TfExpander::ExpandFunction(const Callee& callee,
                                    const Call& call,
                                    const std::string& prefix,
                                    const std::vector<bool>* only) {
  if (std::ranges::find(calls_, callee.name) != calls_.end()) {
    throw InputError("found that the function " + Quoted(callee.name) +
                     " calls itself, expected no recursion");
  }
  if (calls_.size() == kDeepestCall) {
    throw InputError("found calls within calls, 65 deep, expected at most 64");
  }
  const TfBody& body = BodyOf(callee.name);
  if (body.num_arguments > call.arguments.size()) {
    throw InputError("found " + std::to_string(call.arguments.size()) +
                     " arguments of the function " + Quoted(callee.name) + ", expected " +
                     std::to_string(body.num_arguments));
  }
  Frame frame{.body = body,
              .arguments = call.arguments,
              .prefix = prefix,
              .bindings = callee.bindings,
              .starts = call.starts,
              .only = only != nullptr || body.needed.empty() ? only : &body.needed};
  calls_.push_back(callee.name);
  TfOpened opened = Expand(frame);
  calls_.pop_back();
  return opened;
}

std::vector<TfExpander::Callee> TfExpander::BranchesOf(const Frame& frame,
                                                       std::string_view type,
                                                       const TfAttributes& attributes) {
  std::vector<TfAttributes::Function> functions;
  if (type.ends_with("Case")) {
    functions = attributes.Functions("branches");
  } else {
    for (const std::string_view key : {"then_branch", "else_branch"}) {
      if (const auto function = attributes.FunctionNamed(key)) {
        functions.push_back(*function);
      }
    }
  }
  std::vector<Callee> branches;
  for (const TfAttributes::Function& function : functions) {
    if (!IsInLibrary(function.name)) {
      return {};
    }
    branches.push_back(Bind(frame, function));
  }
  return branches;
}

// The first input decides: If takes then_branch for what is not 0, Case the branch of that number
// or else the last.
std::optional<TfOpened> TfExpander::OpenBranches(Frame& frame,
                                                 std::size_t i,
                                                 const TfAttributes& attributes) {
  const std::string_view type = (*frame.body.nodes)[i].type;
  std::vector<Callee> branches = BranchesOf(frame, type, attributes);
  Call call = MakeCall(frame, i);
  if (branches.empty() || call.arguments.empty()) {
    return std::nullopt;
  }
  const TfValue& decision = flat_.ValueOf(call.arguments[0]);
  if (decision.constant.has_value() && decision.constant->size() == 1) {
    const std::int64_t number = WholeNumbers(*decision.constant)[0];
    const auto last = static_cast<std::int64_t>(branches.size()) - 1;
    const bool is_case = type.ends_with("Case");
    const std::int64_t taken =
        !is_case ? (number != 0 ? 0 : last) : (number < 0 || number > last ? last : number);
    branches = {branches[static_cast<std::size_t>(taken)]};
  }
  call.arguments.erase(call.arguments.begin());
  return KeepDearest(branches, call);
}

TfOpened TfExpander::KeepDearest(const std::vector<Callee>& branches, const Call& call) {
  const std::size_t begin = flat_.size();
  TfOpened best = ExpandFunction(branches[0], call, call.name + "/");
  double most = branches.size() > 1 ? flat_.FlopsFrom(begin) : 0.0;
  for (std::size_t branch = 1; branch < branches.size(); ++branch) {
    const std::size_t middle = flat_.size();
    TfOpened next = ExpandFunction(branches[branch], call, call.name + "/");
    const double flops = flat_.FlopsFrom(middle);
    if (flops <= most) {
      flat_.Truncate(middle);
      continue;
    }
    most = flops;
    flat_.Erase(begin, middle);
    for (TfInput& output : next.outputs) {
      output.node -= output.node >= middle ? middle - begin : 0;
    }
    for (std::size_t& wait : next.waits) {
      wait -= wait >= middle ? middle - begin : 0;
    }
    best = std::move(next);
  }
  if (branches.size() > 1) {
    flat_.ForgetConstants(begin, best.outputs);
    (is_trial_ ? dropped_ : summary_)
        .unknown.Add("branch that only a run chooses, taken to be the one of the most FLOPs",
                     call.name);
  }
  flat_.NameLast(begin, best.outputs, call.name, call.keeps_name);
  return best;
}

}  // namespace opyard::graphs
