#include "engine/history/rows.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace attnscope {

namespace {

// First byte of a packed set. The numbers of a file are never given another meaning.
enum Packing : char { kDoubles = 0, kFloats = 1, kWhole = 2 };

/// Seven bits a byte, the lowest first; the top bit says that more follow.
void put(std::string& out, uint64_t x) {
  for (; x >= 0x80; x >>= 7) out += char(0x80 | (x & 0x7f));
  out += char(x);
}
std::optional<uint64_t> take(std::string_view& bytes) {
  uint64_t x = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    x |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return x;
  }
  return std::nullopt;
}

bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

template <class T>
void put_all(std::string& out, std::span<const double> samples) {
  for (const double s : samples) {
    const T x = static_cast<T>(s);
    out.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
}
template <class T>
bool take_all(std::string_view bytes, std::vector<double>& samples) {
  if (bytes.size() % sizeof(T) != 0) return false;
  for (; !bytes.empty(); bytes.remove_prefix(sizeof(T))) {
    T x;
    std::memcpy(&x, bytes.data(), sizeof x);
    samples.push_back(x);
  }
  return true;
}

std::optional<std::string> pack_whole(std::span<const double> samples, uint32_t divisor) {
  constexpr double kMost = 9007199254740992.0;  // 2^53: beyond, doubles skip integers
  if (divisor == 0) return std::nullopt;
  std::string out(1, kWhole);
  put(out, divisor);
  int64_t last = 0;
  for (const double s : samples) {
    const double whole = std::nearbyint(s * divisor);
    if (!(std::abs(whole) < kMost) || !same(whole / divisor, s)) return std::nullopt;
    const int64_t step = static_cast<int64_t>(whole) - last;
    put(out, (uint64_t(step) << 1) ^ uint64_t(step >> 63));  // small either way: 0, -1, 1, -2, ...
    last += step;
  }
  return out;
}
bool take_whole(std::string_view bytes, std::vector<double>& samples) {
  const auto divisor = take(bytes);
  if (!divisor || *divisor == 0) return false;
  int64_t whole = 0;
  while (!bytes.empty()) {
    const auto step = take(bytes);
    if (!step) return false;
    whole = int64_t(uint64_t(whole) + ((*step >> 1) ^ (0 - (*step & 1))));
    samples.push_back(double(whole) / double(*divisor));
  }
  return true;
}

}  // namespace

std::string pack_samples(std::span<const double> samples, uint32_t dispatches) {
  if (auto whole = pack_whole(samples, dispatches)) return *std::move(whole);
  bool floats = true;
  for (const double s : samples) floats = floats && std::abs(s) < 1e38 && same(double(float(s)), s);
  std::string out(1, floats ? kFloats : kDoubles);
  if (floats)
    put_all<float>(out, samples);
  else
    put_all<double>(out, samples);
  return out;
}

Result<std::vector<double>> unpack_samples(std::string_view bytes) {
  std::vector<double> samples;
  bool good = !bytes.empty();
  if (good) {
    const std::string_view rest = bytes.substr(1);
    switch (bytes.front()) {
      case kDoubles: good = take_all<double>(rest, samples); break;
      case kFloats: good = take_all<float>(rest, samples); break;
      case kWhole: good = take_whole(rest, samples); break;
      default: good = false;
    }
  }
  if (!good) return bad_input("its samples are not written as this version writes them");
  return samples;
}

}  // namespace attnscope
