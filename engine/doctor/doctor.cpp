#include "engine/doctor/doctor.hpp"

#include "engine/clock.hpp"

namespace attnscope::doctor {
namespace {

using vulkan::Buffer;
using vulkan::Execution;
using Words = std::vector<uint32_t>;
/// The fault found; "" = none. An Error is the driver's.
using Found = Result<std::string>;

constexpr uint32_t kPoison = 0x7fc0dead;  // a NaN that no kernel writes

/// Numbers that look random, the same each time.
class Numbers {
 public:
  uint32_t next() { return (state_ = state_ * 1664525u + 1013904223u) >> 8; }

 private:
  uint32_t state_ = 1;
};

float as_float(uint32_t word) { return std::bit_cast<float>(word); }
uint32_t as_word(double x) { return std::bit_cast<uint32_t>(float(x)); }

struct Run {
  vulkan::KernelSource source;  ///< without its text, and SIZE of its constants: the invocations of a workgroup
  uint32_t size = 64;
  std::array<uint32_t, 3> grid{1, 1, 1};
};

class Examiner {
 public:
  Examiner(const vulkan::Device& device, bool fault, const vulkan::Wait& wait)
      : device_(device), fault_(fault), wait_(wait) {}
  const DeviceInfo& info() const { return device_.info(); }

  Result<Execution> execution(const Run& run, const Buffer& given, const Buffer& found) {
    vulkan::KernelSource source = run.source;
    source.text = kernels(source.name);
    source.includes["check.glsl"] = kernels("check");
    source.defines.emplace_back("FAULT", fault_ ? "1" : "0");
    source.constants[0] = run.size;
    vulkan::Pipeline made = TRY(vulkan::make_pipeline(device_, source));
    return Execution::create(device_, {{made, run.grid, {}, {{0, given}, {1, found}}}});
  }
  Result<Buffer> buffer(uint64_t bytes, uint32_t fill = kPoison) {
    Buffer made = TRY(Buffer::create(device_, bytes));
    TRY(made.fill(fill, wait_));
    return made;
  }
  Result<Buffer> buffer_of(const Words& words) {
    Buffer made = TRY(Buffer::create(device_, words.size() * 4));
    TRY(made.upload(std::as_bytes(std::span(words)), 0, wait_));
    return made;
  }
  /// Runs the kernel on `count` words that begin as `fill`, and returns them.
  Result<Words> words(const Run& run, const Words& given, size_t count, uint32_t fill = kPoison) {
    Buffer in = TRY(buffer_of(given));
    Buffer out = TRY(buffer(count * 4, fill));
    Execution one = TRY(execution(run, in, out));
    TRY(one.run(wait_));
    return out.contents<uint32_t>(wait_);
  }

  /// Vulkan 1.3's own least values, and what of them has to fit together.
  Found limits() {
    const DeviceLimits& l = info().limits;
    std::vector<std::string> wrong;
    const auto least = [&](const char* name, double is, double needed) {
      if (fault_) needed = is + 1;
      if (is < needed) add_line(wrong, "{} is {:g}; the least is {:g}", name, is, needed);
    };
    least("maxComputeSharedMemorySize", l.max_shared_bytes, 16384);
    least("maxComputeWorkGroupInvocations", l.max_workgroup_invocations, 128);
    least("maxComputeWorkGroupSize[0]", l.max_workgroup_size[0], 128);
    least("maxComputeWorkGroupCount[0]", l.max_workgroup_count[0], 65535);
    least("maxStorageBufferRange", double(l.max_storage_buffer_bytes), 1 << 27);
    least("maxPushConstantsSize", l.max_push_constant_bytes, 128);
    least("maxMemoryAllocationSize", double(l.max_allocation_bytes), 1 << 30);
    least("timestampValidBits", l.timestamp_valid_bits, 36);
    if (!std::has_single_bit(l.subgroup_size) || l.subgroup_size < l.min_subgroup_size ||
        l.subgroup_size > l.max_subgroup_size)
      add_line(wrong, "the subgroup size {} is not a power of two within {} to {}", l.subgroup_size,
               l.min_subgroup_size, l.max_subgroup_size);
    note = fmt::format("{} B shared, {} invocations, subgroups of {} ({} to {})", l.max_shared_bytes,
                       l.max_workgroup_invocations, l.subgroup_size, l.min_subgroup_size, l.max_subgroup_size);
    return joined(wrong, "; ");
  }

