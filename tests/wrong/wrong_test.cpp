// A battery of wrong kernels, each the smallest that shows one way to cheat or to err: every one must be caught on a
// software device, none may have a time, and what runs after it on the same inputs must not suffer. The honest ones
// beside them pass, so that it is the fault that is caught. All come from wrong.comp by a define each.

#include "tests/session/cpu_session.hpp"

namespace attnscope::wrong_test {

/// A scratch buffer, one declared zeroed, a second pass, a pass before the work, a manifest that says that bits may
/// differ, one that has 16-bit problems converted to f32, one that has packed K and V in bf16, or
/// if converted its scores in f16, one that has all sums in f16. The first execution of `later` is right; `seldom` is
/// caught where nothing is timed, by what changes alone or by how often it is executed. What is `costly`, or is by
/// chance missed by the few draws of a trial, is not also tried in a search and a live run.
enum class Has : unsigned {
  nothing = 0,
  scratch = 1,
  afterwards = 2,
  declared = 4,
  later = 8,
  only_when_timed = 16,
  zeroed = 32,
  converted = 64,
  before = 128,
  seldom = 256,
  costly = 512,
  coarse = 1024,
  half_sums = 2048
};
constexpr Has operator|(Has a, Has b) { return Has(unsigned(a) | unsigned(b)); }
constexpr bool operator&(Has a, Has b) { return (unsigned(a) & unsigned(b)) != 0; }

struct Kernel {
  std::string name;  ///< of the define in wrong.comp
  std::string problem;
  const char* reason;  ///< part of the verdict's; "" = it must pass
  Has has;
};
/// Each of some kernels on each of some problems.
struct Alike {
  const char* names;
  const char* problems;
  const char* reason = "";
  Has has = Has::nothing;
};

constexpr const char* kSmall = "1x2x40x32";
constexpr const char* kWrong = "expected";  ///< of a reason that names the worst element
/// Where it shows depends on where the checks of the run fall: in the result, or in the time.
constexpr const char* kAnyReason = " ";
constexpr const char* kExtremes = "scores far from 0";
constexpr Alike kAlike[] = {
    // Honest: as it stands, with work split over passes, and with scratch memory that lives on.
    {"HONEST",
     "1x2x40x32 2x4x70x40:kv=2:causal:q=33 1x2x40x32:causal:window=9 1x2x40x32:q=20:window=9 1x2x40x32:softcap=2 "
     "1x3x40x32:causal:sinks 2x3x40x32:mask=batch 1x3x40x32:mask=alibi 1x3x41x32:mask 1x3x40x32:mask=causal "
     "1x2x40x32:causal:topk=8 1x2x40x64:kvtype=q8_0 1x2x40x32:kv=1:q=20:causal:page=8 1x2x40x32:kvtype=f8e4m3 "
     "1x2x40x64:ktype=q5_0:vtype=iq4_nl"},
    {"HALVES_UP_TO_BF16", "1x7x42x96:kv=1:mask=causal:kvtype=q4_0", "", Has::coarse},
    {"OUTPUT_VIA_SCRATCH", kSmall, "", Has::scratch | Has::afterwards},
    {"COUNTS", kSmall, "", Has::scratch},
    {"BITS_CHANGE", kSmall, "", Has::scratch | Has::declared},
    {"ASSUMES_ZERO_SCRATCH", kSmall, "", Has::scratch | Has::zeroed},
    {"BINDS_AN_ABSENT_MASK", kSmall},
    {"HALF_SUMS", "1x4x100x64:f16", "", Has::converted | Has::half_sums},
    {"HONEST", "1x2x100x64:causal:bf16 1x2x100x64:q=40:window=50:in=large:f16 1x2x200x64:q=40:softcap=200:sinks:bf16",
     "", Has::converted},

    // Inputs spoilt after the work, and what lies around them.
    {"WRITES_INTO_Q", kSmall, "changed an input: Q", Has::afterwards},
    {"WRITES_INTO_K ONE_INVOCATION_TURNS_A_BIT_OF_K", kSmall, "changed an input: K", Has::afterwards},
    {"WRITES_INTO_V", kSmall, "changed an input: V", Has::afterwards},
    {"WRITES_INTO_ABSENT_PAGES", kSmall, "does not have"},

    // Work that is left out when an earlier execution has done it.
    {"RETURNS_WHEN_SCRATCH_IS_SET STALE_K_WHERE_WRITTEN", kSmall, kAnyReason, Has::scratch | Has::later},
    {"RETURNS_WHEN_OUTPUT_IS_WRITTEN SKIPS_WRITTEN_ELEMENT ADDS_TO_THE_OUTPUT", kSmall, kAnyReason, Has::later},
    {"ZEROS_FROM_THE_SECOND_RUN WRONG_EVERY_OTHER_TIME COPIES_WHAT_IT_REMEMBERS REMEMBERS_SCORES STALE_K "
     "STALE_LARGEST_V",
     kSmall, kWrong, Has::scratch | Has::later},
    {"RIGHT_FIVE_TIMES", kSmall, kWrong, Has::scratch | Has::only_when_timed},
    {"RETURNS_WHEN_INPUTS_ARE_THE_SAME WORKS_TWICE_AFTER_A_CHANGE KEEPS_TWO_RESULTS SKIPS_EVERY_SECOND "
     "RESTS_AFTER_A_CHECK",
     "1x2x192x64", kAnyReason, Has::scratch | Has::only_when_timed},
    {"BOTH_SIGNS_AT_ONCE KNOWS_ITS_RESULTS", "1x2x192x64", kAnyReason,
     Has::scratch | Has::only_when_timed | Has::costly},
    {"FLIPS_KEPT_SCORES", "1x2x192x256:dv=32", kAnyReason, Has::scratch | Has::only_when_timed | Has::costly},
    {"KNOWS_ALL_ITS_RESULTS", "1x2x192x64", kAnyReason,
     Has::scratch | Has::only_when_timed | Has::costly | Has::before},
    {"KEEPS_RESULTS_BEHIND_K", "1x1x40x32:q=1 1x1x40x32:q=1:page=64", kAnyReason, Has::scratch | Has::only_when_timed},
    {"SKIPS_AFTER_A_CHECK", kSmall, kAnyReason, Has::scratch | Has::only_when_timed},
    {"STALE_MASK", "1x3x40x32:mask 2x3x40x32:mask=batch:causal", kWrong, Has::scratch | Has::later},
    {"STALE_HIDDEN", "1x3x41x32:mask", kWrong, Has::scratch | Has::later},
    {"STALE_LISTS", "1x2x40x32:topk=8 1x2x40x32:causal:q=20:topk=8", kWrong, Has::scratch | Has::later},
    {"STALE_SINKS", "1x3x40x32:sinks", kWrong, Has::scratch | Has::later},
    {"STALE_K STALE_V SELDOM RIGHT_THIRTY_TIMES KEEPS_TWO_RESULTS KNOWS_SIZES_OF_Q KNOWS_SOME_ELEMENTS", kSmall, kWrong,
     Has::scratch | Has::seldom},
    {"SELDOM", kSmall, kWrong, Has::scratch | Has::seldom | Has::declared},
    {"RESTS_SELDOM", kSmall, kWrong, Has::scratch | Has::seldom},
    {"ONCE_IN_150", "1x1x8x8", "gives other bits", Has::scratch | Has::seldom},
    {"STALE_MASK", "1x3x40x32:mask", kWrong, Has::scratch | Has::seldom},
    {"STALE_SINKS", "1x3x40x32:sinks", kWrong, Has::scratch | Has::seldom},
    {"STALE_LISTS", "1x2x40x32:topk=8", kWrong, Has::scratch | Has::seldom},
    {"KNOWS_SOME_ELEMENTS", "1x2x40x128:kvtype=q8_0", kWrong, Has::scratch | Has::seldom},
    {"STALE_SCALES", "1x2x40x32:kvtype=q4_1", kWrong, Has::scratch | Has::seldom},
    {"STALE_PAGES", "1x1x256x32:causal:page=8", kWrong, Has::scratch | Has::seldom},
    {"TAKES_THE_MASK_FOR_CAUSAL", "1x3x40x32:mask=causal", kWrong, Has::later},
    {"WRONG_WHERE_OUTPUT_IS_WRITTEN", kSmall, "gives", Has::later},
    {"BITS_CHANGE", kSmall, "gives other bits", Has::scratch | Has::later},
    {"RIGHT_ON_SEED_1_ALONE", kSmall, kWrong, Has::later},

    // Memory: outside, unwritten, not initialized.
    {"WRITES_PAST_THE_END WRITES_FAR_PAST_THE_END", kSmall, "beyond the end"},
    {"WRITES_BEFORE_A_ROW", kSmall, kWrong, Has::afterwards},
    {"WRITES_GUARD_WHERE_TIMED", kSmall, "beyond the end", Has::later},
    {"WRITES_PAST_SCRATCH", kSmall, "beyond the end", Has::scratch},
    {"READS_PAST_THE_LAST_KEY ASSUMES_ZERO_SHARED", kSmall, "NaN"},
    {"ONE_ELEMENT_UNWRITTEN", kSmall, "1 of 2,560 output elements were never written"},
    {"ASSUMES_ZERO_SCRATCH", kSmall, "NaN", Has::scratch},
    {"COUNTS", kSmall, "other than zeros in scratch memory 'state'", Has::scratch | Has::zeroed},
    {"NO_BARRIER", kSmall, "N"},

    // Some of the output alone.
    {"ONE_ROW", "1x2x140x32", "query 137"},
    {"ONE_ROW", "1x16x768x64:q=140", "query 137", Has::seldom},  // the CPU, with few cores, has time for other rows
    {"LAST_ROW", kSmall, "query 39"},
    {"LATE_ROWS_A_LITTLE", "1x2x600x64:causal:bf16", "of the row", Has::converted},
    {"LAST_HEAD", "1x3x40x32", "head 2"},
    {"LAST_BATCH", "3x2x40x32", "head 0"},
    {"ONE_NAN ONE_INFINITY", kSmall, "1 of 2,560 output elements are NaN or Inf"},

    // Some problems alone.
    {"DROPS_LAST_KEY SKIPS_THE_PARTIAL_TILE", kSmall, kWrong},
    {"WRONG_FOR_LONG_KV", "1x2x3000x64:q=3", kWrong},
    {"IGNORES_CAUSAL", "1x2x40x32:causal", kWrong},
    {"CAUSAL_TOP_LEFT", "1x2x40x32:q=20:causal", kWrong},
    {"IGNORES_SCALE", "1x2x40x32:scale=0.5", kWrong},
    {"WRONG_GROUP", "1x4x40x32:kv=2", kWrong},
    {"IGNORES_WINDOW", "1x2x40x32:causal:window=9", kWrong},
    {"WINDOW_ONE_TOO_WIDE", "1x2x40x32:window=9", kWrong},
    {"WINDOW_ONE_TOO_WIDE", "1x2x8192x32:q=1:window=4096:bf16", kWrong, Has::converted},
    {"IGNORES_SOFTCAP", "1x2x40x32:softcap=2", kWrong},
    {"IGNORES_SOFTCAP", "1x2x200x64:q=40:softcap=200:bf16", kWrong, Has::converted},
    {"IGNORES_SINKS", "1x3x40x32:sinks", kWrong},
    {"SINK_OF_THE_FIRST_HEAD", "1x3x40x32:sinks", "head"},
    {"IGNORES_MASK", "1x3x40x32:mask", kWrong},
    {"MASK_OF_THE_FIRST_BATCH", "2x3x40x32:mask=batch", "batch 1"},
    {"ONE_SLOPE", "1x3x40x32:mask=alibi", kWrong},
    {"SCALE_OF_THE_FIRST_BLOCK", "1x2x40x64:kvtype=q8_0", kWrong},
    {"F8_WITHOUT_SUBNORMALS", "1x2x40x32:kvtype=f8e4m3", kWrong},
    {"F8_BELOW_FOUR", "1x2x40x32:kvtype=f8e4m3", kExtremes},
    {"NO_NEGATIVE_SCALE", "1x2x40x64:kvtype=q8_0 1x2x40x32:kvtype=q8_0", kExtremes},
    {"SCALES_BELOW_ONE", "1x2x40x64:kvtype=q4_1", kExtremes},
    {"SMALL_K_SCALES_ARE_0", "1x2x40x64:kvtype=q8_0", kExtremes},
    {"NO_MAXIMUM", "1x2x40x64:in=large", "N"},
    {"NO_MAXIMUM MAXIMUM_FROM_ZERO SCORES_BELOW_80 NO_MAXIMUM_BUT_OF_EQUAL_KEYS MAXIMUM_FROM_400_BELOW "
     "SCORES_WITHIN_400 DROPS_9_BELOW FAR_ROWS_A_LITTLE V_BELOW_4",
     "1x2x40x64", kExtremes},
    {"NO_MAXIMUM", "1x2x200x128:q=1:softcap=100:f16", kExtremes, Has::converted},
    {"NO_MAXIMUM_WHERE_WRITTEN NO_MAXIMUM_BY_SHARED", "1x2x40x64", kExtremes, Has::later},
    {"NO_MAXIMUM_WHERE_FIRST_IS_SMALL", "1x8x100x64:q=40", kExtremes},
    {"MAXIMUM_OF_THE_FIRST_TILE", "1x2x70x64", kExtremes},
    {"LAST_ROW_WITHIN_40", "1x8x257x64", kExtremes, Has::costly},
    {"DROPS_9_BELOW", "1x2x100x64:f16", kExtremes, Has::converted},
    {"DROPS_9_BELOW", "1x4x100x64:q=1", kExtremes, Has::costly},
    {"DROPS_WHAT_ONE_LEADS_BY_5 TAKES_NEAR_SCORES_FOR_EQUAL MAXIMUM_WITHOUT_THE_FIRST TAKES_A_KEY_FOR_THE_LAST "
     "TAKES_A_ROW_FOR_THE_LAST",
     "1x2x40x64", kExtremes, Has::costly},
    {"MAXIMUM_WITHOUT_THE_LAST", "1x2x97x64:q=40", kExtremes, Has::costly},
    {"MAXIMUM_WITHOUT_THE_TAIL", "1x2x33x64", kExtremes, Has::costly},
    {"NAN_OF_A_ZERO_Q NAN_OF_A_ZERO_K NAN_OF_A_ZERO_V", kSmall, kExtremes},
    {"NAN_OF_NO_KEY", "1x3x41x32:q=8:mask", kExtremes},
    {"NAN_OF_A_HIDDEN_TILE", "1x3x60x32:mask", kExtremes},
    {"PADDING_OF_ZEROS", kSmall, kExtremes, Has::costly},
    {"PADDING_OF_ZEROS", "1x8x100x64:q=40:f16", kExtremes, Has::costly | Has::converted | Has::coarse},
    {"FAR_ROWS_A_HUNDREDTH", "1x8x100x64:q=40:f16", kExtremes, Has::converted},
    {"V_BELOW_4", "1x2x40x64:f16", kExtremes, Has::converted},
    {"SCORES_WITHIN_40", "1x4x100x64:f16", kExtremes, Has::converted | Has::half_sums},
    {"NO_MAXIMUM_WHERE_NO_V_IS_0 NO_MAXIMUM_WHERE_KEYS_BEGIN_AS_DRAWN", "1x4x100x64", kExtremes, Has::costly},
    {"NO_MAXIMUM_OF_NEAR_MASKS", "1x4x100x64:mask", kExtremes, Has::costly},
    {"INFINITY_OF_FAR_ROWS", "1x4x600x64:f16", kExtremes, Has::converted | Has::half_sums | Has::costly},
    {"TWO_ROWS_TELL_OF_A_TILE", "1x1x200x32:mask=causal", kExtremes},
    {"HALF_OF_THE_KEYS_TELL_OF_A_TILE", "1x1x200x32:mask", kExtremes},
    {"MASK_WITHIN_8", "1x3x40x32:mask", kExtremes},
    {"MASK_ABOVE_1010", "1x3x41x32:mask", kExtremes},
    {"SINKS_ABOVE_A_TENTH", "1x3x40x32:sinks 1x1x40x32:q=1:sinks", kExtremes},
    {"SINKS_BELOW_12", "1x16x100x64:q=1:sinks", kExtremes},
    {"ONE_KEY_OF_FOUR", "1x2x64x32:topk=16", kExtremes},
    {"HALF_PRECISION", kSmall, "NMSE"},
    {"BFLOAT_PRECISION", "1x2x100x64:causal:f16", "NMSE", Has::converted},
};
const std::vector<Kernel> kKernels = [] {
  std::vector<Kernel> all;
  for (const Alike& a : kAlike)
    for (const std::string& name : words(a.names))
      for (const std::string& problem : words(a.problems)) all.push_back({name, problem, a.reason, a.has});
  return all;
}();

std::string key_of(const Kernel& k) {
  return fmt::format("{}{}", k.name,
                     k.has & Has::declared    ? "_declared"
                     : k.has & Has::seldom    ? "_alone"
                     : k.has & Has::zeroed    ? "_zeroed"
                     : k.has & Has::converted ? "_converted"
                                              : "");
}

VariantSource source_of(const Kernel& k) {
  const bool scratch = k.has & Has::scratch, afterwards = k.has & Has::afterwards;
  const auto pass = [&](const char* name, const char* grid, const std::string& more) {
    return fmt::format(
        "[[pass]]\nname = \"{}\"\nshader = \"wrong.comp\"\ngrid = {}\ndefines = {{ {} = 1, PAGED = \"page_size\"{}{} "
        "}}\n",
        name, grid, k.name, scratch ? k.has & Has::seldom ? ", SCRATCH = 1, ALONE = 1" : ", SCRATCH = 1" : "", more);
  };
  VariantSource source;
  source.name = key_of(k);
  source.files["wrong.comp"] = read_file(shipped("tests/wrong/wrong.comp"));
  for (const Kernel& other : kKernels)
    source.files["only.glsl"] +=
        fmt::format("#define ONLY_{}(code){}\n", other.name, other.name == k.name ? " code" : "");
  std::string& manifest = source.files["manifest.toml"];
  manifest = fmt::format(
      "title = \"{}\"\nsummary = \"One of the battery of wrong kernels.\"\ndtypes = [\"f32\", \"f16\", \"bf16\"]\n"
      "options = [\"window\", \"softcap\", \"sinks\", \"mask\", \"alibi\", \"packed_kv\", \"topk\"]\n",
      k.name);
  if (k.has & Has::declared) manifest += "nondeterministic = \"its last bit follows a counter\"\n";
  if (k.has & Has::coarse)
    manifest += k.has & Has::converted ? "precision.scores = \"f16\"\n" : "precision.kv = \"bf16\"\n";
  if (k.has & Has::half_sums) manifest += "precision.accumulate = \"f16\"\nprecision.probabilities = \"f16\"\n";
  if (k.has & Has::converted)
    for (const char* tensor : {"q", "k", "v", "o"}) manifest += fmt::format("tensors.{}.type = \"f32\"\n", tensor);
  if (scratch)
    manifest += fmt::format("[[scratch]]\nname = \"state\"\nbinding = 8\nbytes = \"4 * {}\"\n",
                            k.name == "WRITES_PAST_SCRATCH"
                                ? "heads_q * seq_q"
                                : "(batch * heads_q * seq_q * (2 * max(seq_kv, v_dim) + 8) + batch * heads_kv * seq_kv "
                                  "* head_dim)");
  if (k.has & Has::zeroed) manifest += "zeroed = true\n";
  if (k.has & Has::before) manifest += pass("before", R"(["seq_q", "batch * heads_q"])", ", BEFORE = 1");
  manifest += pass("work", R"(["seq_q", "batch * heads_q"])", "");
  if (afterwards)
    manifest += pass("afterwards", R"x(["ceil_div(batch * heads_q * seq_q * v_dim, 32)"])x",
                     ", AFTERWARDS = 1, AFTERWARDS_ELEMENTS = 2560");
  return source;
}

/// One session for all, as in a sweep: what one kernel spoils must not reach the next.
struct Wrong : testing::Test {
  void SetUp() override {
    std::vector<VariantSource> sources = shipped_sources({"row"});
    for (const Kernel& k : kKernels) {
      if (std::ranges::any_of(sources, [&](const auto& s) { return s.name == key_of(k); })) continue;
      sources.push_back(source_of(k));
      sources.back().common = sources.front().common;
    }
    session_ = cpu_session(sources);
  }

