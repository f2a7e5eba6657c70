// The inner workings of ExpandTfGraph (tf_expansion.h); nobody else includes this.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/importers/tensorflow/tf_body.h"
#include "graphs/importers/tensorflow/tf_expansion.h"
#include "graphs/importers/tensorflow/tf_flat_graph.h"
#include "graphs/importers/tensorflow/tf_old_loops.h"

namespace opyard::graphs {

// The result of opening a call: its outputs, and the nodes that must have run when it has.
struct TfOpened {
  std::vector<TfInput> outputs;
  std::vector<std::size_t> waits;
};

class TfExpander {
 public:
  TfExpander(const TfGraphDefinition& definition,
             const std::string& place,
             const TfExpansionOptions& options,
             ImportSummary& summary)
      : definition_(definition), place_(place), options_(options), summary_(summary) {}

  TfGraph Run();

 private:
  using Arguments = std::vector<TfInput>;

  // One opening of a body.
  struct Frame {
    const TfBody& body;
    const Arguments& arguments;
    std::string prefix;                       // of names: "call/"
    const TfAttributes* bindings = nullptr;   // of its placeholders
    std::vector<std::size_t> starts;          // nodes that all of it waits for
    const std::vector<bool>* only = nullptr;  // [nodes]: those that are wanted; null for all
    std::vector<std::int64_t> emitted;        // [nodes]: in the flat graph; −1 for none
    std::map<std::size_t, TfOpened> opened;   // nodes that were calls
  };

  // The function that a node calls.
  struct Callee {
    std::string_view name;
    const TfAttributes* bindings = nullptr;
  };

  // A node that is opened.
  struct Call {
    std::string name;  // in the flat graph
    bool keeps_name = false;
    Arguments arguments;
    std::vector<std::size_t> starts;
  };

  // Frames (tf_expander.cc).
  std::vector<bool> FindWanted(const TfBody& graph);
  std::vector<TfLoopBack> BacksOf(const Frame& frame) const;
  TfOpened Expand(Frame& frame);
  void Take(Frame& frame, std::size_t i);
  void Emit(Frame& frame, std::size_t i);
  std::vector<TfValue> Evaluate(const TfNode& node);
  void ReportEvaluation(const TfNode& node, bool needs_dim, bool assumes_dim);
  TfInput Resolve(const Frame& frame, const TfBodyInput& input) const;
  Arguments InputsOf(const Frame& frame, std::size_t i) const;
  std::vector<std::size_t> ControlsOf(Frame& frame, std::size_t i);
  void AddWaits(TfOpened& opened, const std::string& name, std::vector<std::size_t>& controls);
  std::vector<std::size_t> WaitsOf(const Frame& frame, const TfOpened& opened, std::size_t begin);
  const TfBody& BodyOf(std::string_view function);

  // Calls (tf_calls.cc).
  [[nodiscard]] bool IsInLibrary(std::string_view function) const {
    return definition_.library.contains(function);
  }
  std::optional<Callee> FindCallee(const Frame& frame,
                                   const TfAttributes& attributes,
                                   std::string_view key);
  Callee Bind(const Frame& frame, const TfAttributes::Function& function);
  // Nothing for a node that is no call, or one whose functions are not in the library.
  std::optional<TfOpened> Open(Frame& frame, std::size_t i);
  std::optional<TfOpened> OpenCall(Frame& frame, std::size_t i, const TfAttributes& attributes);
  std::optional<TfOpened> OpenBranches(Frame& frame, std::size_t i, const TfAttributes& attributes);
  std::optional<TfOpened> OpenLoop(Frame& frame, std::size_t i, const TfAttributes& attributes);
  TfOpened ExpandFunction(const Callee& callee,
                          const Call& call,
                          const std::string& prefix,
                          const std::vector<bool>* only = nullptr);
  TfOpened KeepDearest(const std::vector<Callee>& branches, const Call& call);
  std::vector<Callee> BranchesOf(const Frame& frame,
                                 std::string_view type,
                                 const TfAttributes& attributes);
  Call MakeCall(Frame& frame, std::size_t i);

  // Loops (tf_loops.cc).
  std::optional<TfOpened> Unroll(const Callee& condition, const Callee& body, const Call& call);
  TfOpened RunOnce(const Callee& body, const Call& call, std::int64_t times);
  std::optional<bool> IsTrue(const Callee& condition,
                             const Call& call,
                             const std::vector<bool>* only = nullptr);
  std::optional<std::int64_t> CountIterations(const Callee& condition,
                                              const Callee& body,
                                              const Call& call);
  void StepForCount(const Callee& body,
                    const std::vector<bool>& only,
                    const std::vector<bool>& wanted,
                    std::size_t begin,
                    Call& state);

  const TfGraphDefinition& definition_;
  const std::string& place_;
  const TfExpansionOptions& options_;
  ImportSummary& summary_;
  ImportSummary dropped_;  // of what is only tried
  bool is_trial_ = false;
  bool uses_dim_ = false;  // an extent was left open
  TfFlatGraph flat_;
  std::map<std::string_view, std::unique_ptr<TfBody>> bodies_;
  std::vector<std::string_view> calls_;  // functions that are being opened
  std::size_t num_evaluated_ = 0;
  std::size_t num_tried_ = 0;              // of them, those of trials
  std::vector<std::string> open_sources_;  // with extents that nobody gave
  struct Bindings {
    std::deque<TfAttributes::Function> functions;
    std::deque<TfAttributes> attributes;
  };
  std::shared_ptr<Bindings> bindings_ = std::make_shared<Bindings>();
};

}  // namespace opyard::graphs
