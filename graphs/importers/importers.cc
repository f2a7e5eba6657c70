#include "graphs/importers/importers.h"

#include <algorithm>

#include "graphs/importers/doppler/doppler.h"
#include "graphs/importers/foreign_formats.h"
#include "graphs/importers/graphml/graphml.h"
#include "graphs/importers/gxl/gxl.h"
#include "graphs/importers/hlo/hlo_text.h"
#include "graphs/importers/opyard/opyard_json.h"
#include "graphs/importers/stg/stg.h"
#include "graphs/importers/tensorflow/cost_graph.h"
#include "graphs/importers/tensorflow/tf_costed.h"
#include "graphs/importers/tensorflow/tf_graphdef.h"
#include "graphs/importers/torch/torch_json.h"
#include "sim/base/descriptor.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"
#include "sim/base/quote.h"
#include "sim/io/text/text_file.h"

namespace opyard::graphs {
namespace {

bool IsJsonObject(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{';
}

const Importer& FindImporter(const std::vector<std::unique_ptr<const Importer>>& importers,
                             const ImportFile& file,
                             std::string_view path,
                             const std::string& format) {
  if (file.bytes.empty()) {
    throw InputError(file.place + ": found an empty file, expected a graph");
  }
  if (const auto foreign = FindForeignFormat(file, path); format.empty() && foreign.has_value()) {
    throw InputError(file.place + ": " + *foreign);
  }
  std::vector<std::string> names;
  for (const std::unique_ptr<const Importer>& importer : importers) {
    if (format.empty() ? importer->Recognises(file, path) : importer->name() == format) {
      return *importer;
    }
    names.push_back(importer->name());
  }
  if (format.empty() && IsJsonObject(HeadOf(file))) {
    return FindImporter(importers, file, path, OpyardJsonImporter().name());
  }
  if (format.empty()) {
    throw InputError(file.place + ": found no format that can be read, expected one of " +
                     JoinNames(names));
  }
  throw InputError("found the format " + Quoted(format) + DidYouMean(format, names) +
                   ", expected one of " + JoinNames(names));
}

// Editors of Windows put one before texts.
std::string_view WithoutByteOrderMark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return bytes.starts_with(kMark) ? bytes.substr(kMark.size()) : bytes;
}

// The file name without the suffixes that formats bear; what comes without one is a "graph".
std::string StemOf(const std::filesystem::path& path) {
  if (path == "-" || DescriptorNamed(path).has_value()) {
    return "graph";
  }
  std::vector<std::string_view> suffixes(kGraphSuffixes.begin(), kGraphSuffixes.end());
  suffixes.insert(suffixes.end(), kForeignSuffixes.begin(), kForeignSuffixes.end());
  suffixes.insert(suffixes.end(), {".gz", ".graph"});
  std::string stem = path.filename().string();
  bool is_shorter = true;
  while (is_shorter) {
    is_shorter = false;
    for (const std::string_view suffix : suffixes) {
      if (stem.size() > suffix.size() && stem.ends_with(suffix)) {
        stem.resize(stem.size() - suffix.size());
        is_shorter = true;
      }
    }
  }
  return stem;
}

}  // namespace

std::vector<std::unique_ptr<const Importer>> Importers() {
  std::vector<std::unique_ptr<const Importer>> importers;
  importers.push_back(std::make_unique<GraphmlImporter>());
  importers.push_back(std::make_unique<GxlImporter>());
  importers.push_back(std::make_unique<OpyardJsonImporter>());
  importers.push_back(std::make_unique<TfCostedImporter>());
  importers.push_back(std::make_unique<TorchJsonImporter>());
  importers.push_back(std::make_unique<HloTextImporter>());
  importers.push_back(std::make_unique<StgImporter>());
  importers.push_back(std::make_unique<DopplerImporter>());
  importers.push_back(std::make_unique<TfGraphDefImporter>());
  importers.push_back(std::make_unique<CostGraphImporter>());
  return importers;
}

ImportedGraph ImportGraph(const ImportFile& given,
                          std::string_view path,
                          const std::string& format,
                          Options options) {
  ImportFile file = given;
  file.bytes = WithoutByteOrderMark(given.bytes);
  const std::vector<std::unique_ptr<const Importer>> importers = Importers();
  const Importer& importer = FindImporter(importers, file, path, format);
  ImportedGraph imported = importer.Import(file, options);
  options.EnsureAllUsed("importer " + importer.name());
  imported.summary.format = importer.name();
  return imported;
}

ImportedGraph ImportGraphFile(const std::filesystem::path& path,
                              const std::string& format,
                              Options options) {
  const std::string bytes = sim::ReadBinaryFile(path);
  const ImportFile file{.bytes = bytes, .place = InputName(path), .stem = StemOf(path)};
  return ImportGraph(file, path.string(), format, std::move(options));
}

}  // namespace opyard::graphs