  enum class Mode { verify, timed, live };
  Record run(const std::string& variant, const std::string& problem, Mode mode) {
    RunRequest request = small_run(problem.c_str(), variant);
    request.measure = mode != Mode::verify;
    request.live = mode == Mode::live;
    request.resources = false;
    request.batch_ms = 1;
    std::atomic<bool> cancel{false};
    size_t batches = 0;
    // A live run that goes on for as long as this was not caught.
    const EventSink sink = [&](const Event& e) {
      if (request.live && std::holds_alternative<SampleBatch>(e) && ++batches == 20) cancel = true;
    };
    return *must(session_->run(request, sink, cancel), variant);
  }

  void expect_caught(const Kernel& k, Mode mode, const char* how) {
    const Record r = run(key_of(k), k.problem, mode);
    EXPECT_TRUE(ended(r, Outcome::failed_verdict, k.reason)) << k.name << " was not caught when " << how;
    EXPECT_TRUE(r.samples_ns.empty() && !r.statistics) << k.name << " has a time when " << how;
  }

  /// As `sweep` and `tune` try it, beside one of the configs that are honest.
  Trial try_config(const std::string& variant, const std::string& problem) {
    TrialsRequest request = trials_of(problem.c_str(), variant, {Config{}});
    request.protocol.warmup_ms = request.protocol.min_ms = 1;
    request.drop = false;
    std::vector<TrialDone> told;
    std::ignore = must(session_->trials(request, keep(told), kGoOn), variant);
    return told.empty() ? Trial{} : told.back().trial;
  }

