// Sessions on the software device: what comes back when all is well, and when it is not; what problems ask beyond plain
// attention: whoever takes it is right, and whoever does not says so.
#include <signal.h>
#include <unistd.h>

#include "engine/record/preset.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::device_test {

/// `row`, and a kernel that does not end within hours. Not one endless loop: the software device leaves any shader's
/// loops after 65,535 turns in all, so this one has long turns.
std::vector<VariantSource> row_and_endless() {
  std::vector<VariantSource> both = shipped_sources({"row"});
  both.push_back(both[0]);
  both[1].name = "endless";
  std::string& text = both[1].files.at("row.comp");
  const std::string before = "void main() {";
  text.insert(text.find(before) + before.size(),
              "float x = float(gl_GlobalInvocationID.x); for (uint a = 0; a < 60000; ++a) [[unroll]] for (uint b = 0; "
              "b < 256; ++b) x = sin(x + float(a ^ b)); if (x > 2.0) return;\n");
  return both;
}

RunRequest small(const char* variant = "row", const char* problem = "1x2x33x32") {
  RunRequest request = small_run(problem, variant);
  request.protocol.warmup_cap_ms = 200;
  request.protocol.min_ms = 5;
  request.protocol.max_ms = 500;
  request.protocol.min_samples = Protocol().min_samples;
  return request;
}

/// The guard that waits beside each worker.
bool is_guard(pid_t pid) {
  return bool(has(read_file("/proc/" + std::to_string(pid) + "/cmdline"), std::string("\0guard\0", 7)));
}

/// The worker processes that this process has now.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  // Children belong to the thread that started them, so look at all threads.
  for (const auto& task : fs::directory_iterator("/proc/self/task")) {
    std::ifstream in(task.path() / "children");
    for (pid_t pid = 0; in >> pid;) found.push_back(pid);
  }
  std::erase_if(found, is_guard);
  return found;
}

TEST(WorkerDevice, VerifiesAndMeasures) {
  const auto session = worker_session(shipped_sources({"row"}));
  std::vector<std::string> stages;
  size_t streamed = 0;
  bool verdict = false;
  const EventSink sink = [&](const Event& e) {
    note_stages(stages)(e);
    if (const auto* s = std::get_if<SampleBatch>(&e)) streamed += s->samples_ns.size();
    verdict |= std::holds_alternative<Verdict>(e);
  };
  const auto record = must(session->run(small(), sink, kGoOn));
  EXPECT_EQ(record->outcome, Outcome::measured) << record->message;
  EXPECT_TRUE(record->verdict && record->verdict->pass);
  EXPECT_TRUE(verdict);
  EXPECT_EQ(streamed, record->samples_ns.size());
  EXPECT_GE(streamed, 10u);
  EXPECT_EQ(stages,
            (std::vector<std::string>{"compile", "reference", "verify", "warm-up", "sample", "verify", "resources"}));
  EXPECT_EQ(record->resources.registers, std::nullopt) << "this driver reports none, so there is none, not a zero";
}

TEST(WorkerDevice, AnEndlessKernelIsEndedAndTheNextConfigMeasured) {
  const auto session = worker_session(row_and_endless(), 8);
  const std::vector<pid_t> before = children();
  ASSERT_EQ(before.size(), 1u);
  RunRequest endless = small("endless", "1x16x1024x32");
  endless.resources = false;
  const auto record = must(session->run(endless, {}, kGoOn));
  EXPECT_TRUE(ended(*record, Outcome::error, "the deadline is 8 s"));
  EXPECT_EQ(::kill(before[0], 0), -1) << "the hung worker still runs";
  EXPECT_TRUE(ended(*must(session->run(small(), {}, kGoOn)), Outcome::measured));
}

TEST(LocalDevice, ModesAreTimedAsTheySay) {
  const auto session =
      cpu_session(shipped_sources({"row", "naive"}), {true, ""});  // what the validation layers say is an error
  for (const char* variant : {"row", "naive"})
    for (const CacheMode cache : {CacheMode::hot, CacheMode::cold})
      for (const LaunchMode launch : {LaunchMode::isolated, LaunchMode::back_to_back}) {
        RunRequest request = small(variant, "1x1x8x16");
        request.protocol.cache = cache;
        request.protocol.launch = launch;
        request.protocol.min_sample_us = 0;
        const auto record = must(session->run(request, {}, kGoOn));
        EXPECT_EQ(record->outcome, Outcome::measured) << record->message;
        EXPECT_EQ(record->dispatches_per_sample > 1, cache == CacheMode::hot && launch == LaunchMode::back_to_back);
        EXPECT_GE(record->samples_ns.size(), request.protocol.min_samples);
        for (const double ns : record->samples_ns) EXPECT_GT(ns, 0);
      }
}

TEST(LocalDevice, ResourcesAreThoseOfTheProblemAtHandAndShortWorkIsDispatchedSeveralTimesASample) {
  const auto session = cpu_session(shipped_sources({"row", "naive"}));
  const auto workgroups = [&](const char* problem) {
    return must(session->run(small("row", problem), {}, kGoOn))->resources.workgroups;
  };
  const uint64_t one = workgroups("1x1x8x16");
  EXPECT_EQ(workgroups("1x3x8x16"), 3 * one);
  RunRequest request = small("row", "1x1x1x8");
  request.protocol.min_sample_us = 20000;
  const auto record = must(session->run(request, {}, kGoOn));
  EXPECT_EQ(record->outcome, Outcome::measured) << record->message;
  EXPECT_GT(record->dispatches_per_sample, 1u);
}

