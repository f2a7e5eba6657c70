#include "experiments/store/compression.h"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

#include "sim/base/check.h"

namespace opyard::experiments {
namespace {

// The inflating half of zlib, closed with the object.
class Inflater {
 public:
  explicit Inflater(std::string_view packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    OPYARD_CHECK(inflateInit(&stream_) == Z_OK, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends the next piece to `text`; returns zlib's status.
  int Append(std::string& text) {
    std::array<char, 16384> piece{};
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream_.avail_out);
    return status;
  }
  [[nodiscard]] bool is_at_end() const { return stream_.avail_in == 0; }

 private:
  z_stream stream_{};
};

}  // namespace

std::string Compress(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()),
                               &size,
                               reinterpret_cast<const Bytef*>(text.data()),
                               static_cast<uLong>(text.size()),
                               Z_BEST_COMPRESSION);
  OPYARD_CHECK(status == Z_OK, "zlib cannot pack");
  packed.resize(size);
  return packed;
}

std::optional<std::string> Decompress(std::string_view packed, std::size_t most) {
  if (packed.size() > std::numeric_limits<uInt>::max()) {
    return std::nullopt;
  }
  Inflater inflater(packed);
  std::string text;
  int status = Z_OK;
  while (status == Z_OK && text.size() <= most) {
    status = inflater.Append(text);
  }
  if (status != Z_STREAM_END || !inflater.is_at_end() || text.size() > most) {
    return std::nullopt;
  }
  return text;
}

}  // namespace opyard::experiments
