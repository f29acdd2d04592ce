// The example program: plain Vulkan in one C file, which a person may read, cut up and take home.
#include <set>

#include <fmt/format.h>

#include "engine/export/describe.hpp"

namespace attnscope::exporting {
namespace {

constexpr const char* kBegin = R"c(#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "attention.h"

#define CHECK(call)                                                                  \
    do {                                                                             \
        VkResult check_ = (call);                                                    \
        if (check_ != VK_SUCCESS) {                                                  \
            fprintf(stderr, "%s: VkResult %d (line %d)\n", #call, check_, __LINE__); \
            exit(3);                                                                 \
        }                                                                            \
    } while (0)

static void *allocate(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);
    if (p == NULL) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(3);
    }
    return p;
}

/* ---- numbers as the buffers hold them ------------------------------------------------------------------------- */

#define ELEMENT_BYTES (ATTN_DTYPE == 0 ? 4u : 2u)

#if ATTN_DTYPE != 0
static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
#endif

#if ATTN_DTYPE == 1
static uint16_t to_half(float value) /* of numbers that f16 can hold */
{
    uint32_t sign = bits_of(value) >> 16 & 0x8000u, bits = bits_of(value) & 0x7fffffffu;
    if (bits < 0x38800000u) /* below 2^-14: a multiple of 2^-24 */
        return (uint16_t)(sign | (bits_of(float_of(bits) + 0.5f) - 0x3f000000u));
    return (uint16_t)(sign | (bits - 0x38000000u + 0xfffu + (bits >> 13 & 1u)) >> 13);
}

static float from_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, fraction = half & 0x3ffu;
    if (exponent == 0)
        return float_of(sign | bits_of((float)fraction * (1.0f / 16777216.0f)));
    return float_of(sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13);
}
#endif