TEST(LocalDevice, LongWorkIsVerifiedAndTimedInSlices) {
  const auto session = cpu_session(shipped_sources({"row", "naive"}));
  // Just enough FLOPs that a software device is first tried in slices; several passes with naive, one with row.
  RunRequest request = small("row", "1x1x1024x64");
  request.protocol.min_samples = 1;
  request.protocol.min_ms = 1;
  request.protocol.max_ms = 100;
  request.protocol.warmup_cap_ms = 1;
  request.resources = false;
  for (const char* variant : {"row", "naive"}) {
    request.variant = variant;
    std::vector<std::string> stages;
    const auto record = must(session->run(request, note_stages(stages), kGoOn));
    EXPECT_EQ(record->outcome, Outcome::measured) << variant << ": " << record->message;
    EXPECT_TRUE(record->verdict->pass);
    EXPECT_EQ(record->dispatches_per_sample, 1u);
    ASSERT_FALSE(record->samples_ns.empty());
    // Work that turns out short is prepared, and verified, a second time in one piece; what is longer than a submit may
    // last is timed in the slices that were verified. Which of both it is, the load of this machine decides.
    const auto timing = std::ranges::find(stages, "warm-up");
    const auto compiles = std::count(stages.begin(), timing, "compile"),
               verified = std::count(stages.begin(), timing, "verify");
    EXPECT_EQ(std::count(timing, stages.end(), "verify"), 1) << "and judged again after it was timed";
    EXPECT_GE(verified, 1) << variant;
    EXPECT_LE(verified, 2) << variant;
    EXPECT_EQ(compiles, verified) << variant << ": what is timed was verified in its own form";
  }
}

TEST(LocalDevice, RunsNeedAnOpenDevice) {
  const auto session = make_local_session({});
  const auto record = session->run(small(), {}, kGoOn);
  ASSERT_TRUE(fails(record, "No device is open."));
  const Problem problem = small().problem;
  EXPECT_EQ(must(session->load_variants(shipped_sources({"row"})))->front().why_not, record.error().message);
  EXPECT_TRUE(fails(session->inspect(problem, "row", {}), record.error().message));
  EXPECT_TRUE(fails(session->choose_config(problem, "row", ""), record.error().message));
  EXPECT_TRUE(fails(session->rank_variants(problem), record.error().message));
  EXPECT_TRUE(fails(session->plan_space(problem, "row", {}, kGoOn), record.error().message));
}

struct OptionsOnTheDevice : testing::Test {
  void SetUp() override {
    variants_ = *must(session_->load_variants(shipped_sources()));
    std::erase_if(variants_, [](const VariantInfo& v) { return !v.why_not.empty(); });
  }
  Record verify(const std::string& variant, const Problem& problem, const std::string& config = "default") {
    const auto choice = must(session_->choose_config(problem, variant, config));
    RunRequest request = small_run("1x1x1x1", variant, choice->config);
    request.problem = problem;
    request.measure = request.resources = false;
    return *must(session_->run(request, {}, kGoOn), variant);
  }
  const std::unique_ptr<Session> session_ = cpu_session({});
  std::vector<VariantInfo> variants_;
};

TEST_F(OptionsOnTheDevice, AreRightWhereTaken) {
  const auto preset = must(load_preset(fs::path(ATTNSCOPE_SOURCE_DIR) / "assets/presets", "options"));
  for (const Problem& p : preset->problems) {
    size_t right = 0;
    for (const VariantInfo& v : variants_) {
      // Those of plain attention take none; Verify.WhatAVariantCannotTake… has row on all of these.
      if (v.options.empty() || v.name == "row") continue;
      const Record r = verify(v.name, p);
      if (r.outcome == Outcome::refused) continue;
      EXPECT_EQ(r.outcome, Outcome::verified) << v.name << " " << to_text(p) << ": " << reason_of(r);
      if (!r.verdict) continue;
      EXPECT_TRUE(r.verdict->all_on_device || r.verdict->rows_checked == r.verdict->rows_total) << to_text(p);
      right += r.verdict->pass;
    }
    // Packed sequences with options are for matrix units, and a window over pages for decode alone.
    EXPECT_GE(right, p.varlen.empty() ? 1u : 0u) << to_text(p);
  }
}

TEST_F(OptionsOnTheDevice, SplitsAreAddedByTheWorkgroupThatEndsLast) {
  for (const char* text :
       {"1x8x512x64:q=1:kv=2", "2x4x500x80:q=3:kv=2:causal:f16", "1x71x512x64:q=1:kv=1:f16",
        "1x8x600x64:q=1:kv=2:page=16", "1x8x700x64:q=2:kv=2:topk=600", "1x8x512x64:q=1:kv=2:sinks:softcap=30"}) {
    const Record r = verify("decode", *parse_problem(text), "MERGE=1,SPLITS=4");
    ASSERT_EQ(r.outcome, Outcome::verified) << text << ": " << reason_of(r);
    EXPECT_EQ(r.config.at("MERGE"), 1) << text;
    EXPECT_EQ(r.verdict->rows_checked, r.verdict->rows_total) << text;
  }
}

}  // namespace attnscope::device_test
