#include "engine/vulkan/execution.hpp"

#include "engine/shader/limits.hpp"
#include "engine/vulkan/state.hpp"

namespace attnscope::vulkan {
namespace {

constexpr uint32_t kQueries = 2048;   // timestamps that one submit may hold
constexpr uint32_t kRunPieces = 256;  // how finely run() can cut a pass: the first piece is that part of the work
constexpr size_t kRecordersKept = 16;
// Between dispatches: storage writes of earlier ones before storage reads and writes of later ones.
constexpr Access kStored{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
constexpr Access kStorage{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                          VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT};
constexpr uint64_t kRunGrowth = 8;  // pieces may differ in cost (causal tiles), so a batch grows only this fast

Result<std::unique_ptr<Recorder>> take_recorder(LogicalDevice& device) {
  {
    const std::lock_guard lock(device.recorders_mutex);
    if (!device.recorders.empty()) {
      std::unique_ptr<Recorder> kept = std::move(device.recorders.back());
      device.recorders.pop_back();
      return kept;
    }
  }
  auto made = std::make_unique<Recorder>(device);
  made->commands = TRY(Commands::create(device));
  auto info = vk_struct<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = kQueries;
  TRY(device.check(device.vk.vkCreateQueryPool(device.device, &info, nullptr, &made->queries),
                   "creating timestamp queries"));
  return made;
}

void give_back(std::unique_ptr<Recorder> recorder) {
  LogicalDevice& device = recorder->device;
  const std::lock_guard lock(device.recorders_mutex);
  if (device.recorders.size() < kRecordersKept) device.recorders.push_back(std::move(recorder));
}

uint32_t parts_of(uint32_t size, uint64_t wanted) { return uint32_t(std::clamp<uint64_t>(wanted, 1, size)); }

/// [begin, end) of part i of n of `size`, sizes differing by at most one.
std::pair<uint32_t, uint32_t> part(uint32_t size, uint32_t n, uint32_t i) {
  const auto edge = [&](uint32_t k) { return uint32_t(uint64_t{size} * k / n); };
  return {edge(i), edge(i + 1)};
}

}  // namespace

Recorder::~Recorder() {
  if (queries && !device.abandoned) device.vk.vkDestroyQueryPool(device.device, queries, nullptr);
}

struct Execution::State {
  std::shared_ptr<LogicalDevice> device;
  std::vector<Pass> passes;
  bool overlaps = true;
  std::unique_ptr<Recorder> recorder;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  std::vector<std::vector<VkDescriptorSet>> sets;  ///< of each pass
  uint32_t queries_used = 0;

  State& operator=(State&&) = delete;
  ~State() {
    if (!device || device->abandoned) return;
    // Whatever it recorded has ended: every submit is waited for.
    if (recorder) give_back(std::move(recorder));
    if (pool) device->vk.vkDestroyDescriptorPool(device->device, pool, nullptr);
  }

  Result<void> create_descriptors() {
    uint32_t buffers = 1, uniforms = 1, count = 0;
    for (const auto& pass : passes) {
      const PipelineState& pipeline = *pass.pipeline.state();
      buffers += uint32_t(pipeline.reflection.storage_bindings.size());
      uniforms += uint32_t(pipeline.reflection.uniforms.size());
      count += uint32_t(pipeline.set_layouts.size());
    }
    const std::array<VkDescriptorPoolSize, 2> sizes{
        {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniforms}}};
    auto info = vk_struct<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = count;
    info.poolSizeCount = sizes.size();
    info.pPoolSizes = sizes.data();
    TRY(device->check(device->vk.vkCreateDescriptorPool(device->device, &info, nullptr, &pool),
                      "creating a descriptor pool"));
    for (const auto& pass : passes) {
      auto allocate = vk_struct<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
      allocate.descriptorPool = pool;
      const auto& layouts = pass.pipeline.state()->set_layouts;
      std::vector<VkDescriptorSet>& own = sets.emplace_back(layouts.size(), VK_NULL_HANDLE);
      allocate.descriptorSetCount = uint32_t(layouts.size());
      allocate.pSetLayouts = layouts.data();
      TRY(device->check(device->vk.vkAllocateDescriptorSets(device->device, &allocate, own.data()),
                        "creating a descriptor set"));
      for (const auto& [where, type] : pass.pipeline.state()->buffers()) {
        const auto* bound = find_by(pass.buffers, where, &BoundBuffer::binding);
        if (bound == nullptr)
          return bad_input("Pass {} uses {}, to which no buffer is bound.", pass.pipeline.state()->name,
                           place_text(where));
        const uint64_t bytes =
            bound->bytes ? bound->bytes : bound->buffer.bytes() - std::min(bound->offset, bound->buffer.bytes());
        if (bytes == 0 || bound->offset + bytes > bound->buffer.bytes())
          return internal_error("Pass {} binds {} bytes at {} of a buffer of {}.", pass.pipeline.state()->name, bytes,
                                bound->offset, bound->buffer.bytes());
        const VkDescriptorBufferInfo buffer{bound->buffer.state()->buffer, bound->offset, bytes};
        auto write = vk_struct<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
        write.dstSet = own[set_of(where)];
        write.dstBinding = binding_of(where);
        write.descriptorCount = 1;
        write.descriptorType = type;
        write.pBufferInfo = &buffer;
        device->vk.vkUpdateDescriptorSets(device->device, 1, &write, 0, nullptr);
      }
    }
    return {};
  }