  Found memory() {
    // There and back at odd places, with poison around that has to stay.
    Numbers numbers;
    Buffer b = TRY(buffer(1 << 20));
    for (const uint64_t offset : {0u, 5u, 4096u - 3u, (1u << 20) - 1001u}) {
      std::vector<std::byte> sent(1001), back(sent.size());
      for (std::byte& x : sent) x = std::byte(numbers.next());
      TRY(b.upload(sent, offset, wait_));
      TRY(b.download(back, offset, wait_));
      if (fault_) back[7] = ~back[7];
      if (sent != back) return fmt::format("1001 bytes at {} came back other than they were sent", offset);
    }
    TRY(b.fill(kPoison, wait_));
    const Words filled = TRY(b.contents<uint32_t>(wait_));
    for (size_t i = 0; i < filled.size(); ++i)
      if (filled[i] != kPoison) return fmt::format("a fill left {:#x} at word {}", filled[i], i);
    return std::string();
  }

  /// The last word of buffers as large as may be; where it is lost, the largest half that keeps it is named.
  Found large_buffers() {
    const DeviceLimits& l = info().limits;
    const uint64_t most = device_.is_software() ? uint64_t{64} << 20 : (uint64_t{4} << 30) - 4;
    Buffer given = TRY(buffer_of({0x12345678}));
    std::string wrong;
    for (uint64_t bytes =
             std::min({most, l.max_storage_buffer_bytes, l.max_allocation_bytes, l.device_memory_bytes / 4});
         bytes >= 1 << 20; bytes /= 2) {
      bytes = bytes / 4 * 4;
      Result<Buffer> allocated = buffer(bytes);
      if (!allocated && allocated.error().kind == ErrorKind::out_of_memory) continue;  // others use it
      Buffer large = TRY(std::move(allocated));
      Execution last = TRY(execution({.source = {"last", {}}, .size = 1}, given, large));
      TRY(last.run(wait_));
      uint32_t end = 0, begin = 0;
      TRY(large.download(std::as_writable_bytes(std::span(&end, 1)), bytes - 4, wait_));
      TRY(large.download(std::as_writable_bytes(std::span(&begin, 1)), 0, wait_));
      const std::string size = fmt::format("{} MiB", bytes >> 20);
      if (end == 0x12345678 && begin == kPoison) {
        if (wrong.empty())
          note = "to " + size;
        else
          relies = "buffers beyond " + size, wrong += fmt::format("; of {} it is right", size);
        break;
      }
      if (wrong.empty())
        wrong = fmt::format(
            "of a buffer of {} the last word is {:#x} and the first {:#x}, where {:#x} and {:#x} were written", size,
            end, begin, 0x12345678, kPoison);
    }
    return wrong;
  }

  Found timestamps() {
    constexpr int kLooks = 16;
    constexpr double kLongNs = 20e6, kLeastShare = 0.5, kSlack = 1.05, kSlackNs = 1e6;
    // A host that is busy takes longer, and never less, than the device: the best of several looks counts.
    double ns = 0, wall = 0;
    std::string why;
    uint32_t groups = 16;
    for (int look = 0; look < kLooks; ++look) {
      ns = TRY(spin_ns(groups, wall));
      if (fault_) ns /= 1000;
      if (ns < 0 || ns > wall * kSlack + kSlackNs)
        return fmt::format("the device's timestamps say {:.3g} ms for what took the host {:.3g} ms in all", ns / 1e6,
                           wall / 1e6);
      why = fmt::format("the device's timestamps say {:.3g} ms for work that took the host {:.3g} ms", ns / 1e6,
                        wall / 1e6);
      if (wall >= kLongNs && ns >= kLeastShare * wall) {
        note = fmt::format("{:g} ns a tick, {} bits; {:.3g} ms of {:.3g} ms by the host's clock",
                           info().limits.timestamp_period_ns, info().limits.timestamp_valid_bits, ns / 1e6, wall / 1e6);
        break;
      }
      if (look == kLooks - 1) return why;
      // Long enough that neither a launch nor a wait counts; then the same again.
      const double more = std::clamp(1.5 * kLongNs / std::max(wall, 1.0), 1.0, 16.0);
      groups = uint32_t(std::min(double(groups) * more, double(1u << 25)));
    }
    // Many in one submit: each after the one before.
    Buffer given = TRY(buffer_of({1, 64}));
    Buffer found = TRY(buffer(64 * 4));
    Execution spin = TRY(execution({.source = {"spin", {}}}, given, found));
    const auto start = Clock::now();
    const std::vector<double> all = TRY(spin.sample({.samples = 500}, wait_));
    const double spent = 1e6 * ms_since(start) * kSlack + kSlackNs;
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    return sum <= spent ? std::string()
                        : fmt::format(
                              "500 short dispatches take {:.3g} ms by timestamps and {:.3g} ms by the host's clock: an "
                              "end came before its begin",
                              sum / 1e6, spent / 1e6);
  }

