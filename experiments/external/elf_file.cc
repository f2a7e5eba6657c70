#include "experiments/external/elf_file.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <dlfcn.h>
#include <link.h>

namespace opyard::experiments {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

// A `Value` at byte `begin`. REQUIRES: it lies within `bytes`.
template <class Value>
Value ReadAt(std::string_view bytes, std::size_t begin) {
  Value value{};
  std::memcpy(&value, bytes.data() + begin, sizeof value);
  return value;
}

// True if `count` items of `size` bytes from byte `begin` on lie within `bytes`.
bool Holds(std::string_view bytes, std::uint64_t begin, std::uint64_t size, std::uint64_t count) {
  return begin <= bytes.size() && (count == 0 || size <= (bytes.size() - begin) / count);
}

// The header of the library that this code is in, of the kind that this machine's loader takes.
Header OwnHeader() {
  static constexpr char kInside = 0;
  Dl_info info{};
  Header header{};
  if (dladdr(&kInside, &info) != 0) {
    std::memcpy(&header, info.dli_fbase, sizeof header);
  }
  return header;
}

// The segments that are mapped. REQUIRES: the table lies within `bytes`.
std::vector<Segment> MappedSegments(std::string_view bytes) {
  const auto header = ReadAt<Header>(bytes, 0);
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = ReadAt<Segment>(bytes, header.e_phoff + i * sizeof(Segment));
    if (segment.p_type == PT_LOAD) {
      segments.push_back(segment);
    }
  }
  return segments;
}

// The table of sections, which nobody maps, is the end of most files.
bool IsWhole(std::string_view bytes) {
  const auto header = ReadAt<Header>(bytes, 0);
  return Holds(bytes, header.e_shoff, header.e_shentsize, header.e_shnum) &&
         header.e_phentsize == sizeof(Segment) &&
         Holds(bytes, header.e_phoff, sizeof(Segment), header.e_phnum) &&
         std::ranges::all_of(MappedSegments(bytes), [&](const Segment& segment) {
           return Holds(bytes, segment.p_offset, segment.p_filesz, 1);
         });
}

// A library in memory.
struct Image {
  ElfW(Addr) base = 0;
  const Segment* segments = nullptr;  // as the loader keeps them
  std::size_t num_segments = 0;
};

// The callback of dl_iterate_phdr: fills in the image with that base.
int FillIn(dl_phdr_info* info, std::size_t /*size*/, void* wanted) {
  Image& image = *static_cast<Image*>(wanted);
  if (info->dlpi_addr != image.base) {
    return 0;
  }
  image.segments = info->dlpi_phdr;
  image.num_segments = info->dlpi_phnum;
  return 1;
}

std::optional<Image> FindImage(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) {
    return std::nullopt;
  }
  Image image{.base = map->l_addr};
  return dl_iterate_phdr(FillIn, &image) == 1 ? std::optional(image) : std::nullopt;
}

}  // namespace

std::string FindLibraryFlaw(std::string_view bytes) {
  if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) {
    return "found a file that is no shared library, expected one";
  }
  if (bytes.size() < sizeof(Header)) {
    return "found a shared library that is cut short, expected a whole one";
  }
  const auto header = ReadAt<Header>(bytes, 0);
  const Header own = OwnHeader();
  if (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
      header.e_ident[EI_DATA] != own.e_ident[EI_DATA] || header.e_machine != own.e_machine ||
      header.e_type != ET_DYN) {
    return "found an ELF file that is no shared library for this machine, expected one";
  }
  return IsWhole(bytes) ? "" : "found a shared library that is cut short, expected a whole one";
}

bool IsLoadedFrom(void* library, std::string_view bytes) {
  const std::optional<Image> image = FindImage(library);
  const auto header = ReadAt<Header>(bytes, 0);
  const std::string_view table = bytes.substr(header.e_phoff, header.e_phnum * sizeof(Segment));
  // With the same table, all that it names is mapped.
  if (!image.has_value() || image->num_segments != header.e_phnum ||
      std::memcmp(image->segments, table.data(), table.size()) != 0) {
    return false;
  }
  return std::ranges::all_of(MappedSegments(bytes), [&](const Segment& segment) {
    const auto* const mapped = reinterpret_cast<const char*>(image->base + segment.p_vaddr);
    return segment.p_flags != PF_R || bytes.substr(segment.p_offset, segment.p_filesz) ==
                                          std::string_view(mapped, segment.p_filesz);
  });
}

}  // namespace opyard::experiments