static void put(void *data, size_t i, float value)
{
#if ATTN_DTYPE == 0
    ((float *)data)[i] = value;
#elif ATTN_DTYPE == 1
    ((uint16_t *)data)[i] = to_half(value);
#else
    uint32_t bits = bits_of(value);
    ((uint16_t *)data)[i] = (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
}

static double get(const void *data, size_t i)
{
#if ATTN_DTYPE == 0
    return ((const float *)data)[i];
#elif ATTN_DTYPE == 1
    return from_half(((const uint16_t *)data)[i]);
#else
    return float_of((uint32_t)((const uint16_t *)data)[i] << 16);
#endif
}

/* About normal, from a generator that is the same everywhere. */
static float random_number(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15ull;
    double sum = 0;
    int i;
    for (i = 0; i < 12; ++i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        sum += (double)(state >> 40) / 16777216.0;
    }
    return (float)(sum - 6.0);
}

/* ---- the reference: double precision, a row at a time --------------------------------------------------------- */

static uint32_t length_q(uint32_t b) { return ATTN_PACKED ? attn_offsets[b + 1] - attn_offsets[b] : ATTN_SEQ_Q; }
static uint32_t length_kv(uint32_t b) { return ATTN_PACKED ? attn_offsets[b + 1] - attn_offsets[b] : ATTN_SEQ_KV; }

/* Rows of Q and O, and of K and V, to be multiplied by head_dim or v_dim. */
static size_t row_q(uint32_t b, uint32_t head, uint32_t i)
{
    if (ATTN_PACKED)
        return ((size_t)attn_offsets[b] + i) * ATTN_HEADS_Q + head;
    return ((size_t)b * ATTN_HEADS_Q + head) * ATTN_SEQ_Q + i;
}

static size_t row_kv(uint32_t b, uint32_t head, uint32_t j)
{
#if ATTN_PACKED
    return ((size_t)attn_offsets[b] + j) * ATTN_HEADS_KV + head;
#elif ATTN_PAGES > 0
    size_t page = attn_page_table[(size_t)b * ATTN_PAGES + j / ATTN_PAGE_SIZE];
    return (page * ATTN_HEADS_KV + head) * ATTN_PAGE_SIZE + j % ATTN_PAGE_SIZE;
#else
    return ((size_t)b * ATTN_HEADS_KV + head) * ATTN_SEQ_KV + j;
#endif
}

/* Row i of `head` into out; a row that sees no key is 0. A causal mask aligns to the bottom right. */
static void reference_row(const void *q, const void *k, const void *v, uint32_t b, uint32_t head, uint32_t i,
                          double *weights, double *out)
{
    uint32_t kv_head = head / (ATTN_HEADS_Q / ATTN_HEADS_KV), keys = length_kv(b), j, d;
    double most = -INFINITY, sum = 0;
    if (ATTN_CAUSAL) {
        int64_t seen = (int64_t)i + 1 + keys - length_q(b);
        keys = seen < 0 ? 0 : seen < keys ? (uint32_t)seen : keys;
    }
    for (j = 0; j < keys; ++j) {
        double score = 0;
        for (d = 0; d < ATTN_HEAD_DIM; ++d)
            score += get(q, row_q(b, head, i) * ATTN_HEAD_DIM + d) * get(k, row_kv(b, kv_head, j) * ATTN_HEAD_DIM + d);
        weights[j] = score * ATTN_SCALE;
        if (weights[j] > most)
            most = weights[j];
    }
    for (j = 0; j < keys; ++j)
        sum += weights[j] = exp(weights[j] - most);
    for (d = 0; d < ATTN_V_DIM; ++d)
        out[d] = 0;
    for (j = 0; j < keys; ++j)
        for (d = 0; d < ATTN_V_DIM; ++d)
            out[d] += weights[j] / sum * get(v, row_kv(b, kv_head, j) * ATTN_V_DIM + d);
}

/* 0 when the output is right. Of large problems some rows of every head are computed. */
static int check_output(const void *q, const void *k, const void *v, const void *o)
{
    const double allowed_nmse = ATTN_DTYPE == 0 ? 1e-10 : 5e-4;
    const double allowed_max = ATTN_DTYPE == 0 ? 1e-4 : ATTN_DTYPE == 1 ? 2e-2 : 1e-1;
    double work = 2.0 * ATTN_BATCH * ATTN_HEADS_Q * (double)ATTN_SEQ_Q * ATTN_SEQ_KV * (ATTN_HEAD_DIM + ATTN_V_DIM);
    uint32_t step = work > 1e9 ? (uint32_t)(work / 1e9) + 1 : 1, b, head, i, d;
    double *weights = allocate(ATTN_SEQ_KV * sizeof *weights), *row = allocate(ATTN_V_DIM * sizeof *row);
    double error = 0, power = 0, most = 0;
    size_t rows = 0, all = 0;
    int bad = 0;
    for (b = 0; b < ATTN_BATCH; ++b)
        for (head = 0; head < ATTN_HEADS_Q; ++head)
            for (i = 0; i < length_q(b); ++i) {
                ++all;
                /* What was not written is still NaN: that is looked at everywhere. */
                for (d = 0; d < ATTN_V_DIM; ++d)
                    bad |= !isfinite(get(o, row_q(b, head, i) * ATTN_V_DIM + d));
                if ((i + head) % step != 0)
                    continue;
                ++rows;
                reference_row(q, k, v, b, head, i, weights, row);
                for (d = 0; d < ATTN_V_DIM; ++d) {
                    double off = fabs(get(o, row_q(b, head, i) * ATTN_V_DIM + d) - row[d]);
                    error += off * off;
                    power += row[d] * row[d];
                    if (off > most)
                        most = off;
                }
            }
    free(weights);
    free(row);
    error /= power > 0 ? power : 1;
    bad |= !(error <= allowed_nmse) || !(most <= allowed_max);
    printf("%s: max error %.3g (allowed %.3g), NMSE %.3g (allowed %.3g), %zu of %zu rows\n", bad ? "WRONG" : "right",
           most, allowed_max, error, allowed_nmse, rows, all);
    return bad;
}

/* ---- the device ----------------------------------------------------------------------------------------------- */

)c";