  Found shared_memory() {
    const DeviceLimits& l = info().limits;
    const uint32_t size = std::min(l.max_workgroup_invocations, l.max_workgroup_size[0]);
    const uint32_t count = l.max_shared_bytes / 4;
    const Words wrong = TRY(words({.source = {"shared", {}, {}, {{1, count}}}, .size = size}, {77}, size));
    for (uint32_t i = 0; i < size; ++i)
      if (wrong[i] != 0)
        return fmt::format("invocation {} of {} read {} words wrong of {} B of shared memory", i, size, wrong[i],
                           l.max_shared_bytes);
    note = fmt::format("{} B, {} invocations", l.max_shared_bytes, size);
    return std::string();
  }

  Found grid() {
    constexpr std::array<uint32_t, 3> kGrid{65535, 2, 2};
    const uint32_t all = kGrid[0] * kGrid[1] * kGrid[2];
    const Words got = TRY(words({.source = {"grid", {}}, .size = 1, .grid = kGrid}, {5}, 2, 0));
    uint32_t sum = 0;
    for (uint32_t place = 0; place < all; ++place) sum += place * 2654435761u + 5;
    if (got[0] != all) return fmt::format("{} of {} workgroups ran", got[0], all);
    return got[1] == sum ? std::string() : std::string("workgroups ran at other places than those of the grid");
  }

  Found floats() {
    constexpr uint32_t kSize = 32;
    Words given;
    for (uint32_t i = 0; i < kSize; ++i) given.push_back(as_word((double(i) - 15.5) * 0.75));
    given.push_back(as_word(-std::numeric_limits<double>::infinity()));
    const Words got = TRY(words({.source = {"floats", {}}, .size = kSize}, given, kSize * 8));
    constexpr const char* kNames[] = {"fma(x, x, 1)", "exp2(x)",    "1 / x",          "sqrt(|x|)",
                                      "max(-Inf, x)", "exp2(-Inf)", "exp2(-Inf - x)", "exp(x)"};
    for (uint32_t i = 0; i < kSize; ++i) {
      const double x = as_float(given[i]);
      const double expected[] = {x * x + 1, std::exp2(x), 1 / x, std::sqrt(std::abs(x)), x, 0, 0, std::exp(x)};
      for (uint32_t k = 0; k < 8; ++k)
        // 3 + 2 |x| ulp of exp2, and more of exp: Vulkan's own bounds, rounded up.
        if (const double is = as_float(got[i * 8 + k]); !(std::abs(is - expected[k]) <= 1e-5 * std::abs(expected[k])))
          return fmt::format("{} of x = {:g} is {:g}, not {:g}", kNames[k], x, is, expected[k]);
    }
    return std::string();
  }

  Found halves() {
    constexpr uint32_t kSize = 32;
    Words given;
    for (uint32_t i = 0; i < kSize; ++i) given.push_back(as_word(double(i) + 1));
    given.push_back(as_word(1));
    const Words got = TRY(words({.source = {"halves", {}}, .size = kSize}, given, kSize * 6));
    for (uint32_t i = 0; i < kSize; ++i) {
      const double x = i + 1;
      const double expected[] = {x + 1000, x * x, x + 1000, -x - 1000, x};
      constexpr const char* kNames[] = {"a sum", "a product", "a sum of pairs", "the other sum of pairs", "a maximum"};
      for (uint32_t k = 0; k < 5; ++k)
        if (const double is = as_float(got[i * 6 + k]); !(is == expected[k]))
          return fmt::format("{} in f16 from {:g} is {:g}, not {:g}", kNames[k], x, is, expected[k]);
      if (got[i * 6 + 5] >> 16 != 0x3c00)
        return fmt::format("a pair of f16 has the bits {:#x}, where the upper one is 1 (0x3c00)", got[i * 6 + 5]);
    }
    return std::string();
  }

