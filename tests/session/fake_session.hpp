// A Session without a device, for the protocol's tests: its runs end when cancelled, after some batches, or never.
#pragma once

#include <chrono>
#include <thread>

#include "engine/session/session.hpp"

namespace attnscope {

class FakeSession final : public Session {
 public:
  std::string machine() override { return "this running machine"; }
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
  /// "endless" is inspected until the test lets it end.
  std::atomic<bool> inspection_may_end{false}, inspecting{false};
  Result<Inspection> inspect(const Problem&, const std::string& variant, const Config& config) override {
    inspecting = true;
    while (variant == "endless" && !inspection_may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (variant != "row") return bad_input("There is no variant '" + variant + "'.");
    Inspection i;
    i.nearest = config;
    return i;
  }
  Result<ConfigChoice> choose_config(const Problem&, const std::string& variant, const std::string& text) override {
    if (variant != "row") return bad_input("There is no variant '" + variant + "'.");
    return ConfigChoice{{{"A", 4}}, text, ConfigChoice::How::nearest, "the default does not fit"};
  }
  Result<std::vector<VariantRank>> rank_variants(const Problem& problem) override {
    return std::vector<VariantRank>{{"row", double(problem.seq_q), ""}, {"other", 9, "it takes pages alone"}};
  }
  /// "endless" plans until cancelled.
  Result<SpaceBatch> plan_space(const Problem&, const std::string& variant, const SpaceRequest& request,
                                const std::atomic<bool>& cancel) override {
    SpaceBatch batch;
    batch.size = 100;
    batch.first = request.first;
    batch.next = request.first + 1;
    batch.legal = {{{"A", 5}}};
    while (variant == "endless" && !cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (cancel) return batch;
    batch.next = 100;
    batch.done = true;
    batch.pruned = {{"A < 3", 99 - request.first, "A is 7, and 3 is the most", {{"A", 7}}}};
    if (request.keep_refused > 0) batch.refused = {{{{"A", 8}}, "A is 8"}};
    return batch;
  }
  /// "again" measures until cancelled.
  Result<PeaksAnswer> peaks(const PeaksRequest& request, const EventSink& sink,
                            const std::atomic<bool>& cancel) override {
    PeaksAnswer answer;
    if (!request.measure) return answer;
    sink(Progress{"copy, device memory"});
    while (request.again && !cancel) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (cancel) return Error{ErrorKind::cancelled, "Cancelled."};
    answer.peaks = Peaks{};
    answer.peaks->ceilings = {{.kind = CeilingKind::copy, .value = 12.5}};
    answer.measured = true;
    return answer;
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
