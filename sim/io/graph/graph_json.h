// Reads and writes graphs: *.graph.json, *.json, *.json.gz (docs/formats.md, "Graph").
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "sim/graph/op_graph.h"
#include "sim/io/graph/op_json.h"

namespace opyard::sim {

// Throws InputError listing every problem of the file as "FILE#/ops/3/inputs/0: found, expected".
// Refuses unpacked sizes beyond 512 MiB. Linear in the file's size; holds no document tree.
[[nodiscard]] std::shared_ptr<const OpGraph> ReadGraphFile(const std::filesystem::path& path);

// The same from text; `place` stands for the file name in messages.
[[nodiscard]] std::shared_ptr<const OpGraph> ReadGraphText(std::string_view text,
                                                           const std::string& place);

// The graph as one JSON text that ReadGraphText turns into an equal graph, but for modules that are
// left out.
[[nodiscard]] std::string WriteGraphText(const OpGraph& graph,
                                         ModulesInText modules = ModulesInText::kWritten);

// Writes it, packed if `path` ends in .gz, through a temporary file beside it.
void WriteGraphFile(const OpGraph& graph, const std::filesystem::path& path);

}  // namespace opyard::sim