  Found storage(const char* type, uint32_t bytes) {
    constexpr uint32_t kSize = 64, kGroups = 8;
    Numbers numbers;
    Words given(kSize * kGroups * bytes / 4);
    for (uint32_t& word : given) word = (numbers.next() | numbers.next() << 16) & 0x3bff3bff;  // finite as f16, too
    const Words got = TRY(words({.source = {"storage", {}, {{"TYPE", type}}}, .size = kSize, .grid = {kGroups, 1, 1}},
                                given, given.size()));
    const auto* sent = reinterpret_cast<const std::byte*>(given.data());
    const auto* back = reinterpret_cast<const std::byte*>(got.data());
    const uint32_t count = kSize * kGroups;
    for (uint32_t i = 0; i < count; ++i)
      if (std::memcmp(back + size_t{i} * bytes, sent + size_t{count - 1 - i} * bytes, bytes) != 0)
        return fmt::format("element {} of {} of {} bytes differs from what was written there", i, count, bytes);
    return std::string();
  }

  Found full_subgroups() {
    const DeviceLimits& l = info().limits;
    for (uint32_t size = l.min_subgroup_size; size <= l.max_subgroup_size; size *= 2) {
      const std::string wrong = TRY(subgroup("", size));
      if (!wrong.empty()) return fmt::format("with subgroups of {} asked for, {}", size, wrong);
      note += fmt::format("{}{}", note.empty() ? "sizes " : ", ", size);
    }
    return std::string();
  }

  Found subgroup(const char* operation, uint32_t size = 0) {
    constexpr uint32_t kWords = 10;
    const uint32_t count = std::max(2 * std::max(size, info().limits.subgroup_size), 64u);
    Numbers numbers;
    Words given;
    for (uint32_t i = 0; i < count; ++i) given.push_back(numbers.next() % 1000);
    Run run{.source = {"subgroup", {}}, .size = std::min(count, info().limits.max_workgroup_invocations)};
    run.source.subgroup_size = size;
    const std::string_view what = operation;
    for (const char* name : {"SHUFFLE", "ARITHMETIC", "CLUSTERED", "VOTE", "BALLOT"})
      run.source.defines.emplace_back(name, what == name ? "1" : "0");
    const Words got = TRY(words(run, given, run.size * kWords));
    // By subgroup, the value of each lane.
    std::map<uint32_t, std::map<uint32_t, uint32_t>> values;
    for (uint32_t i = 0; i < run.size; ++i) {
      const uint32_t id = got[i * kWords], lane = got[i * kWords + 1], is = got[i * kWords + 2];
      if (is == 0 || lane >= is || id >= got[i * kWords + 3] || (size != 0 && is != size))
        return fmt::format("invocation {} has subgroup {} of {} and lane {} of {}", i, id, got[i * kWords + 3], lane,
                           is);
      if (!values[id].emplace(lane, given[i]).second)
        return fmt::format("two invocations of subgroup {} have lane {}", id, lane);
    }
    if (size != 0)
      for (const auto& [id, lanes] : values)
        if (lanes.size() != size) return fmt::format("subgroup {} has {} of {} lanes", id, lanes.size(), size);
    for (uint32_t i = 0; i < run.size; ++i) {
      const auto& lanes = values[got[i * kWords]];
      const uint32_t lane = got[i * kWords + 1], all = got[i * kWords + 2];
      std::array<std::optional<uint32_t>, 6> expected;
      const auto of = [&](uint32_t other) {
        const auto at = lanes.find(other);
        return other < all && at != lanes.end() ? std::optional(at->second) : std::nullopt;
      };
      uint32_t sum = 0, most = 0, least = ~0u, before = 0, odd = 0, odd_before = 0, cluster = 0, cluster_most = 0;
      for (const auto& [other, x] : lanes) {
        sum += x, most = std::max(most, x), least = std::min(least, x), odd += x & 1;
        if (other < lane) before += x, odd_before += x & 1;
        if (other / 4 == lane / 4) cluster += x, cluster_most = std::max(cluster_most, x);
      }
      const uint32_t mine = *of(lane);
      if (what == "SHUFFLE")
        expected = {of(all - 1 - lane), of(lane ^ 1), of(lane ^ (all / 2)), lane == 0 ? std::nullopt : of(lane - 1),
                    of(lane + 1),       of(lane ^ 1)};
      else if (what == "ARITHMETIC")
        expected = {sum, most, least, before + mine, before, most};
      else if (what == "CLUSTERED")
        expected = {cluster, cluster_most};
      else if (what == "VOTE")
        expected = {1u, uint32_t(lanes.contains(0)), uint32_t(lanes.size() == 1 && lane == 0), 0u};
      else if (what == "BALLOT")
        expected = {lanes.begin()->second, odd, odd_before};
      for (uint32_t k = 0; k < 6; ++k)
        if (expected[k] && got[i * kWords + 4 + k] != *expected[k])
          return fmt::format("operation {} gives lane {} of {} the value {}, not {}", k + 1, lane, all,
                             got[i * kWords + 4 + k], *expected[k]);
    }
    return std::string();
  }

