// Pipelines made on other cores while the device measures.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/platform/system.hpp"
#include "engine/variant/plan.hpp"
#include "engine/vulkan/pipeline.hpp"

namespace attnscope {

/// A config ready to run, or why it never will be.
struct Candidate {
  uint64_t index = 0;
  std::optional<Plan> plan;  ///< absent: see `why`
  std::vector<vulkan::Pipeline> pipelines;
  Error why;
  double compile_ms = 0;
};

struct Wanted {
  std::shared_ptr<const Variant> variant;
  Problem problem;
  Config config;
  bool operator==(const Wanted&) const = default;
};

/// Makes, on threads of its own, the candidates of one request, then of later ones. What was begun is made to its end.
class Ahead {
 public:
  using Make = std::function<Candidate(const Wanted&)>;
  /// Each thread has a `maker()` of its own.
  Ahead(unsigned threads, std::function<Make()> maker) : maker_(std::move(maker)), most_waiting_(2 * size_t{threads}) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      quit_ = true;
    }
    changed_.notify_all();
  }

  /// In place of the request before, and of what was wanted later. `later` bounds the memory that this takes.
  void begin(std::vector<Wanted> asked, std::vector<Wanted> later) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Slot> before = std::exchange(later_, {});
      std::erase_if(before, [](const Slot& s) { return s.state != State::made; });
      for (Candidate& c : ready_) before.push_back({asked_[c.index].wanted, State::made, std::move(c)});
      for (const Wanted& w : running_) before.push_back({w, State::running, {}});
      asked_.clear();
      ready_.clear();
      const auto add = [&](std::vector<Slot>& slots, Wanted& wanted) {
        const auto known = std::ranges::find(before, wanted, &Slot::wanted);
        slots.push_back(known == before.end() ? Slot{std::move(wanted), State::open, {}} : std::move(*known));
        if (known != before.end()) before.erase(known);
      };
      for (Wanted& w : asked) add(asked_, w);
      for (Wanted& w : later) add(later_, w);
      for (size_t i = 0; i < asked_.size(); ++i)
        if (asked_[i].state == State::made) get_ready(i);
    }
    changed_.notify_all();
  }
  /// The request's next one, in the order in which they get ready, after `ms` at most.
  std::optional<Candidate> next(double ms) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double, std::milli> most(ms);
    if (!changed_.wait_for(lock, most, [this] { return !ready_.empty(); })) return std::nullopt;
    Candidate first = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
    return first;
  }
  bool ready() {
    const std::lock_guard lock(mutex_);
    return !ready_.empty();
  }
  /// All of the request are, or were given out.
  bool all_made() {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(asked_, [](const Slot& s) { return s.state == State::made; });
  }
  bool later_ready() {
    const std::lock_guard lock(mutex_);
    return find_by(later_, State::made, &Slot::state) != nullptr;
  }

 private:
  enum class State { open, running, made };
  struct Slot {
    Wanted wanted;
    State state = State::open;
    Candidate candidate;
  };
  void get_ready(size_t index) {
    asked_[index].state = State::made;
    asked_[index].candidate.index = index;
    ready_.push_back(std::move(asked_[index].candidate));
  }
  /// What is begun next; at most a few a thread wait for the device. nullptr: nothing.
  Slot* choose() {
    if (ready_.size() < most_waiting_)
      if (Slot* s = find_by(asked_, State::open, &Slot::state)) return s;
    return find_by(later_, State::open, &Slot::state);
  }
  void keep(const Wanted& wanted, Candidate candidate) {
    const auto waits = [&](const Slot& s) { return s.state == State::running && s.wanted == wanted; };
    if (const auto s = std::ranges::find_if(asked_, waits); s != asked_.end()) {
      s->candidate = std::move(candidate);
      get_ready(size_t(s - asked_.begin()));
    } else if (const auto l = std::ranges::find_if(later_, waits); l != later_.end()) {
      l->candidate = std::move(candidate);
      l->state = State::made;
    }
  }
  void work() {
    lower_thread_priority();  // the device waits for the thread that judges and measures
    const Make make = maker_();
    std::unique_lock lock(mutex_);
    for (;;) {
      Slot* slot = nullptr;
      changed_.wait(lock, [&] { return quit_ || (slot = choose()) != nullptr; });
      if (quit_) return;
      slot->state = State::running;
      const Wanted wanted = slot->wanted;
      running_.push_back(wanted);
      lock.unlock();
      Candidate made = make(wanted);
      lock.lock();
      running_.erase(std::ranges::find(running_, wanted));
      keep(wanted, std::move(made));
      changed_.notify_all();
    }
  }

  const std::function<Make()> maker_;
  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> asked_, later_;
  std::vector<Wanted> running_;
  std::deque<Candidate> ready_;  ///< of asked_
  bool quit_ = false;
  std::vector<std::jthread> threads_;  // last: they use the others
};

}  // namespace attnscope
