#include "engine/session/ahead.hpp"

#include <chrono>

#include "engine/clock.hpp"
#include "engine/session/prepared.hpp"
#include "engine/variant/planner.hpp"

namespace attnscope {

/// One thread's own planner.
class Ahead::Maker {
 public:
  explicit Maker(Ahead& all)
      : all_(all), planner_(all.variant_, all.request_.problem, all.device_.info(), all.compiler_) {}

  Candidate make(uint64_t index) {
    const auto start = Clock::now();
    Candidate candidate;
    candidate.index = index;
    fill(candidate);
    const double took = ms_since(start);
    candidate.compile_ms = took;
    return candidate;
  }

 private:
  void fill(Candidate& candidate) {
    Config config = default_config(all_.variant_);
    for (const auto& [name, value] : all_.request_.configs[candidate.index]) {
      const auto known = config.find(name);
      if (known == config.end()) {
        candidate.why = bad_input("There is no parameter '" + name + "'.");
        return;
      }
      known->second = value;
    }
    if (!asked_) {
      hopeless_ = planner_.refuse_problem();
      asked_ = true;
    }
    if (hopeless_) {
      candidate.why = hopeless_->error;
      return;
    }
    Plan plan;
    if (const auto refused = planner_.plan(config, plan)) {
      candidate.why = refused->error;
      return;
    }
    auto pipelines = pipelines_of(all_.device_, plan, all_.sliceable_);
    if (!pipelines) {
      candidate.why = pipelines.error();
      return;
    }
    candidate.pipelines = std::move(*pipelines);
    candidate.plan = std::move(plan);
  }

  Ahead& all_;
  Planner planner_;
  bool asked_ = false;
  std::optional<Refusal> hopeless_;
};

Ahead::Ahead(const vulkan::Device& device, const Variant& variant, const TrialsRequest& request, Compiler& compiler,
             bool sliceable, unsigned threads)
    : device_(device),
      variant_(variant),
      request_(request),
      compiler_(compiler),
      sliceable_(sliceable),
      most_waiting_(2 * size_t{threads}),
      left_(request.configs.size()) {
  if (threads == 0) own_ = std::make_unique<Maker>(*this);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Ahead::~Ahead() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Ahead::work() {
  Maker maker(*this);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return quit_ || ready_.size() < most_waiting_; });
    if (quit_ || begun_ >= request_.configs.size()) return;
    const uint64_t index = begun_++;
    lock.unlock();
    Candidate made = maker.make(index);
    lock.lock();
    ready_.push_back(std::move(made));
    changed_.notify_all();
  }
}

std::optional<uint64_t> Ahead::upcoming() const {
  if (!own_ || left_ == 0) return std::nullopt;
  return begun_;
}

bool Ahead::ready() {
  const std::lock_guard lock(mutex_);
  return own_ || left_ == 0 || !ready_.empty();
}

std::optional<Candidate> Ahead::next(double ms) {
  if (left_ == 0) return std::nullopt;
  if (own_) {
    --left_;
    return own_->make(begun_++);
  }
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double, std::milli> most(ms);
  if (!changed_.wait_for(lock, most, [this] { return !ready_.empty(); })) return std::nullopt;
  Candidate first = std::move(ready_.front());
  ready_.pop_front();
  --left_;
  changed_.notify_all();
  return first;
}

}  // namespace attnscope