constexpr const char* kPick = R"c(
/* Whether the device can run it; else says why. `have` is what it has, `want` what is to be turned on. */
static int can_run(VkPhysicalDevice device, struct features *have, struct features *want)
{
    VkPhysicalDeviceVulkan11Properties p11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
    VkPhysicalDeviceVulkan13Properties p13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceProperties2 p = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkExtensionProperties *extensions;
    uint32_t count = 0, i, pass;
    const char *missing = NULL;
    p.pNext = &p11;
    p11.pNext = &p13;
    vkGetPhysicalDeviceProperties2(device, &p);
    if (p.properties.apiVersion < VK_API_VERSION_1_3) {
        printf("%s: has no Vulkan 1.3\n", p.properties.deviceName);
        return 0;
    }
    CHECK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, NULL));
    extensions = allocate(count * sizeof *extensions);
    CHECK(vkEnumerateDeviceExtensionProperties(device, NULL, &count, extensions));
    for (i = 0; kExtensions[i] != NULL; ++i) {
        uint32_t e, found = 0;
        for (e = 0; e < count; ++e)
            found |= strcmp(extensions[e].extensionName, kExtensions[i]) == 0;
        if (!found)
            missing = kExtensions[i];
    }
    free(extensions);
    if (missing == NULL) {
        chain(have);
        chain(want);
        vkGetPhysicalDeviceFeatures2(device, &have->core);
        missing = turn_on(have, want, &p11);
    }
    for (pass = 0; missing == NULL && pass < ATTN_PASSES; ++pass) {
        const attn_pass *a = &attn_passes[pass];
        const VkPhysicalDeviceLimits *limits = &p.properties.limits;
        if (a->shared_bytes > limits->maxComputeSharedMemorySize)
            missing = "as much shared memory";
        if (a->push_bytes > limits->maxPushConstantsSize)
            missing = "as many push constants";
        if (a->local_size[0] * a->local_size[1] * a->local_size[2] > limits->maxComputeWorkGroupInvocations)
            missing = "as large workgroups";
        for (i = 0; i < 3; ++i)
            if (a->grid[i] > limits->maxComputeWorkGroupCount[i])
                missing = "as large a grid";
    }
    for (i = 0; missing == NULL && i < ATTN_BUFFERS; ++i)
        if (attn_buffers[i].bytes > p.properties.limits.maxStorageBufferRange)
            missing = "as large buffers";
    if (missing == NULL && (p13.minSubgroupSize < ATTN_MIN_SUBGROUP_SIZE || p13.maxSubgroupSize > ATTN_MAX_SUBGROUP_SIZE))
        missing = "subgroups of the size it was made for";
    if (missing != NULL)
        printf("%s: has not %s\n", p.properties.deviceName, missing);
    else
        printf("%s: %s on %s, %s\n", p.properties.deviceName, ATTN_VARIANT, ATTN_PROBLEM, ATTN_CONFIG);
    return missing == NULL;
}

static uint32_t memory_type(VkPhysicalDevice physical, uint32_t bits, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t i;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (i = 0; i < memory.memoryTypeCount; ++i)
        if ((bits >> i & 1u) && (memory.memoryTypes[i].propertyFlags & flags) == flags)
            return i;
    fprintf(stderr, "no memory of the wanted kind\n");
    exit(3);
}

struct buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
};

static struct buffer make_buffer(VkPhysicalDevice physical, VkDevice device, uint64_t bytes, VkBufferUsageFlags usage,
                                 VkMemoryPropertyFlags flags)
{
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    VkMemoryRequirements needs;
    struct buffer b;
    info.size = bytes;
    info.usage = usage;
    CHECK(vkCreateBuffer(device, &info, NULL, &b.handle));
    vkGetBufferMemoryRequirements(device, b.handle, &needs);
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = memory_type(physical, needs.memoryTypeBits, flags);
    CHECK(vkAllocateMemory(device, &allocation, NULL, &b.memory));
    CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
    return b;
}

static void submit_and_wait(VkDevice device, VkQueue queue, VkCommandBuffer commands)
{
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    CHECK(vkEndCommandBuffer(commands));
    CHECK(vkCreateFence(device, &info, NULL, &fence));
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    CHECK(vkQueueSubmit(queue, 1, &submit, fence));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, 60000000000ull));
    vkDestroyFence(device, fence, NULL);
}

