// Devices beside the one that is shown, with fake sessions behind real links: no window, no device.
#include "app/gui/shell/settings.hpp"
#include "tests/gui/state/workbench_fixture.hpp"

namespace attnscope::gui::extra_devices_test {

struct ExtraDevicesTest : WorkbenchTest {
  std::shared_ptr<FakeWorld> there = std::make_shared<FakeWorld>();
  uint64_t id = 0;

  void pump() override {
    WorkbenchTest::pump();
    for (const size_t left : bench.others.beside.take_left()) links.end(left);
    for (const uint64_t wanted : bench.others.beside.without_link())
      bench.others.beside.link(wanted, links.add(fake_links(there).front()));
    if (!links.held()) links.resume_added();
  }
  void connect(const std::string& selector = "") {
    id = *bench.others.beside.add("ssh box attnscope worker", selector);
    bench.others.beside.connect(id);
  }
  const ExtraDevice& other() { return *bench.others.beside.find(id); }
  bool has_word() { return other().reading && other().reading->word; }
};

TEST_F(ExtraDevicesTest, BothMeasureTheSameAndAWordComesFromTheirSamples) {
  there->sample_ms = 5;
  connect("cpu");
  // A device that shares its CPU has to be slower by far for that.
  ASSERT_TRUE(until([&] { return has_word() && other().reading->word->relation == Relation::slower; }));
  const ExtraReading& r = *other().reading;
  EXPECT_NEAR(r.word->ratio, 5, 0.8);
  EXPECT_DOUBLE_EQ(r.word->ratio, r.record.statistics->median / bench.others.beside.first()->record.statistics->median)
      << "what is shown together was compared together";
  EXPECT_EQ(r.record.environment.device.name, "Test CPU device") << "its numbers say which device they are of";
  EXPECT_EQ(bench.device_state.device->name, "Test GPU");
  EXPECT_EQ(bench.device_state.devices.size(), 3u) << "the picker lists those of its own workers alone";

  bench.request.set_value("BLOCK_M", 64);
  pump();
  EXPECT_FALSE(other().reading) << "no number of another config stands as this one's";
  ASSERT_TRUE(until([&] { return has_word(); }));
  EXPECT_EQ(other().reading->record.config.at("BLOCK_M"), 64);
}

TEST(ExtraDevices, AWordComesWithTheSamplesThatItNeedsAndNotWithThePeriod) {
  ExtraDevices devices;
  const uint64_t id = *devices.add("", "");
  devices.connect(id);
  devices.link(id, 7);
  const Selection asked{*parse_problem("1x4x32x32"), "tiled", {}};
  Record run;
  ask(run, asked);
  Live first;
  first.start(asked, {});
  (void)devices.hear(7, RunStarted{asked, {}}, false);
  const auto both = [&](const Event& event) {
    first.hear(event, false);
    (void)devices.hear(7, RunEvent{asked, event}, false);
  };
  const SampleBatch batch{std::vector<double>(ExtraDevices::kEnough - 1, 1e6)};
  both(RunBegan{std::make_shared<const Record>(make_record(run))});
  both(Verdict{.pass = true});
  devices.step(&first, asked, {}, 100);
  both(batch);
  devices.step(&first, asked, {}, 100.01);
  EXPECT_FALSE(must(devices.find(id)->reading)->word);
  both(batch);
  devices.step(&first, asked, {}, 100.02);
  EXPECT_TRUE(devices.find(id)->reading->word);
  both(batch);
  devices.step(&first, asked, {}, 100.03);
  EXPECT_EQ(devices.find(id)->reading->record.samples_ns.size(), 2 * batch.samples_ns.size()) << "then by periods";
}

TEST_F(ExtraDevicesTest, WhatGoesWrongWithOneStandsAtItAlone) {
  connect();
  ASSERT_TRUE(until([&] { return has_word(); }));
  there->die_in_run = true;
  ASSERT_TRUE(until([&] { return !other().live.failure.empty(); }));
  EXPECT_TRUE(has(why_not_measured(other(), bench.request.selection), "signal 9"));
  EXPECT_TRUE(has(why_not_measured(other(), bench.request.selection), "Try again")) << "and that it waits";
  const uint64_t before = bench.live.timed()->series.taken();
  ASSERT_TRUE(until([&] { return bench.live.timed() && bench.live.timed()->series.taken() > before + 100; }));
  EXPECT_TRUE(bench.live.timed()->failure.empty());
  const int runs = there->runs;
  ASSERT_TRUE(until([&] { return bench.live.timed()->series.taken() > before + 200; }));
  EXPECT_EQ(there->runs, runs) << "what was lost is not dispatched again unasked";
  bench.others.beside.try_again(id);
  EXPECT_TRUE(until([&] { return has_word(); }));

  // And the other way round: the first is lost, the one beside it goes on.
  world->die_in_run = true;
  ASSERT_TRUE(until([&] { return bench.live.shown() && !bench.live.shown()->failure.empty(); }));
  const uint64_t beside = other().live.series.taken();
  EXPECT_TRUE(until([&] { return other().live.series.taken() > beside + 100; }));
  ASSERT_TRUE(until([&] { return other().reading && !other().reading->word; })) << "there is nothing to compare with";
}

TEST_F(ExtraDevicesTest, OneThatFallsSilentInABatchHoldsUpNobodyInQuietMode) {
  bench.request.quiet = true;
  connect();
  ASSERT_TRUE(until([&] { return has_word(); }));
  there->silent = true;
  ASSERT_TRUE(until([&] { return links.sampling(*other().worker); }));
  const uint64_t there_before = other().live.series.taken(), before = bench.live.timed()->series.taken();
  EXPECT_TRUE(until([&] { return bench.live.timed()->series.taken() > before + 200; })) << "the first goes on";
  EXPECT_LE(other().live.series.taken(), there_before + 20) << "it was silent all the time";
  there->silent = false;
  EXPECT_TRUE(until([&] { return other().live.series.taken() > there_before + 100; }));

  // And the other way round: a first that has nothing to do does not keep the one beside it waiting.
  world->silent = true;
  const uint64_t beside = other().live.series.taken();
  EXPECT_TRUE(until([&] { return other().live.series.taken() > beside + 200; }));
  world->silent = false;
}

TEST_F(ExtraDevicesTest, ItIsSilentWhileASearchMeasuresAndWhenItIsEnded) {
  connect();
  ASSERT_TRUE(until([&] { return has_word(); }));
  const size_t worker = *other().worker;
  bench.request.paused = true;
  EXPECT_FALSE(bench.request_of(worker)->run);
  bench.request.paused = false;
  world->trials_allowed = 0;
  links.at(0)->search(*must(bench.sweep("tiled")));
  ASSERT_TRUE(until([&] { return bench.search.measuring(); }));
  EXPECT_FALSE(bench.request_of(worker)->run) << "the search's times are not to be disturbed";
  world->trials_allowed = 1000;
  bench.others.beside.disconnect(id);
  EXPECT_FALSE(bench.request_of(worker));
  EXPECT_FALSE(other().device || other().reading);
  const int runs = there->runs;
  ASSERT_TRUE(until([&] { return !bench.search.running(); }));
  EXPECT_EQ(there->runs, runs);
}

TEST_F(ExtraDevicesTest, SettingsRememberTheCommandAndStartNothing) {
  connect("1");
  const std::string text = settings_text(bench, {}, {1280, 800});
  Workbench next{options};
  Layout layout;
  WindowSize window;
  EXPECT_EQ(*must(settings_from(text, next, layout, window)), "");
  EXPECT_EQ(only(next.others.beside.all()).command, "ssh box attnscope worker");
  EXPECT_EQ(next.others.beside.all()[0].selector, "1");
  EXPECT_FALSE(next.others.beside.all()[0].connected);
  EXPECT_TRUE(next.others.beside.without_link().empty()) << "no worker is started at a start";
  Workbench third{options};
  EXPECT_FALSE(settings_from(R"({"beside": [{"command": 7, "device": ""}, 3]})", third, layout, window));
  EXPECT_TRUE(third.others.beside.all().empty());
}

TEST(DisturbEachOther, TellsOneDeviceFromTwo) {
  const DeviceInfo gpu{.type = DeviceType::discrete_gpu, .device_uuid = "aa"},
      cpu{.type = DeviceType::software, .device_uuid = "bb"};
  DeviceInfo same = gpu;
  EXPECT_NE(disturb_each_other(gpu, "m1", same, "m1"), "");
  EXPECT_EQ(disturb_each_other(gpu, "m1", same, "m2"), "") << "a UUID that two machines have is no identity";
  same.device_uuid = "cc";
  EXPECT_EQ(disturb_each_other(gpu, "m1", same, "m1"), "") << "two GPUs of one machine";
  EXPECT_NE(disturb_each_other(cpu, "m1", cpu, "m1"), "");
  EXPECT_EQ(disturb_each_other(cpu, "m1", cpu, "m2"), "") << "every llvmpipe of a version has the same UUID";
  EXPECT_EQ(disturb_each_other(cpu, "", cpu, ""), "");
  EXPECT_EQ(disturb_each_other(gpu, "m1", cpu, "m1"), "");
}

}  // namespace attnscope::gui::extra_devices_test
