#include "engine/shader/compile_watch.hpp"

#include <chrono>

#include <fmt/format.h>

#include "engine/platform/system.hpp"

namespace attnscope {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);
/// Before, what the process grew by is as likely somebody else's: tensors of the CPU reference, another shader.
constexpr double kOwnGrowthAfter = 1;
/// The sanitizers' cost, mostly of allocations: the front end itself is not instrumented.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlower = 4;
#else
constexpr double kSlower = 1;
#endif

}  // namespace

CompileWatch::CompileWatch(const std::string& name, const CompileBudget& budget, const OnEndlessCompile& on_endless)
    : name_(name), budget_(budget), on_endless_(on_endless) {
  if (!on_endless_ || !(clock_ = cpu_clock())) return;
  began_s_ = clock_();
  began_bytes_ = resident_bytes();
  watcher_ = std::thread([this] { watch(); });
}

CompileWatch::~CompileWatch() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

void CompileWatch::watch() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kLook, [this] { return done_; })) {
    const double spent_s = clock_() - began_s_;
    if (spent_s > budget_.cpu_s * kSlower)
      return on_endless_(name_, fmt::format("compiling {} took more than {:g} s; do its macros or types double at each "
                                            "level?",
                                            name_, budget_.cpu_s * kSlower));
    if (spent_s > kOwnGrowthAfter && resident_bytes() > began_bytes_ + budget_.memory_bytes)
      return on_endless_(name_, fmt::format("compiling {} took more than {:.1f} GiB of memory; do its macros double at "
                                            "each level?",
                                            name_, static_cast<double>(budget_.memory_bytes) / (1 << 30)));
  }
}

}  // namespace attnscope