  Found matrix(const MatrixShape& s) {
    using vulkan::MatrixType, vulkan::matrix_type;
    const MatrixType *a = matrix_type(s.a), *b = matrix_type(s.b), *c = matrix_type(s.c);
    const uint32_t lanes = info().limits.subgroup_size;
    Run run{.source = {"matrix", {}, {{"A_TYPE", a->glsl}, {"B_TYPE", b->glsl}, {"C_TYPE", c->glsl}}}, .size = lanes};
    if (info().has("subgroup_size_control")) run.source.subgroup_size = lanes;
    vulkan::set_matrix_sizes(run.source, s, 1);
    // Integers whose sums every type holds exactly; B lies column by column.
    Numbers numbers;
    std::vector<double> values(size_t{s.m} * s.k + size_t{s.k} * s.n + size_t{s.m} * s.n);
    const size_t b_at = size_t{s.m} * s.k, c_at = b_at + size_t{s.k} * s.n;
    for (size_t i = 0; i < values.size(); ++i) {
      const MatrixType& type = i < b_at ? *a : i < c_at ? *b : *c;
      values[i] = double(numbers.next() % 5) - (type.is_signed && c->is_signed ? 2 : 0);
    }
    const Words given = mapped(values, as_word);
    const size_t mn = size_t{s.m} * s.n;
    const Words got = TRY(words(run, given, 2 * mn));
    for (uint32_t row = 0; row < s.m; ++row)
      for (uint32_t col = 0; col < s.n; ++col) {
        double sum = values[c_at + size_t{row} * s.n + col];
        for (uint32_t k = 0; k < s.k; ++k) sum += values[size_t{row} * s.k + k] * values[b_at + size_t{col} * s.k + k];
        const float by_rows = as_float(got[size_t{row} * s.n + col]),
                    by_columns = as_float(got[mn + size_t{col} * s.m + row]);
        if (by_rows != sum || by_columns != sum)
          return fmt::format("row {}, column {} is {:g} (stored by rows) and {:g} (by columns), not {:g}", row, col,
                             by_rows, by_columns, sum);
      }
    return std::string();
  }

  std::string note;    ///< what was looked at
  std::string relies;  ///< what alone relies on it, where that is not a variant

 private:
  /// Times so many spinning workgroups, on the device and on the host.
  Result<double> spin_ns(uint32_t groups, double& wall_ns) {
    Buffer given = TRY(buffer_of({1, 4096}));
    Buffer found = TRY(buffer(64 * 4));
    constexpr uint32_t kAcross = 1024;
    Run run{.source = {"spin", {}}};
    run.grid = {std::min(groups, kAcross), (groups + kAcross - 1) / kAcross, 1};
    Execution spin = TRY(execution(run, given, found));
    TRY(spin.run(wait_));  // some drivers compile now
    const auto start = Clock::now();
    auto ns = TRY(spin.sample({.samples = 1}, wait_));
    wall_ns = 1e6 * ms_since(start);
    return ns.front();
  }