  Result<VkCommandBuffer> begin(uint32_t timestamps) {
    auto buffer = TRY(recorder->commands->begin());
    device->vk.vkCmdResetQueryPool(buffer, recorder->queries, 0, timestamps);
    queries_used = 0;
    return buffer;
  }

  /// The next slot, with a full barrier on both sides: whatever was recorded before has ended, nothing after has begun.
  void timestamp(VkCommandBuffer buffer) {
    full_barrier(*device, buffer);
    device->vk.vkCmdWriteTimestamp2(buffer, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, recorder->queries, queries_used++);
    full_barrier(*device, buffer);
  }

  void bind(VkCommandBuffer buffer, size_t index) {
    const Pass& pass = passes[index];
    const PipelineState& pipeline = *pass.pipeline.state();
    device->vk.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
    device->vk.vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
                                       uint32_t(sets[index].size()), sets[index].data(), 0, nullptr);
    if (!pass.push.empty())
      device->vk.vkCmdPushConstants(buffer, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, uint32_t(pass.push.size()),
                                    pass.push.data());
  }

  void dispatch(VkCommandBuffer buffer, const GridPiece& piece) {
    const auto& b = piece.base;
    const auto& n = piece.count;
    if (b[0] | b[1] | b[2])
      device->vk.vkCmdDispatchBase(buffer, b[0], b[1], b[2], n[0], n[1], n[2]);
    else
      device->vk.vkCmdDispatch(buffer, n[0], n[1], n[2]);
  }

  /// All passes, for commands that are another's.
  void record(VkCommandBuffer buffer) {
    for (size_t p = 0; p < passes.size(); ++p) {
      if (p > 0) barrier(*device, buffer, kStored, kStorage);
      bind(buffer, p);
      dispatch(buffer, {{0, 0, 0}, passes[p].grid});
    }
  }

  /// Submits; the nanoseconds between timestamps 0 and 1, 2 and 3, and so on.
  Result<std::vector<double>> spans(const Wait& wait) {
    TRY(recorder->commands->submit_and_wait(wait));
    std::vector<uint64_t> ticks(queries_used);
    TRY(device->check(device->vk.vkGetQueryPoolResults(device->device, recorder->queries, 0, queries_used,
                                                       ticks.size() * 8, ticks.data(), 8, VK_QUERY_RESULT_64_BIT),
                      "reading timestamps"));
    const uint32_t bits = device->info.limits.timestamp_valid_bits;
    const uint64_t mask = bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    std::vector<double> out;
    for (size_t i = 0; i + 1 < ticks.size(); i += 2)
      out.push_back(double((ticks[i + 1] - ticks[i]) & mask) * device->info.limits.timestamp_period_ns);
    return out;
  }

  /// One submit of some pieces of one pass. Pieces of a pass touch different outputs, so none waits for another.
  Result<double> timed_pieces(size_t pass, const std::vector<GridPiece>& pieces, size_t first, size_t count,
                              const Wait& wait) {
    auto buffer = TRY(begin(2));
    bind(buffer, pass);
    timestamp(buffer);
    for (size_t i = first; i < first + count; ++i) dispatch(buffer, pieces[i]);
    timestamp(buffer);
    auto ns = TRY(spans(wait));
    return ns.at(0);
  }
};

Result<Execution> Execution::create(const Device& device, std::vector<Pass> passes, bool overlaps) {
  if (passes.empty()) return internal_error("An execution needs at least one pass.");
  for (const auto& pass : passes) {
    const PipelineState& pipeline = *pass.pipeline.state();
    if (pass.push.size() != pipeline.reflection.push_bytes)
      return bad_input("Pass {} is given {} bytes of push constants; its shader has {}.", pipeline.name,
                       pass.push.size(), pipeline.reflection.push_bytes);
    if (auto over = check_grid(pipeline.name, {pass.grid[0], pass.grid[1], pass.grid[2]}, device.info()))
      return over->error;
  }
  auto state = std::make_shared<State>();
  state->device = device.state();
  state->passes = std::move(passes);
  state->overlaps = overlaps;
  state->recorder = TRY(take_recorder(*state->device));
  TRY(state->create_descriptors());
  return Execution(std::move(state));
}

