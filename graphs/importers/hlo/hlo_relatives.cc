#include "graphs/importers/hlo/hlo_relatives.h"

#include <algorithm>

#include "graphs/importers/hlo/hlo_scanner.h"

namespace opyard::graphs {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

HloScanner ScannerOf(std::string_view bytes) {
  return HloScanner(bytes, bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

// MLIR's text: a module with functions, behind its tables of locations and attributes.
bool IsMlirText(const ImportFile& file) {
  const std::string_view head = HeadOf(file);
  HloScanner scanner = ScannerOf(head);
  const bool begins = scanner.Peek() == '#' || scanner.Take("module") ||
                      scanner.Take("\"builtin.module\"") || scanner.Take("func.func") ||
                      scanner.Take("builtin.module");
  return begins && (head.find("stablehlo.") != std::string_view::npos ||
                    head.find("mhlo.") != std::string_view::npos ||
                    head.find("func.func") != std::string_view::npos ||
                    head.find("vhlo.") != std::string_view::npos);
}

// Takes a field of text from a protocol buffer: `tag`, a length below 128, and printable signs.
bool TakeText(std::string_view& bytes, char tag) {
  if (bytes.size() < 3 || bytes[0] != tag || bytes[1] <= 0) {
    return false;
  }
  const auto length = static_cast<std::size_t>(bytes[1]);
  const std::string_view text = bytes.substr(2, length);
  bytes.remove_prefix(std::min(bytes.size(), length + 2));
  return text.size() == length &&
         std::ranges::all_of(text, [](char sign) { return sign > ' ' && sign <= '~'; });
}

// Takes the tag and the length of a field that holds a message.
bool TakeMessage(std::string_view& bytes, char tag) {
  if (bytes.empty() || bytes[0] != tag) {
    return false;
  }
  std::size_t at = 1;
  while (at < bytes.size() && at < 10 && (static_cast<unsigned char>(bytes[at]) & 0x80U) != 0) {
    ++at;
  }
  bytes.remove_prefix(std::min(bytes.size(), at + 1));
  return true;
}

// An HloModuleProto: its name (1), that of its entry (2), then a computation (3) that begins with a
// name of its own, by which it differs from a node of a GraphDef.
bool IsHloModuleProto(std::string_view bytes) {
  return TakeText(bytes, '\x0a') && TakeText(bytes, '\x12') && TakeMessage(bytes, '\x1a') &&
         TakeText(bytes, '\x0a') && bytes.starts_with('\x12');
}

// Alone, or as field 1 of an HloProto.
bool IsSerialisedHlo(std::string_view bytes) {
  std::string_view inner = bytes;
  return IsHloModuleProto(bytes) || (TakeMessage(inner, '\x0a') && IsHloModuleProto(inner));
}

constexpr std::string_view kHow =
    ", expected HLO text: write jax.jit(step).lower(...).as_text(\"hlo\")";

}  // namespace

bool BeginsAsHloText(std::string_view bytes) {
  HloScanner scanner = ScannerOf(bytes);
  return scanner.Take("HloModule") || scanner.Take("ENTRY ");
}

std::optional<std::string> FindRelativeOfHlo(const ImportFile& file, std::string_view path) {
  if (file.bytes.starts_with("ML\xEFR")) {
    return "found MLIR bytecode" + std::string(kHow);
  }
  if (IsMlirText(file)) {
    return "found StableHLO, the text of MLIR" + std::string(kHow);
  }
  if (IsSerialisedHlo(file.bytes) || path.ends_with(".hlo.pb") || path.ends_with(".hlo_proto.pb")) {
    return "found a serialised HLO module" + std::string(kHow) +
           ", or XlaComputation(bytes).as_hlo_text(), or let XLA dump with --xla_dump_hlo_as_text";
  }
  return std::nullopt;
}

}  // namespace opyard::graphs
