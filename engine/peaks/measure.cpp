#include "engine/peaks/measure.hpp"

#include "engine/measure/statistics.hpp"

namespace attnscope::peaks {
namespace {

using vulkan::Buffer;
using vulkan::Execution;
using vulkan::Pipeline;
using vulkan::push_of;

constexpr uint32_t kWorkgroup = 256;
constexpr uint32_t kChains = 8;  // of fma.comp and exp2.comp, by their constants
constexpr uint32_t kUnroll = 16;
constexpr uint32_t kSteps = 2048;  // of a chain; f16 counts exactly from -1024 - 16 to 1024 + 16
constexpr uint32_t kKept = 4096;   // results that are kept, a multiple of the workgroup
constexpr double kSubmitMs = 300;  // of one submit at most; drivers' watchdogs bite at 2 s
constexpr double kStillRising = 1.01;
constexpr uint32_t kMostGroups = 65535;  // along one axis, on any device

bool fatal(const Error& e) { return e.kind == ErrorKind::cancelled || e.kind == ErrorKind::device_lost; }

class Measurer {
 public:
  Measurer(const vulkan::Device& device, const Effort& effort, const vulkan::Wait& wait)
      : device_(device), info_(device.info()), effort_(effort), wait_(wait) {}

  using Made = std::function<Result<Execution>(uint32_t groups)>;

  /// Samples, in ns, of one execution, and the work in one.
  struct TimedSamples {
    std::vector<double> ns;
    double work = 0;
  };

  Result<TimedSamples> sample(const Execution& execution, double work, const vulkan::SampleRequest& how) {
    double spent_ns = 0;
    vulkan::SampleRequest few = how;
    few.samples = 3;
    double before = 0;
    // A clock that still rises makes the next batch faster than the one before.
    for (bool settled = false; !settled || spent_ns < effort_.warmup_ms * 1e6;) {
      auto ns = TRY(execution.sample(few, wait_));
      const double now = median_of(ns);
      spent_ns += now * few.repetitions * few.samples;
      settled = before > 0 && now > before / kStillRising;
      if (spent_ns > 10 * effort_.warmup_ms * 1e6 + 1e6) settled = true;
      before = now;
    }
    TimedSamples timed{{}, work};
    while (timed.ns.size() < effort_.samples) {
      vulkan::SampleRequest some = how;
      const double left = double(effort_.samples - timed.ns.size());
      some.samples = uint32_t(std::clamp(kSubmitMs * 1e6 / (before * how.repetitions), 1.0, left));
      auto ns = TRY(execution.sample(some, wait_));
      timed.ns.insert(timed.ns.end(), ns.begin(), ns.end());
    }
    return timed;
  }

  /// Doubles the workgroups until a dispatch takes long enough and its rate rises no more, then samples it.
  Result<TimedSamples> saturate(const Made& make, double work_per_group, const std::function<Result<void>()>& check) {
    double best = 0;
    for (uint32_t groups = std::max(8u, info_.limits.core_count);; groups *= 2) {
      groups = std::min(groups, kMostGroups);
      auto execution = TRY(make(groups));
      if (best == 0) {
        // Also compiles, where the driver does so when a pipeline first runs.
        TRY(execution.run(wait_));
        TRY(check());
      }
      auto ns = TRY(execution.sample({.samples = 3}, wait_));
      const double one = median_of(ns), rate = groups / one;
      const bool enough = one >= effort_.target_ms * 1e6 && rate < best * kStillRising;
      best = std::max(best, rate);
      if (!enough && groups < kMostGroups && one < 50 * effort_.target_ms * 1e6) continue;
      auto timed = TRY(sample(execution, work_per_group * groups, {}));
      TRY(check());
      return timed;
    }
  }

  Result<Pipeline> pipeline(vulkan::KernelSource source) {
    source.text = kernels(source.name);
    return vulkan::make_pipeline(device_, source);
  }
  Result<Buffer> buffer(uint64_t bytes, uint32_t word = 0) {
    auto made = TRY(Buffer::create(device_, bytes, true));
    TRY(made.fill(word, wait_));
    return made;
  }