Result<double> Execution::run(const Wait& wait, double submit_ms) const {
  State& s = *state_;
  double total = 0;
  for (size_t p = 0; p < s.passes.size(); ++p) {
    const auto pieces = cut_grid(s.passes[p].grid, s.passes[p].pipeline.sliceable() ? kRunPieces : 1);
    uint64_t batch = 1;
    for (size_t next = 0; next < pieces.size();) {
      const size_t count = std::min<uint64_t>(batch, pieces.size() - next);
      auto ns = TRY(s.timed_pieces(p, pieces, next, count, wait));
      total += ns;
      next += count;
      const double fit = submit_ms * 1e6 / std::max(ns / double(count), 1.0);
      batch = uint64_t(std::clamp(fit, 1.0, double(count * kRunGrowth)));
    }
  }
  return total;
}

Result<std::vector<double>> Execution::sample(const SampleRequest& request, const Wait& wait) const {
  State& s = *state_;
  const bool overlap = request.back_to_back && s.overlaps && s.passes.size() == 1 && !s.device->instance->validation;
  const uint32_t repetitions = std::max(request.repetitions, 1u);
  std::vector<double> samples;

  if (request.slices > 1) {
    for (uint32_t i = 0; i < request.samples; ++i) {
      if (request.flush) TRY(request.flush->fill(i, wait));
      double total = 0;
      for (uint32_t r = 0; r < repetitions; ++r)
        for (size_t p = 0; p < s.passes.size(); ++p) {
          const Pass& pass = s.passes[p];
          if (!pass.pipeline.sliceable())
            return internal_error("Pass {} was not made to run in slices.", pass.pipeline.state()->name);
          const auto pieces = cut_grid(pass.grid, request.slices);
          for (size_t piece = 0; piece < pieces.size(); ++piece)
            total += TRY(s.timed_pieces(p, pieces, piece, 1, wait));
        }
      samples.push_back(total / repetitions);
    }
    return samples;
  }

  while (samples.size() < request.samples) {
    const uint32_t count = std::min<uint32_t>(request.samples - uint32_t(samples.size()), kQueries / 2);
    auto buffer = TRY(s.begin(2 * count));
    for (uint32_t i = 0; i < count; ++i) {
      if (request.flush) {
        const BufferState& flush = *request.flush->state();
        s.device->vk.vkCmdFillBuffer(buffer, flush.buffer, 0, flush.bytes, i);
      }
      s.bind(buffer, 0);
      s.timestamp(buffer);
      for (uint32_t r = 0; r < repetitions; ++r)
        for (size_t p = 0; p < s.passes.size(); ++p) {
          if ((r > 0 || p > 0) && !overlap) barrier(*s.device, buffer, kStored, kStorage);
          if (s.passes.size() > 1 && (r > 0 || p > 0)) s.bind(buffer, p);
          s.dispatch(buffer, {{0, 0, 0}, s.passes[p].grid});
        }
      s.timestamp(buffer);
      if (request.after) request.after->state_->record(buffer);
    }
    for (const double span : TRY(s.spans(wait))) samples.push_back(span / repetitions);
  }
  return samples;
}

std::vector<GridPiece> cut_grid(const std::array<uint32_t, 3>& grid, uint32_t pieces) {
  if (!grid[0] || !grid[1] || !grid[2]) return {};
  const uint64_t wanted = std::max<uint32_t>(pieces, 1);
  const uint32_t nz = parts_of(grid[2], wanted);
  const uint32_t ny = nz == grid[2] ? parts_of(grid[1], (wanted + nz - 1) / nz) : 1;
  const uint64_t layers = uint64_t{nz} * ny;
  const uint32_t nx = nz == grid[2] && ny == grid[1] ? parts_of(grid[0], (wanted + layers - 1) / layers) : 1;
  std::vector<GridPiece> out;
  for (uint32_t z = 0; z < nz; ++z)
    for (uint32_t y = 0; y < ny; ++y)
      for (uint32_t x = 0; x < nx; ++x) {
        const auto [x0, x1] = part(grid[0], nx, x);
        const auto [y0, y1] = part(grid[1], ny, y);
        const auto [z0, z1] = part(grid[2], nz, z);
        out.push_back({{x0, y0, z0}, {x1 - x0, y1 - y0, z1 - z0}});
      }
  return out;
}

}  // namespace attnscope::vulkan