static void begin(VkCommandBuffer commands)
{
    VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    CHECK(vkBeginCommandBuffer(commands, &info));
}

static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all,
                         0, NULL, 0, NULL);
}

/* A pass: its pipeline, and the set of the buffers that it binds. */
struct pass {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSet set;
};

static struct pass make_pass(VkDevice device, VkDescriptorPool pool, const attn_pass *a, const struct buffer *buffers)
{
    VkDescriptorSetLayoutCreateInfo set_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    VkPipelineLayoutCreateInfo layout_info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkShaderModuleCreateInfo module_info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    VkDescriptorSetAllocateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 0};
    VkDescriptorSetLayoutBinding *bindings = allocate(a->binding_count * sizeof *bindings);
    VkShaderModule module;
    struct pass p;
    uint32_t i, b;
    for (i = 0; i < a->binding_count; ++i) {
        bindings[i].binding = a->bindings[i];
        bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i].descriptorCount = 1;
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    set_info.bindingCount = a->binding_count;
    set_info.pBindings = bindings;
    CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &p.set_layout));
    free(bindings);
    range.size = a->push_bytes;
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &p.set_layout;
    layout_info.pushConstantRangeCount = a->push_bytes > 0;
    layout_info.pPushConstantRanges = &range;
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &p.layout));

    module_info.codeSize = a->spirv_bytes;
    module_info.pCode = a->spirv;
    CHECK(vkCreateShaderModule(device, &module_info, NULL, &module));
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    if (a->full_subgroups)
        info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    if (a->subgroup_size != 0) {
        size.requiredSubgroupSize = a->subgroup_size;
        info.stage.pNext = &size;
    }
    info.layout = p.layout;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline));
    vkDestroyShaderModule(device, module, NULL);

    set.descriptorPool = pool;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &p.set_layout;
    CHECK(vkAllocateDescriptorSets(device, &set, &p.set));
    for (i = 0; i < a->binding_count; ++i)
        for (b = 0; b < ATTN_BUFFERS; ++b)
            if (attn_buffers[b].binding == a->bindings[i]) {
                VkDescriptorBufferInfo whole = {buffers[b].handle, 0, VK_WHOLE_SIZE};
                VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
                write.dstSet = p.set;
                write.dstBinding = a->bindings[i];
                write.descriptorCount = 1;
                write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
                write.pBufferInfo = &whole;
                vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
            }
    return p;
}

static void dispatch(VkCommandBuffer commands, const struct pass *p, const attn_pass *a)
{
    unsigned char push[256];
    uint32_t i;
    memset(push, 0, sizeof push);
    /* For another problem these are what the names say (attention.json), and so is the grid. */
    for (i = 0; i < a->push_count; ++i)
        memcpy(push + a->push[i].offset, &a->push[i].bits, 4);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &p->set, 0, NULL);
    if (a->push_bytes > 0)
        vkCmdPushConstants(commands, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, a->push_bytes, push);
    vkCmdDispatch(commands, a->grid[0], a->grid[1], a->grid[2]);
    barrier(commands);
}

/* What a buffer begins with. */
static void fill(uint32_t b, unsigned char *data)
{
    const attn_buffer *a = &attn_buffers[b];
    size_t i;
    if (a->binding <= 2)
        for (i = 0; i < a->bytes / ELEMENT_BYTES; ++i)
            put(data, i, random_number());
    else if (a->binding == 4)
        memcpy(data, attn_offsets, a->bytes);
    else if (a->binding == 5)
        memcpy(data, attn_page_table, a->bytes);
    else
        memset(data, 0xff, a->bytes); /* NaN: what is not written shows */
}

