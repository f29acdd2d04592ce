// Operations of verifying on device buffers, without a transfer: changes inputs, overwrites shared memory.
#pragma once

#include <cstdint>

#include "engine/attention/input_change.hpp"
#include "engine/session/guarded_buffer.hpp"
#include "engine/vulkan/kernels.hpp"

namespace attnscope {

/// Makes other inputs of a tensor in place; twice is as before. `tensor` is bound at 0 and has at least `bytes` bytes.
Result<void> change_tensor(vulkan::Kernels&, const vulkan::BoundBuffer& tensor, uint64_t bytes, const InputChange&,
                           const vulkan::Wait&);
/// Reads and writes every word of a buffer and leaves it as it is: the caches then are as after a change.
Result<void> rewrite(vulkan::Kernels&, const GuardedBuffer&, const vulkan::Wait&);

/// Shared memory left full of NaN on every core, for kernels that take it to be zero where nothing wrote it. The next
/// kernel may find it, or find what a driver put there: this can only show a fault, never cause one.
Result<void> spoil_shared(vulkan::Kernels&, const vulkan::Wait&);

/// Of every whole word of the buffer, each with its place: 64 bits, so that two different contents agree by chance
/// once in 10^19. The same bytes give the same number on every device. What a kernel must leave alone is compared so
/// without a download.
Result<uint64_t> fingerprint(vulkan::Kernels&, const vulkan::Buffer&, const vulkan::Wait&);

}  // namespace attnscope
