// Watches over one compile of the calling thread. Internal to this module.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "engine/shader/compiler.hpp"

namespace attnscope {

class CompileWatch {
 public:
  /// Watches nothing where there is nobody to call. What it is given outlives it.
  CompileWatch(const std::string& name, const CompileBudget&, const OnEndlessCompile&);
  ~CompileWatch();
  CompileWatch(const CompileWatch&) = delete;
  CompileWatch& operator=(const CompileWatch&) = delete;

 private:
  void watch();

  const std::string& name_;
  const CompileBudget& budget_;
  const OnEndlessCompile& on_endless_;
  std::function<double()> clock_;  ///< of the compiling thread
  double began_s_ = 0;
  uint64_t began_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;
};

}  // namespace attnscope