  std::unique_ptr<Session> session_;
};

/// What a search believes it keeps, and drops others by.
TEST_F(Wrong, EachIsCaughtInASearchToo) {
  for (const Kernel& k : kKernels) {
    // What the first execution shows is found as in a run that is timed, but for a small error: a search judges that by
    // what the device computed.
    const bool at_once =
        k.has == Has::nothing && *k.reason != '\0' && k.reason != kExtremes && k.name != "HALF_PRECISION";
    const bool of_an_option = std::ranges::count(words("STALE_MASK STALE_SINKS STALE_LISTS STALE_PAGES"), k.name) != 0;
    if (at_once || k.has & Has::costly || (k.has & Has::seldom && !of_an_option)) continue;
    const Trial trial = try_config(key_of(k), k.problem);
    EXPECT_EQ(trial.outcome, *k.reason == '\0' ? Outcome::measured : Outcome::failed_verdict)
        << k.name << " on " << k.problem << ": " << trial.message;
    EXPECT_EQ(trial.samples_ns.empty() && trial.median_ns == 0, *k.reason != '\0') << k.name;
  }
}

TEST_F(Wrong, EachIsCaughtAndHasNoTime) {
  size_t wrong = 0;
  for (const Kernel& k : kKernels) {
    if (*k.reason == '\0' || k.has & Has::seldom) continue;
    ++wrong;
    expect_caught(k, Mode::timed, "timed");
    // What it left behind is nobody else's.
    if (!(k.has & Has::afterwards)) continue;
    EXPECT_TRUE(ended(run("row", k.problem, Mode::verify), Outcome::verified)) << "after " << k.name;
  }
  EXPECT_GE(wrong, 25u);
}

/// Those that the first execution does not show; for the others it is the same judgement.
TEST_F(Wrong, WhatShowsLaterIsCaughtWithoutATimeTooAndALiveRunIsJudgedAsItGoesOn) {
  for (const Kernel& k : kKernels) {
    if (k.has & (Has::later | Has::seldom)) expect_caught(k, Mode::verify, "verified alone");
    if (k.has & Has::only_when_timed && !(k.has & Has::costly)) expect_caught(k, Mode::live, "live");
  }
}

TEST_F(Wrong, WhatOneOfARaceDoesToTheInputsIsNoOthersFaultAndWhatACancelLeftUnjudgedHasNoTime) {
  RaceRequest request{.problem = *parse_problem("1x1x40x32:q=1"),
                      .entries = {{"KEEPS_RESULTS_BEHIND_K", {}}, {"HONEST", {}}},
                      .protocol = small_run("1x1x40x32:q=1", "HONEST").protocol};
  const auto raced = must(session_->race(request, {}, kGoOn));
  EXPECT_FALSE(raced->records[0].statistics) << "its time is believed";
  EXPECT_EQ(raced->records[1].outcome, Outcome::error) << reason_of(raced->records[1]);
  request.entries[0].variant = "WRITES_INTO_K";
  const auto apart = must(session_->race(request, {}, kGoOn));
  EXPECT_EQ(apart->records[0].outcome, Outcome::failed_verdict);
  EXPECT_EQ(apart->records[1].outcome, Outcome::measured) << reason_of(apart->records[1]);
  RunRequest slow = small_run("1x16x200x64", "HONEST");  // some tenths of a second
  slow.protocol.min_ms = 60000;
  slow.batch_ms = 1;
  std::atomic<bool> cancel{false};
  const auto r = must(session_->run(
      slow, [&](const Event& e) { cancel = cancel || std::holds_alternative<SampleBatch>(e); }, cancel));
  EXPECT_EQ(r->outcome, Outcome::cancelled);
  EXPECT_TRUE(r->samples_ns.empty() && !r->statistics);
}

TEST_F(Wrong, AMapShowsWhereAndTheWorstHead) {
  const auto map = [&](const char* variant, const char* problem) {
    const ErrorMapRequest request{.problem = *parse_problem(problem), .variant = variant, .worst_head = true};
    const ErrorMapAnswer answer = *must(session_->error_map(request, {}, kGoOn));
    EXPECT_EQ(answer.record.outcome, Outcome::failed_verdict) << variant;
    return must(answer.map).value();
  };
  const ErrorMap row = map("ONE_ROW", "1x2x140x32");
  ASSERT_TRUE(row.first_of_all && !row.first.empty());
  for (const ErrorElement& e : row.first) EXPECT_EQ(e.query, 137u);
  EXPECT_EQ(row.first_of_all->query, 137u);
  EXPECT_EQ(row.first_of_all->dim, row.first.front().dim);
  const ErrorMap head = map("LAST_HEAD", "1x3x40x32");
  EXPECT_EQ(head.head, 2u);
  EXPECT_GT(head.failing, 0u);
  ASSERT_EQ(head.heads.size(), 3u);
  EXPECT_TRUE(head.heads[0] <= 1 && head.heads[1] <= 1 && head.heads[2] > 1);
  const ErrorMap batch = map("LAST_BATCH", "3x2x40x32");
  EXPECT_GE(batch.batch, 1u) << "head 0 of all batches but the first";
  EXPECT_EQ(batch.head, 0u);
}

TEST_F(Wrong, TheHonestPass) {
  for (const Kernel& k : kKernels) {
    if (*k.reason != '\0') continue;
    for (const Mode mode : {Mode::verify, Mode::timed, Mode::live}) {
      if (mode == Mode::live && has(k.problem, ":")) continue;
      const Record r = run(key_of(k), k.problem, mode);
      EXPECT_EQ(r.outcome, mode == Mode::verify ? Outcome::verified : Outcome::measured)
          << k.name << ": " << (r.verdict ? r.verdict->reason : "") << r.message;
      EXPECT_EQ(r.statistics.has_value(), mode != Mode::verify) << k.name;
    }
  }
}

}  // namespace attnscope::wrong_test