int main(int argc, char **argv)
{
    static struct features have, want;
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo instance_info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkDeviceQueueCreateInfo queue_info = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    VkDeviceCreateInfo device_info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo commands_info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    VkDescriptorPoolSize sizes = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0};
    VkDescriptorPoolCreateInfo sets_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    VkQueueFamilyProperties families[32];
    VkPhysicalDevice devices[16], physical = VK_NULL_HANDLE;
    VkInstance instance;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkDescriptorPool sets;
    struct buffer buffers[ATTN_BUFFERS], staging;
    struct pass passes[ATTN_PASSES];
    unsigned char *data[ATTN_BUFFERS];
    const float priority = 1;
    uint64_t most = 4;
    uint32_t count = 16, family = 0, i, o = 0, wrong;
    void *mapped;
    long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : -1; /* index of a device; else the first that can */

    app.apiVersion = VK_API_VERSION_1_3;
    instance_info.pApplicationInfo = &app;
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    if (vkEnumeratePhysicalDevices(instance, &count, devices) < 0)
        count = 0;
    for (i = 0; i < count && physical == VK_NULL_HANDLE; ++i)
        if ((wanted < 0 || wanted == (long)i) && can_run(devices[i], &have, &want))
            physical = devices[i];
    if (physical == VK_NULL_HANDLE) {
        fprintf(stderr, "no device can run it\n");
        return 2;
    }

    count = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    while (family + 1 < count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        ++family;
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    device_info.pNext = &want.core;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    device_info.ppEnabledExtensionNames = kExtensions;
    while (kExtensions[device_info.enabledExtensionCount] != NULL)
        ++device_info.enabledExtensionCount;
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    pool_info.queueFamilyIndex = family;
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    commands_info.commandPool = pool;
    commands_info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands_info.commandBufferCount = 1;
    CHECK(vkAllocateCommandBuffers(device, &commands_info, &commands));

    for (i = 0; i < ATTN_BUFFERS; ++i)
        if (attn_buffers[i].bytes > most)
            most = attn_buffers[i].bytes;
    staging = make_buffer(physical, device, most, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(vkMapMemory(device, staging.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    for (i = 0; i < ATTN_BUFFERS; ++i) {
        VkBufferCopy whole = {0, 0, attn_buffers[i].bytes};
        data[i] = allocate(attn_buffers[i].bytes);
        fill(i, data[i]);
        buffers[i] = make_buffer(physical, device, attn_buffers[i].bytes,
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                     VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        memcpy(mapped, data[i], attn_buffers[i].bytes);
        begin(commands);
        vkCmdCopyBuffer(commands, staging.handle, buffers[i].handle, 1, &whole);
        submit_and_wait(device, queue, commands);
        if (attn_buffers[i].binding == 3)
            o = i;
    }

    for (i = 0; i < ATTN_PASSES; ++i)
        sizes.descriptorCount += attn_passes[i].binding_count;
    sets_info.maxSets = ATTN_PASSES;
    sets_info.poolSizeCount = 1;
    sets_info.pPoolSizes = &sizes;
    CHECK(vkCreateDescriptorPool(device, &sets_info, NULL, &sets));
    begin(commands);
    barrier(commands);
    for (i = 0; i < ATTN_PASSES; ++i) {
        passes[i] = make_pass(device, sets, &attn_passes[i], buffers);
        dispatch(commands, &passes[i], &attn_passes[i]);
    }
    {
        VkBufferCopy whole = {0, 0, attn_buffers[o].bytes};
        vkCmdCopyBuffer(commands, buffers[o].handle, staging.handle, 1, &whole);
        barrier(commands);
    }
    submit_and_wait(device, queue, commands);
    memcpy(data[o], mapped, attn_buffers[o].bytes);

    wrong = (uint32_t)check_output(data[0], data[1], data[2], data[3]); /* q, k, v, o come first */

    for (i = 0; i < ATTN_PASSES; ++i) {
        vkDestroyPipeline(device, passes[i].pipeline, NULL);
        vkDestroyPipelineLayout(device, passes[i].layout, NULL);
        vkDestroyDescriptorSetLayout(device, passes[i].set_layout, NULL);
    }
    vkDestroyDescriptorPool(device, sets, NULL);
    for (i = 0; i < ATTN_BUFFERS; ++i) {
        vkDestroyBuffer(device, buffers[i].handle, NULL);
        vkFreeMemory(device, buffers[i].memory, NULL);
        free(data[i]);
    }
    vkDestroyBuffer(device, staging.handle, NULL);
    vkFreeMemory(device, staging.memory, NULL);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return wrong ? 1 : 0;
}
)c";

/// A structure of an extension, as the chain has it.
struct ExtensionStructure {
  const char *field, *type, *value;
};
constexpr ExtensionStructure kStructures[] = {
    {"coopmat", "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR"},
    {"coopmat2", "VkPhysicalDeviceCooperativeMatrix2FeaturesNV",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV"},
    {"bfloat16", "VkPhysicalDeviceShaderBfloat16FeaturesKHR",
     "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR"},
};

/// The chain of feature structures, and what is turned on in it.
std::string features_of(const Exported& e) {
  std::set<std::string> structures, extensions;
  std::string turned;
  for (const std::string& name : e.features) {
    const VulkanFeature* f = vulkan_feature(name);
    if (!f) {
      turned += fmt::format("    /* {} needs no switch, or one that this file does not know. */\n", plain(name));
      continue;
    }
    if (!f->extension.empty()) {
      extensions.insert(f->extension);
      structures.insert(f->structure);
    }
    for (const std::string& member : f->members)
      turned += f->structure.empty()
                    ? fmt::format("    if (!(p11->subgroupSupportedOperations & {}))\n        return \"{}\";\n", member,
                                  member)
                    : fmt::format("    if (!have->{0}.{1})\n        return \"{1}\";\n    want->{0}.{1} = VK_TRUE;\n",
                                  f->structure, member);
  }
  std::string out = "/* The features that the modules need, and those that help where a device has them. */\n";
  out +=
      "struct features {\n    VkPhysicalDeviceFeatures2 core;\n    VkPhysicalDeviceVulkan11Features v11;\n"
      "    VkPhysicalDeviceVulkan12Features v12;\n    VkPhysicalDeviceVulkan13Features v13;\n";
  std::string linked;
  std::string last = "v13";
  for (const auto& [field, type, value] : kStructures) {
    if (!structures.contains(field)) continue;
    out += fmt::format("    {} {};\n", type, field);
    linked += fmt::format("    f->{0}.sType = {1};\n    f->{2}.pNext = &f->{0};\n", field, value, last);
    last = field;
  }
  out += "};\n\nstatic const char *const kExtensions[] = {";
  for (const std::string& extension : extensions) out += c_string(extension) + ", ";
  out +=
      "NULL};\n\nstatic void chain(struct features *f)\n{\n    memset(f, 0, sizeof *f);\n"
      "    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;\n"
      "    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;\n"
      "    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;\n"
      "    f->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;\n"
      "    f->core.pNext = &f->v11;\n    f->v11.pNext = &f->v12;\n    f->v12.pNext = &f->v13;\n";
  out += linked + "}\n\n/* The first feature that the device lacks; NULL when it has them all. */\n";
  out +=
      "static const char *turn_on(const struct features *have, struct features *want,\n"
      "                           const VkPhysicalDeviceVulkan11Properties *p11)\n{\n    (void)p11;\n";
  out += turned;
  out +=
      "    want->v11.uniformAndStorageBuffer16BitAccess = have->v11.uniformAndStorageBuffer16BitAccess;\n"
      "    want->v12.uniformAndStorageBuffer8BitAccess = have->v12.uniformAndStorageBuffer8BitAccess;\n"
      "    want->v12.shaderSubgroupExtendedTypes = have->v12.shaderSubgroupExtendedTypes;\n"
      "    want->v12.scalarBlockLayout = have->v12.scalarBlockLayout;\n"
      "    want->v13.maintenance4 = have->v13.maintenance4;\n    return NULL;\n}\n";
  return out;
}

}  // namespace

std::string to_example(const Exported& e) {
  const std::string head = fmt::format(
      "/* Runs {} on {} by plain Vulkan calls, with random inputs, and checks it\n   against a reference.\n\n     cc "
      "-O2 "
      "example.c -o example -lvulkan -lm && ./example [DEVICE]\n\n   It prints the largest error and exits with 0 when "
      "the output is right, 1 when it is wrong, 2 when no device can run\n   it, 3 when a call failed. Made by "
      "attnscope {}; do with it what you like. */\n",
      plain(e.variant), plain(to_text(e.problem)), ATTNSCOPE_VERSION);
  return head + kBegin + features_of(e) + kPick;
}

}  // namespace attnscope::exporting
