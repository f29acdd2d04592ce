// Kernels that are part of the program, as GLSL.
#pragma once

#include "engine/vulkan/execution.hpp"

namespace attnscope::vulkan {

/// The files of a module's kernels/, built into the program so that a worker anywhere has them (attnscope_embed).
struct KernelTexts {
  std::span<const std::pair<std::string_view, std::string_view>> all;  ///< name without extension, text
  /// Of NAME.comp or NAME.glsl; empty when there is none.
  std::string_view operator()(std::string_view name) const;
  std::string hash() const;  ///< of all
};
extern const KernelTexts kernels;

struct KernelSource {
  std::string name;  ///< for messages, and of the cache of Kernels
  std::string_view text;
  std::vector<std::pair<std::string, std::string>> defines = {};
  SpecValues constants = {};
  uint32_t subgroup_size = 0;  ///< of full subgroups; 0 = the driver's choice
  bool sliceable = false;
  std::map<std::string, std::string> includes = {};
};
Result<Pipeline> make_pipeline(const Device&, const KernelSource&);

/// A component type of matrix shapes in GLSL. bf16, which the language lacks, travels as the bits of a float16_t.
struct MatrixType {
  std::string_view name;
  const char* glsl;
  bool whole, is_signed;  ///< whole: integers
};
/// nullptr: the language has no such type.
const MatrixType* matrix_type(std::string_view name);
/// Gives the kernel the shape's sizes: spec constants from `first` on, or macros BFLOAT and BFLOAT_M, _N, _K.
void set_matrix_sizes(KernelSource&, const MatrixShape&, uint32_t first);

/// The bytes of all values, one behind the other.
template <class... T>
std::vector<std::byte> push_of(const T&... values) {
  std::vector<std::byte> out((sizeof(T) + ...));
  size_t at = 0;
  ((std::memcpy(out.data() + at, &values, sizeof values), at += sizeof values), ...);
  return out;
}
/// Workgroups of 128 invocations that go over so many items in a loop.
inline uint32_t groups_for(uint64_t items) { return uint32_t(std::clamp<uint64_t>((items + 127) / 128, 1, 4096)); }

/// Each kernel is compiled when it first runs. For one thread.
class Kernels {
 public:
  explicit Kernels(Device device) : device_(std::move(device)) {}
  const Device& device() const { return device_; }
  Result<Execution> prepare(const KernelSource&, const std::array<uint32_t, 3>& grid, std::vector<std::byte> push,
                            std::vector<BoundBuffer>);
  /// Runs once and waits for the end.
  Result<void> run(const KernelSource&, const std::array<uint32_t, 3>& grid, std::vector<std::byte> push,
                   std::vector<BoundBuffer>, const Wait&);
  /// 16 KiB for results of a kernel, in an allocation of its own: it must not move what is timed.
  Result<Buffer> results();

 private:
  Device device_;
  std::map<std::string, Pipeline> pipelines_;
  std::optional<Buffer> results_;
};

}  // namespace attnscope::vulkan