  Result<TimedSamples> copy(uint64_t bytes, uint32_t repetitions) {
    auto from = TRY(buffer(bytes));
    auto to = TRY(buffer(bytes));
    auto wrong = TRY(buffer(4));
    const uint32_t vectors = uint32_t(bytes / 16);
    const auto grid = [&](uint32_t per_group) {
      const uint32_t groups = vectors / per_group, width = std::min(groups, 32768u);
      return std::array<uint32_t, 3>{width, groups / width, 1};
    };
    const auto pattern = [&](const Buffer& words, uint32_t check) -> Result<void> {
      auto made = TRY(pipeline({"pattern", {}, {}, {{0, kWorkgroup}, {1, check}}}));
      const auto g = grid(kWorkgroup);
      auto execution = TRY(Execution::create(device_, {{made, g, push_of(g[0]), {{0, words}, {1, wrong}}}}));
      TRY(execution.run(wait_));
      return {};
    };
    TRY(pattern(from, 0));
    // How many loads an invocation has under way, and so how many workgroups there are, is a matter of the device.
    std::optional<TimedSamples> best;
    for (const uint32_t items : device_.is_software() ? std::vector<uint32_t>{4} : std::vector<uint32_t>{1, 2, 4, 8}) {
      auto made = TRY(pipeline({"copy", {}, {}, {{0, kWorkgroup}, {1, items}}}));
      const auto g = grid(kWorkgroup * items);
      auto execution = TRY(Execution::create(device_, {{made, g, push_of(g[0]), {{0, from}, {1, to}}}}));
      TRY(to.fill(0, wait_));
      auto timed = sample(execution, 2.0 * double(bytes), {.repetitions = repetitions, .back_to_back = true});
      if (!timed) return timed;
      TRY(pattern(to, 1));
      auto count = TRY(wrong.contents<uint32_t>(wait_));
      if (count[0] != 0) return internal_error("{} of {} vectors were not copied", count[0], vectors);
      if (!best || median_of(timed->ns) < median_of(best->ns)) best = std::move(*timed);
    }
    return *best;
  }

  /// A kernel that leaves one number for each of the first kKept invocations; `expected(lane of its workgroup)`.
  Result<TimedSamples> sums(const vulkan::KernelSource& source, std::vector<std::byte> push, double work_per_group,
                            double tolerance, const std::function<double(uint32_t)>& expected) {
    auto made = TRY(pipeline(source));
    const Buffer kept = TRY(buffer(kKept * 4, ~0u));  // NaN
    const auto make = [&](uint32_t groups) {
      return Execution::create(device_, {{made, {groups, 1, 1}, push, {{0, kept}}}});
    };
    const auto check = [&]() -> Result<void> {
      auto got = TRY(kept.contents<float>(wait_));
      const size_t written = std::min<size_t>(kKept, size_t{kWorkgroup} * std::max(8u, info_.limits.core_count));
      for (uint32_t i = 0; i < written; ++i)
        if (const double want = expected(i % kWorkgroup); !(std::abs(got[i] - want) <= tolerance))
          return internal_error("its result is wrong: invocation {} has {}, not {}", i, got[i], want);
      return kept.fill(~0u, wait_);
    };
    return saturate(make, work_per_group, check);
  }

  Result<TimedSamples> fma(const std::string& type) {
    const bool pairs = type == "f16 pairs", half = type != "f32";
    const float start = -float(kSteps) / 2;
    const double lanes = pairs ? 2 : 1;
    const vulkan::KernelSource source{"fma",
                                      {},
                                      {{"HALF", half ? "1" : "0"}, {"PAIRS", pairs ? "1" : "0"}},
                                      {{0, kWorkgroup}, {1, kChains}, {2, kUnroll}}};
    const double work = 2.0 * kWorkgroup * kSteps * kChains * lanes;
    return sums(source, push_of(kSteps / kUnroll, 1.0f, 1.0f, start, kKept), work, 0, [&](uint32_t lane) {
      double sum = 0;
      for (uint32_t c = 0; c < kChains; ++c) sum += lanes * (double(start) + (lane & 7) + c + kSteps);
      return sum;
    });
  }

  Result<TimedSamples> exp2() {
    const vulkan::KernelSource source{"exp2", {}, {}, {{0, kWorkgroup}, {1, kChains}, {2, kUnroll}}};
    const double work = double(kWorkgroup) * kSteps * kChains;
    return sums(source, push_of(kSteps / kUnroll, kKept), work, 1e-3, [&](uint32_t) {
      double x = 0;
      for (int i = 0; i < 100; ++i) x = std::exp2(-x);
      return kChains * x;
    });
  }

  Result<TimedSamples> shared() {
    constexpr uint32_t kRounds = 256, kStep = 40, kRow = 128, kRows = 8;
    const double work = 16.0 * kWorkgroup * kRounds * kRows;
    return sums({"shared", {}, {}, {{0, kWorkgroup}}}, push_of(kRounds, kStep, kKept), work, 0, [](uint32_t lane) {
      double sum = 0;
      uint32_t at = lane % kRow;
      for (uint32_t r = 0; r < kRounds; ++r, at = (at + kStep) % kRow)
        for (uint32_t u = 0; u < kRows; ++u) {
          const uint32_t i = u * kRow + at;
          sum += (i & 3) + (i & 1) + ((i >> 3) & 1) + 1;
        }
      return sum;
    });
  }

