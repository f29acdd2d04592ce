// GPUs that are not here, which the config shown is compiled for beside the device that measures it.
#pragma once

#include "app/gui/worker/gpu_compiler.hpp"

namespace attnscope::gui {

struct OtherGpus {
  static constexpr size_t kMost = 6;  ///< each is a process with a compiler in it
  std::vector<OfferedGpu> offered;    ///< the catalogue
  std::vector<std::string> chosen;
  std::map<std::string, GpuAnswer> answers;  ///< the newest of each

  bool has(const std::string& gpu) const { return std::find(chosen.begin(), chosen.end(), gpu) != chosen.end(); }
  void toggle(const std::string& gpu) {
    if (std::erase(chosen, gpu) == 0 && chosen.size() < kMost) chosen.push_back(gpu);
    answers.erase(gpu);
  }
  /// What is known of the same config stays: it may be told again without.
  void add(GpuAnswer answer) {
    if (!has(answer.gpu)) return;
    if (const GpuAnswer* before = this->answer(answer.gpu, answer.of); before && !answer.without_spills)
      answer.without_spills = before->without_spills;
    answers.insert_or_assign(answer.gpu, std::move(answer));
  }
  bool answered(const GpuRequest& of) const {
    return std::all_of(chosen.begin(), chosen.end(), [&](const std::string& gpu) { return answer(gpu, of); });
  }
  /// nullptr: it is not known yet.
  const GpuAnswer* answer(const std::string& gpu, const GpuRequest& of) const {
    const auto found = answers.find(gpu);
    return found != answers.end() && found->second.of == of ? &found->second : nullptr;
  }
};

}  // namespace attnscope::gui
