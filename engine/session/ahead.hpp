// Plans and pipelines of the next configs, made on other cores while the device works.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/session/trials.hpp"
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

/// Candidates come in the order in which they get ready. At most a few a thread wait for the device, so that memory
/// does not grow with the space.
class Ahead {
 public:
  /// `threads` 0: each is made by the thread that asks for it. What it is made of outlives it.
  Ahead(const vulkan::Device&, const Variant&, const TrialsRequest&, Compiler&, bool sliceable, unsigned threads);
  ~Ahead();  ///< what is being compiled is finished first
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  /// The next one, waiting `ms` for it at most; nullopt when that was not enough, or nothing is left (see left()).
  std::optional<Candidate> next(double ms);
  uint64_t left() const { return left_; }
  /// next() would not wait: for what is compiled, or because it compiles itself, or because nothing is left.
  bool ready();
  /// The one that next() would make itself; only without threads.
  std::optional<uint64_t> upcoming() const;

 private:
  class Maker;
  void work();

  const vulkan::Device& device_;
  const Variant& variant_;
  const TrialsRequest& request_;
  Compiler& compiler_;
  const bool sliceable_;
  const size_t most_waiting_;
  std::unique_ptr<Maker> own_;
  uint64_t left_;

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t begun_ = 0;
  std::deque<Candidate> ready_;
  bool quit_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace attnscope