  /// Samples of one dispatch that does nothing; `work` is 1.
  Result<TimedSamples> launch(bool barriers) {
    auto made = TRY(pipeline({"empty", {}, {}, {{0, 32}}}));
    auto count = TRY(buffer(4));
    const auto execution = [&](uint32_t add) {
      return Execution::create(device_, {{made, {1, 1, 1}, push_of(add), {{0, count}}}});
    };
    auto counting = TRY(execution(1));
    auto empty = TRY(execution(0));
    constexpr uint32_t kRepetitions = 200;
    TRY(counting.sample({.samples = 1, .repetitions = kRepetitions, .back_to_back = !barriers}, wait_));
    auto got = TRY(count.contents<uint32_t>(wait_));
    if (got[0] != kRepetitions) return internal_error("{} of {} dispatches were carried out", got[0], kRepetitions);
    return sample(empty, 1, {.repetitions = kRepetitions, .back_to_back = !barriers});
  }

  Result<TimedSamples> matrix(const MatrixShape& shape);

  const DeviceInfo& info() const { return info_; }

 private:
  const vulkan::Device& device_;
  const DeviceInfo& info_;
  const Effort& effort_;
  const vulkan::Wait& wait_;
};

Result<Measurer::TimedSamples> Measurer::matrix(const MatrixShape& s) {
  const vulkan::MatrixType *a = vulkan::matrix_type(s.a), *c = vulkan::matrix_type(s.c);
  if (s.scope != "subgroup") return unsupported("only matrices of a subgroup are measured");
  if (s.a != s.b || s.c != s.result)
    return unsupported("only equal types of A and B, and of C and the result, are measured");
  if (a == nullptr || c == nullptr)
    return unsupported("the shader language here has no type for {}", a == nullptr ? s.a : s.c);
  constexpr uint32_t kSubgroups = 4, kMatrixRounds = 512;
  const uint32_t lanes = info_.limits.subgroup_size;
  if (s.c == "bf16") return unsupported("sums of bf16 are not measured");
  if (s.a == "bf16" && !info_.has("coopmat_bfloat16")) return unsupported("the device has no matrices of bf16");
  vulkan::KernelSource source{.name = "matrix",
                              .text = {},
                              .defines = {{"A_TYPE", a->glsl}, {"C_TYPE", c->glsl}},
                              .constants = {{0, kSubgroups * lanes}, {1, lanes}},
                              .subgroup_size = info_.has("subgroup_size_control") ? lanes : 0};
  vulkan::set_matrix_sizes(source, s, 2);
  auto made = TRY(pipeline(source));

  // Numbers that look random, as real ones do: matrix units clock higher where they switch less. Eighths between -1 and
  // 1: their products and 512 rounds of sums are exact in f32. Sums of 16 bits hold no such: there B1 = -B0.
  const size_t mk = size_t{s.m} * s.k, kn = size_t{s.k} * s.n;
  std::vector<float> numbers(mk + 2 * kn);
  uint32_t state = 1;
  for (float& x : numbers) {
    state = state * 1664525u + 1013904223u;
    const int eighths = int((state >> 16) % 17) - 8;
    x = a->whole ? float(a->is_signed ? eighths : std::abs(eighths)) : float(eighths) / 8;
  }
  const bool narrow = s.c == "f16" || s.c == "s16" || s.c == "u16";
  if (narrow)
    for (size_t i = 0; i < kn; ++i) numbers[mk + kn + i] = -numbers[mk + i];
  auto data = TRY(buffer(numbers.size() * sizeof(float)));
  TRY(data.upload(std::as_bytes(std::span(numbers)), 0, wait_));

  constexpr uint32_t kKeptMatrices = 32;
  const size_t mn = size_t{s.m} * s.n;
  auto results = TRY(buffer(kKeptMatrices * mn * sizeof(float), ~0u));
  std::vector<double> expected(mn);
  for (uint32_t row = 0; row < s.m; ++row)
    for (uint32_t col = 0; col < s.n; ++col) {
      double d0 = 0, d1 = 0;
      for (uint32_t i = 0; i < s.k; ++i) {
        const double x = numbers[row * s.k + i];
        d0 += x * numbers[mk + i * s.n + col];
        d1 += x * numbers[mk + kn + i * s.n + col];
      }
      expected[row * s.n + col] = kChains * kMatrixRounds * (d0 + d1) + d0 + kChains * (kChains - 1) / 2.0;
    }
  constexpr double relative = 1e-3;
  const auto check = [&]() -> Result<void> {
    auto got = TRY(results.contents<float>(wait_));
    for (size_t i = 0; i < got.size(); ++i)
      if (const double want = expected[i % mn]; !(std::abs(got[i] - want) <= relative * (kChains + std::abs(want))))
        return internal_error("its result is wrong: element {} of matrix {} is {}, not {}", i % mn, i / mn, got[i],
                              want);
    return results.fill(~0u, wait_);
  };
  const auto make = [&](uint32_t groups) {
    return Execution::create(
        device_, {{made, {groups, 1, 1}, push_of(kMatrixRounds, kKeptMatrices), {{0, data}, {1, results}}}});
  };
  return saturate(make, 2.0 * double(mn) * s.k * kChains * kMatrixRounds * 2 * kSubgroups, check);
}

/// The largest power of two that fits the device, at most `wanted`.
uint64_t copy_bytes(const DeviceInfo& device, uint64_t wanted) {
  const DeviceLimits& l = device.limits;
  const uint64_t fits =
      std::min({wanted, l.max_storage_buffer_bytes, l.max_allocation_bytes, l.device_memory_bytes / 4});
  uint64_t bytes = uint64_t{1} << 20;
  while (bytes * 2 <= fits) bytes *= 2;
  return bytes;
}

}  // namespace

Effort usual_effort(const DeviceInfo& device) {
  if (device.type != DeviceType::software) return {};
  return {.warmup_ms = 5, .target_ms = 5, .samples = 5, .copy_bytes = uint64_t{1} << 26};
}

Result<Peaks> measure(const vulkan::Device& device, const Effort& effort,
                      const std::function<void(const std::string&)>& stage, const vulkan::Wait& wait) {
  const DeviceInfo& info = device.info();
  Measurer measurer(device, effort, wait);
  Peaks peaks{info.name, info.device_uuid, info.driver, kernels.hash(), {}, {}};

  std::optional<Error> end;
  /// `value` makes the ceiling of the median time and the work.
  const auto take = [&](Ceiling c, const auto& value, const auto& timed) {
    if (end) return;
    stage(to_text(c));
    Result<Measurer::TimedSamples> got = timed();
    if (!got && fatal(got.error())) end = got.error();
    if (!got) {
      c.why_not = got.error().message;
    } else {
      const Statistics s = *summarize(got->ns);
      c.value = value(s.median, got->work);
      c.spread = (s.p80 - s.p20) / s.median;
      if (!(*c.value > 0)) {
        c.value.reset();
        c.why_not = "too little to be told from the noise";
      }
    }
    peaks.ceilings.push_back(std::move(c));
  };
  const auto giga = [](double ns, double work) { return work / ns; };
  const auto tera = [](double ns, double work) { return work / ns * 1e-3; };

  const uint64_t bytes = copy_bytes(info, effort.copy_bytes);
  take({.kind = CeilingKind::copy}, giga, [&] { return measurer.copy(bytes, 1); });
  take({.kind = CeilingKind::cache}, giga, [&] { return measurer.copy(uint64_t(kCacheBytes / 2), 32); });
  for (const char* type : {"f32", "f16", "f16 pairs"})
    take({.kind = CeilingKind::fma, .type = type}, tera, [&]() -> Result<Measurer::TimedSamples> {
      if (std::string_view(type) == "f32" || info.has("shader_f16")) return measurer.fma(type);
      return unsupported("the device lacks shader_f16, arithmetic in f16");
    });
  for (const MatrixShape& s : info.matrix_shapes) {
    const Ceiling c{.kind = CeilingKind::matrix, .type = s.a, .accumulate = s.c, .m = s.m, .n = s.n, .k = s.k};
    const bool known =
        std::ranges::any_of(peaks.ceilings, [&](const Ceiling& o) { return to_text(o) == to_text(c) && o.value; });
    if (!known) take(c, tera, [&] { return measurer.matrix(s); });
  }
  if (info.matrix_shapes.empty())
    peaks.ceilings.push_back({.kind = CeilingKind::matrix, .why_not = "the device advertises no matrix shapes"});
  take({.kind = CeilingKind::exp2}, giga, [&] { return measurer.exp2(); });
  take({.kind = CeilingKind::shared}, giga, [&] { return measurer.shared(); });
  double launch_us = 0;
  const auto micro = [&](double ns, double) { return ns * 1e-3 - launch_us; };
  take({.kind = CeilingKind::launch}, micro, [&] { return measurer.launch(false); });
  if (!end) launch_us = peaks.ceilings.back().value.value_or(0);
  take({.kind = CeilingKind::barrier}, micro, [&] { return measurer.launch(true); });
  if (end) return *end;
  return peaks;
}

}  // namespace attnscope::peaks
