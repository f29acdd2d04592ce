// Trials on the software device: every config of a small space, verified over all of its output; a request for where a
// result is wrong: it travels, it is limited, it can be cancelled.

#include "engine/record/json_fields.hpp"
#include "engine/session/judge.hpp"
#include "engine/session/rpc.hpp"
#include "engine/vulkan/instance.hpp"
#include "tests/session/cpu_session.hpp"

namespace attnscope::trials_test {

std::unique_ptr<Session> rows() { return cpu_session(shipped_sources({"row", "naive"}), {true, ""}); }

TEST(Trials, EachConfigIsToldOfOnceWithWhatCameOfItUntilACancel) {
  const auto session = rows();
  TrialsRequest request =
      trials_of("1x2x33x32", "row", {{{"BLOCK_N", 8}}, {{"BLOCK_N", 16}}, {{"BLOCK_N", 17}}, {{"NO_SUCH", 1}}});
  std::map<uint64_t, Trial> told;
  std::set<uint64_t> begun;
  const EventSink sink = [&](const Event& e) {
    if (const auto* b = std::get_if<TrialBegan>(&e)) begun.insert(b->index);
    const auto* d = std::get_if<TrialDone>(&e);
    if (d == nullptr) return;
    EXPECT_TRUE(told.emplace(d->trial.index, d->trial).second) << "twice";
    EXPECT_TRUE(begun.contains(d->trial.index)) << "told of before it began";
  };
  const auto report = must(session->trials(request, sink, kGoOn));
  EXPECT_EQ(report->done, 4u);
  EXPECT_GT(report->measuring_ms, 0);
  EXPECT_LE(report->measuring_ms + report->verifying_ms + report->waiting_ms, report->wall_ms);
  ASSERT_EQ(told.size(), 4u);
  for (const uint64_t i : {0, 1}) {
    EXPECT_EQ(told[i].outcome, Outcome::measured) << told[i].message;
    EXPECT_GT(told[i].median_ns, 0);
    EXPECT_EQ(told[i].config.size(), 3u) << "every parameter has its value";
  }
  EXPECT_EQ(told[2].outcome, Outcome::refused);
  EXPECT_TRUE(has(told[2].message, "17"));
  EXPECT_EQ(told[3].outcome, Outcome::refused);
  EXPECT_TRUE(told[3].samples_ns.empty());
  std::atomic<bool> cancel{false};
  const EventSink stop = [&](const Event& e) { cancel = cancel || std::holds_alternative<TrialDone>(e); };
  EXPECT_EQ(must(session->trials(request, stop, cancel))->done, 1u) << "a cancel ends them";
}

TEST(Trials, JudgedOnceTheyAreVerifiedAndLaterRunsOnTheSameInputsAreJudgedInFull) {
  const auto session = rows();
  TrialsRequest request = trials_of("1x2x33x32", "row", {{{"BLOCK_N", 8}}, {{"BLOCK_N", 16}}});
  request.next = {{*parse_problem("1x2x65x32"), "row", {{{"BLOCK_N", 8}}}}};
  for (const bool once : {true, false, true}) {
    request.judged_once = once;
    std::vector<TrialDone> told;
    std::ignore = must(session->trials(request, keep(told), kGoOn));
    ASSERT_EQ(told.size(), 2u);
    for (const auto& [t] : told) EXPECT_EQ(t.outcome, Outcome::measured) << t.message;
    std::ignore = must(session->trials(trials_of("1x2x65x32", "row", {{{"BLOCK_N", 8}}}), {}, kGoOn));
  }
}

TEST(Race, LanesAreSampledInTurnAndEachIsItsOwnRun) {
  const auto session = rows();
  RaceRequest request{.problem = *parse_problem("1x2x33x32"), .turn_ms = 1};
  request.entries = {{"row", {{"BLOCK_N", 8}}}, {"naive", {}}, {"row", {{"BLOCK_N", 17}}}};
  request.protocol = {.warmup_ms = 1, .warmup_cap_ms = 50, .min_ms = 5};
  // Both go on until both have what they need: neither the clock of a busy machine nor a full set ends one alone.
  request.protocol.target_noise = 1;
  request.protocol.max_ms = 5'000;
  request.protocol.max_samples = 1'000'000;
  const auto result = must(session->race(request, {}, kGoOn));
  ASSERT_EQ(result->records.size(), 3u);
  for (const size_t i : {0, 1}) {
    const Record& r = result->records[i];
    EXPECT_EQ(r.outcome, Outcome::measured) << r.message;
    EXPECT_EQ(r.variant, request.entries[i].variant);
    EXPECT_TRUE(r.verdict && r.verdict->pass);
    EXPECT_GE(r.samples_ns.size(), size_t{request.protocol.min_samples});
    EXPECT_TRUE(r.statistics);
    size_t in_turns = 0;
    for (const uint32_t n : result->turns[i].samples) {
      EXPECT_GT(n, 0u);
      in_turns += n;
    }
    EXPECT_EQ(in_turns, r.samples_ns.size()) << "each sample belongs to a turn";
  }
  ASSERT_EQ(result->turns.size(), 3u);
  EXPECT_EQ(result->turns[0].samples.size(), result->turns[1].samples.size()) << "in turn";
  EXPECT_TRUE(result->turns[2].samples.empty());
  EXPECT_EQ(result->records[0].config.at("BLOCK_N"), 8);
  EXPECT_TRUE(ended(result->records[2], Outcome::refused, "17"));
  EXPECT_TRUE(result->records[2].samples_ns.empty());
  RaceRequest none = request;
  none.entries = {{"no_such", {}}};
  EXPECT_FALSE(session->race(none, {}, kGoOn));
  // Paced, it asks between rounds, and what the caller takes counts towards no cap.
  request.paced = true;
  request.batch_ms = 1;
  size_t asked = 0;
  const auto slow = [&](const Event& e) {
    if (const auto* batch = std::get_if<SampleBatch>(&e); batch && ++asked < 4 && batch->samples_ns.empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const auto paced = must(session->race(request, slow, kGoOn));
  EXPECT_GT(asked, 0u);
  EXPECT_EQ(paced->records[1].outcome, Outcome::measured) << paced->records[1].message;
  EXPECT_EQ(paced->turns[0].samples.size(), paced->turns[1].samples.size());
}

// The device's own reference against the CPU's double precision: dense, grouped, causal with more keys and with more
// queries, packed, paged, other v_dim, every dtype, sizes that are no multiple of anything.
void expect_own_reference(const vulkan::Device& device, const std::string& text) {
  SCOPED_TRACE(text);
  const Problem problem = *parse_problem(text);
  ASSERT_LT(device_reference_cost_s(device.info(), problem), 1e9);
  WorkloadCache cache(device, 1 << 28);
  auto work = must(cache.get(problem, 3, {}));
  const auto reference = must(references_of(**work, Precision{}, kGoOn))->of[size_t(InputSet::own)];
  const auto computed = must(compute_on_device(**work, {}));
  EXPECT_LT(*must(error_of(*computed, problem, *reference, {})), 1e-5);

  // A result that is right but for one element, one that was never written, and one that is NaN.
  const GuardedBuffer& o = (*work)->buffer(binding_o);
  Tensor output{problem.dtype, std::vector<std::byte>(problem.o_elements() * dtype_bytes(problem.dtype))};
  const auto values = must(computed->contents<float>());
  for (uint64_t i = 0; i < output.size(); ++i) output.set(i, (*values)[i]);
  const uint64_t odd = output.size() / 2 + 1;
  output.set(odd, 3.5f);
  ASSERT_TRUE(o.upload(output.bytes, {}));
  auto difference = must(compare_elements(**work, *computed, 0, {}));
  EXPECT_EQ(std::tuple(difference->not_finite, difference->worst, difference->got), std::tuple(0u, odd, 3.5));
  EXPECT_NEAR(difference->max_abs + storage_rounding(problem.dtype, difference->expected),
              std::abs(3.5 - difference->expected), 1e-5);
  ASSERT_TRUE(o.poison({}));
  difference = compare_elements(**work, *computed, 0, {});
  EXPECT_EQ(must(difference)->not_finite, problem.o_elements());
  EXPECT_EQ(difference->first_not_finite, 0u);
}
TEST(OwnReference, IsTheReference) {
  const auto instance = must(vulkan::Instance::create({true}));
  const auto device = must(vulkan::Device::open(*instance, "cpu"));
  for (const std::string& text :
       words("1x2x33x32 2x4x65x48:kv=2:f16 1x3x61x20:causal:bf16 1x2x300x16:q=40:causal 1x2x40x16:q=300:causal:f16 "
             "1x2x129x24:dv=40 varlen=37,5,90:4x16:kv=2:causal varlen=37,90:2x32:f16 2x4x100x32:q=3:kv=2:page=16:f16 "
             "1x1x7x3:dv=5:f16 1x2x300x16:q=40:causal:window=150 1x2x60x16:window=5:f16 1x2x40x16:q=99:window=5 "
             "varlen=37,90:2x32:causal:window=9 1x2x65x32:softcap=50:f16 1x2x65x32:softcap=2:in=large "
             "1x6x65x32:kv=2:causal:sinks 1x2x20x16:q=40:causal:sinks 2x3x65x32:mask "
             "2x3x65x32:q=9:mask=batch:causal:f16 1x6x65x32:mask=alibi 1x2x1x16:q=50:mask "
             "1x4x65x96:kv=2:dv=32:kvtype=q8_0:f16 1x4x65x24:kvtype=f8e4m3 1x4x65x64:q=3:kv=2:page=16:kvtype=q8_0 "
             "1x2x40x33:kvtype=f8e4m3:page=8:q=2 1x4x65x96:kv=2:dv=32:ktype=q4_0:vtype=q4_1 "
             "1x4x65x96:kv=2:dv=32:ktype=q5_0:vtype=q5_1:bf16 1x4x65x64:kvtype=iq4_nl:page=8:f16 "
             "2x4x40x96:kv=1:dv=64:mla:kvtype=q4_0 1x4x200x32:q=9:kv=2:causal:topk=150:mask:page=8 "
             "2x4x200x64:kv=2:window=77:softcap=3:sinks:mask=batch:kvtype=q8_0:bf16"))
    expect_own_reference(*device, text);
  EXPECT_TRUE(instance->take_validation_messages().empty());
}

TEST(ErrorMapRequestTest, WhatIsOutsideItsRangeIsRefusedWithTheRange) {
  const ErrorMapRequest r{.problem = *parse_problem("2x3x8x8")};
  EXPECT_TRUE(check_request(r));
  const std::vector<std::pair<const char*, void (*)(ErrorMapRequest&)>> changes{
      {"batches 0 to 1", [](auto& o) { o.batch = 2; }},
      {"heads 0 to 2", [](auto& o) { o.head = 3; }},
      {"from 1 to 256", [](auto& o) { o.cells = 257; }},
      {"from 1 to 256", [](auto& o) { o.cells = 0; }},
      {"1024 at most", [](auto& o) { o.elements = 1025; }}};
  for (const auto& [says, change] : changes) {
    ErrorMapRequest other = r;
    change(other);
    EXPECT_TRUE(fails(check_request(other), says));
  }
}

TEST(ErrorMapAnswerTest, TheLargestIsFarBelowTheLongestLine) {
  ErrorMapAnswer answer;
  answer.map.emplace();
  answer.map->cells.assign(size_t{kMostErrorCells} * kMostErrorCells, 0.000123);
  answer.map->heads.assign(ErrorMap::kMostHeads, 0.000123);
  answer.map->first.assign(kMostErrorElements,
                           {1, 2, 30000, 100, 0.123456789012345, 0.123456789012346, 1e-5, "never written"});
  EXPECT_LT(dump_line(encode(answer)).size(), LineSplitter::kMaxLine / 32);
}

/// Through the real worker, on the software device.
TEST(ErrorMapOfWorker, IsOfItsRunAndWhatCannotRunIsARefusedRecordAndACancelEndsIt) {
  const std::unique_ptr<Session> session = worker_session(shipped_sources({"row"}));
  std::atomic<bool> cancel{false};
  ErrorMapRequest r{
      .problem = *parse_problem("2x3x33x32:causal"), .variant = "row", .config = {{"LANES", 8}}, .batch = 1, .head = 2};
  std::vector<std::string> stages;
  const auto answer = must(session->error_map(r, note_stages(stages), cancel));
  EXPECT_EQ(answer->record.outcome, Outcome::verified);
  EXPECT_EQ(answer->record.config.at("LANES"), 8);
  EXPECT_FALSE(answer->record.environment.shader_hash.empty());
  EXPECT_TRUE(answer->record.samples_ns.empty());
  const auto map = must(answer->map);
  EXPECT_EQ(std::tuple(map->batch, map->head, map->failing, map->rows_checked, map->cells.size()),
            std::tuple(1u, 2u, 0u, 33u, 33u * 32u));
  EXPECT_NE(std::ranges::find(stages, "reference"), stages.end());

  r.config = {{"LANES", 7}};
  const auto refused = must(session->error_map(r, {}, cancel));
  EXPECT_EQ(refused->record.outcome, Outcome::refused);
  EXPECT_FALSE(refused->map);
  EXPECT_FALSE(refused->record.message.empty());
  r.config.clear();
  r.head = 9;
  EXPECT_TRUE(fails(session->error_map(r, {}, cancel), ErrorKind::bad_input));
  r.head = 0;
  r.variant = "none";
  EXPECT_FALSE(session->error_map(r, {}, cancel));

  const Problem small = std::exchange(r.problem, *parse_problem("2x4x2000x64"));
  r.variant = "row";
  const auto cancelled = must(session->error_map(
      r, [&](const Event&) { cancel = true; }, cancel));
  EXPECT_EQ(cancelled->record.outcome, Outcome::cancelled) << cancelled->record.message;
  EXPECT_FALSE(cancelled->map);
  cancel = false;
  r.problem = small;
  EXPECT_TRUE(must(session->error_map(r, {}, cancel))->map);
}

}  // namespace attnscope::trials_test
