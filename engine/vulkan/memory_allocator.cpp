// The one translation unit that holds VulkanMemoryAllocator's code.
#include <volk.h>

#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
