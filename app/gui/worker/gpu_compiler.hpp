// What drivers make of the config that is shown, for GPUs that are not here (docs/gpus.md): a thread and a worker for
// each GPU, so that a driver that crashes or is slow holds up nothing else.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/gui/worker/selection.hpp"

namespace attnscope::gui {

/// What is compiled: a config, of one version of its variant.
struct GpuRequest {
  Selection selection;
  std::string hash;  ///< of the variant's shaders
  bool operator==(const GpuRequest&) const = default;
};
struct GpuAnswer {
  std::string gpu;
  GpuRequest of;
  std::optional<Resources> resources;
  std::string why;  ///< there are none
  /// Where this one spills: the nearest config that does not, as soon as it is found.
  std::optional<Config> without_spills = {};
};
/// A GPU of the catalogue; `missing`: what is to be installed first, "" = it can be tried.
struct OfferedGpu {
  std::string name, missing;
};
/// By assets/gpus.toml of the data folder, those that can be tried first; none where that cannot be read.
std::vector<OfferedGpu> offered_gpus(const std::filesystem::path& data);

class GpuCompiler {
 public:
  struct Places {
    std::filesystem::path data;
    std::vector<std::filesystem::path> shaders, sources;
    SessionOptions session;
    std::optional<double> deadline_s = {};
    std::vector<std::string> worker = {};  ///< its command; empty = this executable's own
  };
  /// `wake` is called on other threads, whenever there is an answer to take; it may be empty.
  GpuCompiler(Places, std::function<void()> wake);
  ~GpuCompiler();
  GpuCompiler(const GpuCompiler&) = delete;
  GpuCompiler& operator=(const GpuCompiler&) = delete;
  /// Names of the catalogue; what is no longer among them ends.
  void choose(const std::vector<std::string>& gpus);
  /// The newest request counts: one that waits is left out.
  void want(const GpuRequest&);
  std::vector<GpuAnswer> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }

 private:
  struct Gpu {
    std::string name;
    std::atomic<bool> cancel = false, ended = false;
    std::atomic<bool> busy = false;  ///< there is something to do before a config without spills is looked for
    std::thread thread;
  };
  void work(Gpu&);
  void tell(GpuAnswer answer) {
    {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
    }
    if (wake_) wake_();
  }
  Places places_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<GpuRequest> wanted_;
  std::vector<GpuAnswer> answers_;
  std::vector<std::unique_ptr<Gpu>> gpus_, leaving_;
};

}  // namespace attnscope::gui
