// Execution: passes bound to buffers, run for their result or timed by GPU timestamps.
#pragma once

#include "engine/vulkan/buffer.hpp"
#include "engine/vulkan/pipeline.hpp"

namespace attnscope::vulkan {

struct BoundBuffer {
  uint32_t binding = 0;  ///< a place (place_of)
  Buffer buffer;
  uint64_t offset = 0;  ///< multiple of the device's storage-buffer alignment (at most 256)
  uint64_t bytes = 0;   ///< 0 = the rest
};
struct Pass {
  Pipeline pipeline;
  std::array<uint32_t, 3> grid{1, 1, 1};  ///< workgroups
  std::vector<std::byte> push;
  std::vector<BoundBuffer> buffers;  ///< one for each of the shader's buffers; more are ignored
};

class Execution;
struct SampleRequest {
  uint32_t samples = 1;
  uint32_t repetitions = 1;          ///< executions of all passes in one sample
  bool back_to_back = false;         ///< let repetitions overlap, see Execution::sample
  std::optional<Buffer> flush{};     ///< overwritten before each sample, untimed: give it twice the L2's size
  uint32_t slices = 1;               ///< > 1: each pass in about this many submits, timed one by one and summed
  const Execution* after = nullptr;  ///< runs after each sample, untimed; not with slices
};

/// Passes in order, with a full compute-to-compute memory barrier between one and the next.
class Execution {
 public:
  /// bad_input: a missing binding, a wrong push block, too large a grid. `overlaps` false: barriers between all.
  static Result<Execution> create(const Device&, std::vector<Pass>, bool overlaps = true);

  /// Runs once, sliceable passes in submits of about `submit_ms`. Returns an upper estimate of the GPU time in ns.
  Result<double> run(const Wait& = {}, double submit_ms = 300) const;

  /// GPU nanoseconds of one execution of all passes, one number a sample: the timestamps' difference, masked to the
  /// queue's valid bits, times the period, over `repetitions`. All samples go in as few submits as the query pool
  /// holds; the caller keeps samples x repetitions x time far below 2 s.
  ///
  /// A full barrier stands before and after both timestamps, so a sample neither begins before earlier work has ended
  /// nor ends before its own has. Isolated: the barrier between passes also stands between repetitions. Back-to-back:
  /// no barrier between repetitions of a single-pass execution, so that one's tail overlaps the next one's head; all
  /// write the same values to the same places, which needs no order to be right, but is a write-after-write hazard to
  /// synchronization validation, so with validation on the barrier stays. Several passes always keep it: the next
  /// repetition's first pass would overwrite scratch still being read.
  Result<std::vector<double>> sample(const SampleRequest&, const Wait& = {}) const;

 private:
  struct State;
  explicit Execution(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Cutting a grid of workgroups into boxes, so that long work can be submitted piece by piece.
struct GridPiece {
  std::array<uint32_t, 3> base{}, count{};
  bool operator==(const GridPiece&) const = default;
};

/// Covers `grid` exactly, in order, by about `pieces` boxes, at most twice as many, of nearly equal size.
std::vector<GridPiece> cut_grid(const std::array<uint32_t, 3>& grid, uint32_t pieces);

}  // namespace attnscope::vulkan