  const vulkan::Device& device_;
  const bool fault_;
  const vulkan::Wait& wait_;
};

std::string matrix_name(const MatrixShape& s) {
  return fmt::format("matrix {}x{}x{} {}*{}+{} -> {} ({})", s.m, s.n, s.k, s.a, s.b, s.c, s.result, s.scope);
}
std::string why_no_matrix(const DeviceInfo& info, const MatrixShape& s) {
  if (s.scope != "subgroup") return "only matrices of a subgroup are checked";
  if (s.c != s.result) return "only results of the type of C are checked";
  for (const std::string& type : {s.a, s.b, s.c})
    if (vulkan::matrix_type(type) == nullptr) return fmt::format("the shader language here has no type for {}", type);
  if (s.c == "bf16" || (s.a == "bf16") != (s.b == "bf16")) return "bf16 is checked as both operands alone";
  if (s.a == "bf16" && !info.has("coopmat_bfloat16")) return "the device has no matrices of bf16";
  return std::string();
}

struct Check {
  std::string name;
  std::vector<std::string> needs;  ///< features, of variants and of the check
  std::string why_not;             ///< it cannot be made here
  std::function<Found(Examiner&)> run;
  std::string dtype = {};
};

std::vector<Check> checks(const DeviceInfo& info) {
  const auto operation = [](const char* name) { return [name](Examiner& e) { return e.subgroup(name); }; };
  std::vector<Check> all{
      {"limits", {}, "", &Examiner::limits},
      {"memory", {}, "", &Examiner::memory},
      {"large buffers", {}, "", &Examiner::large_buffers},
      {"timestamps", {}, "", &Examiner::timestamps},
      {"shared memory", {}, "", &Examiner::shared_memory},
      {"grid", {}, "", &Examiner::grid},
      {"f32 arithmetic", {}, "", &Examiner::floats},
      {"f16 arithmetic", {"shader_f16"}, "", &Examiner::halves},
      {"16-bit storage", {"storage_16bit"}, "", [](Examiner& e) { return e.storage("uint16_t", 2); }},
      {"8-bit storage", {"storage_8bit"}, "", [](Examiner& e) { return e.storage("uint8_t", 1); }},
      {"full subgroups", {"subgroup_size_control"}, "", &Examiner::full_subgroups},
      {"subgroup shuffle", {"subgroup_shuffle"}, "", operation("SHUFFLE")},
      {"subgroup arithmetic", {"subgroup_arithmetic"}, "", operation("ARITHMETIC")},
      {"subgroup clusters", {"subgroup_clustered"}, "", operation("CLUSTERED")},
      {"subgroup vote", {"subgroup_vote"}, "", operation("VOTE")},
      {"subgroup ballot", {"subgroup_ballot"}, "", operation("BALLOT")},
  };
  if (info.matrix_shapes.empty())
    all.push_back({"matrices", {"coopmat"}, "the device advertises no matrix shapes", nullptr});
  for (const MatrixShape& s : info.matrix_shapes)
    all.push_back({matrix_name(s), {"coopmat"}, why_no_matrix(info, s), [s](Examiner& e) { return e.matrix(s); }, s.a});
  return all;
}

}  // namespace

std::vector<std::string> checks_of(const DeviceInfo& info) { return mapped(checks(info), &Check::name); }

CheckResult failed(const DeviceInfo& info, const std::string& name, const std::string& why) {
  const std::vector<Check> all = checks(info);
  const Check* check = find_by(all, name, &Check::name);
  if (check == nullptr) return {name, CheckOutcome::fail, why, {}, {}};
  return {name, CheckOutcome::fail, why, check->needs, check->dtype};
}

Result<CheckResult> examine(const vulkan::Device& device, const std::string& name, bool fault,
                            const vulkan::Wait& wait) {
  const std::vector<Check> all = checks(device.info());
  const Check* check = find_by(all, name, &Check::name);
  if (check == nullptr) return bad_input("There is no check '{}' of this device.", name);
  CheckResult result{name, CheckOutcome::unsupported, check->why_not, check->needs, check->dtype};
  for (const std::string& feature : check->needs)
    if (!device.info().has(feature)) result.text = fmt::format("the device lacks {}", feature);
  if (!result.text.empty()) return result;
  Examiner examiner(device, fault, wait);
  const Found wrong = check->run(examiner);
  if (!wrong && (wrong.error().kind == ErrorKind::cancelled || wrong.error().kind == ErrorKind::device_lost))
    return wrong.error();
  result.outcome = wrong && wrong->empty() ? CheckOutcome::pass : CheckOutcome::fail;
  if (!examiner.relies.empty()) result.needs = {examiner.relies};
  result.text = !wrong ? wrong.error().message : wrong->empty() ? examiner.note : *wrong;
  return result;
}

}  // namespace attnscope::doctor
