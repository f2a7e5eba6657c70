// Shared by the tests of importers: reading texts and files, finding ops by name.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "graphs/importers/importers.h"

namespace opyard::graphs {

// Graphs that other tools wrote. They stand outside the project; tests run in the project's root.
inline const char* const kForeignGraphs = "../shared/data/graphs";

inline ImportedGraph ImportText(const std::string& text,
                                const std::string& format,
                                Options options = {}) {
  return ImportGraph({.bytes = text, .place = "in", .stem = "small"}, "in", format, options);
}

// The op of that name; a failure if there is none.
inline OpId FindOp(const sim::OpGraph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    if (graph.ops()[i].name == name) {
      return OpId(i);
    }
  }
  ADD_FAILURE() << "no op " << name;
  return OpId(std::size_t{0});
}

inline const sim::Op& GetOp(const sim::OpGraph& graph, const std::string& name) {
  return graph.op(FindOp(graph, name));
}

// The names of the ops that `name` reads, in argument order.
inline std::vector<std::string> SourcesOf(const sim::OpGraph& graph, const std::string& name) {
  std::vector<std::string> sources;
  for (const TensorId input : graph.inputs(FindOp(graph, name))) {
    sources.push_back(graph.op(graph.tensor(input).producer).name);
  }
  return sources;
}

inline std::string MessageOf(const std::string& text, const std::string& format) {
  try {
    static_cast<void>(ImportText(text, format));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace opyard::graphs
