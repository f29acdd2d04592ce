// A Session without a device, for the protocol's tests: its runs end when cancelled, after some batches, or never.
#pragma once

#include <chrono>
#include <thread>

#include "engine/session/session.hpp"

namespace attnscope {

class FakeSession final : public Session {
 public:
  Result<std::vector<DeviceInfo>> devices() override {
    DeviceInfo d;
    d.name = "fake";
    return std::vector{d};
  }
  Result<DeviceInfo> open(const std::string& selector) override {
    if (selector == "99") return bad_input("there is no device 99; there is: 0 fake");
    DeviceInfo d;
    d.name = "fake";
    return d;
  }
  Result<std::vector<VariantInfo>> load_variants(const std::vector<VariantSource>& sources) override {
    std::vector<VariantInfo> infos;
    for (const VariantSource& s : sources) {
      infos.emplace_back();
      infos.back().name = s.name;
    }
    return infos;
  }
  Result<Inspection> inspect(const Problem&, const std::string& variant, const Config& config) override {
    if (variant != "row") return bad_input("There is no variant '" + variant + "'.");
    Inspection i;
    i.nearest = config;
    return i;
  }
  /// "endless" samples until cancelled; "row" gives three batches.
  Result<Record> run(const RunRequest& request, const EventSink& sink, const std::atomic<bool>& cancel) override {
    Record record;
    record.problem = request.problem;
    record.variant = request.variant;
    record.config = request.config;
    sink(Progress{"compile"});
    sink(Progress{"sample"});
    for (int i = 0; request.variant == "endless" || i < 3; ++i) {
      if (cancel) {
        record.outcome = Outcome::cancelled;
        break;
      }
      record.samples_ns.push_back(1000.0 + i);
      sink(SampleBatch{{1000.0 + i}});
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return record;
  }
};

}  // namespace attnscope
