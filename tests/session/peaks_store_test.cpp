// Ceilings on disk: by device and driver, whole files or none, nothing trusted that is not what it should be.
#include "engine/session/peaks_store.hpp"
#include "engine/peaks/measure.hpp"
#include "tests/has.hpp"

namespace attnscope::peaks_store_test {

DeviceInfo device(const std::string& driver = "Driver 1") {
  return {.name = "Some GPU", .driver = driver, .device_uuid = "00ff"};
}
Peaks peaks_of(const DeviceInfo& d) {
  return {d.name,
          d.device_uuid,
          d.driver,
          peaks::kernels.hash(),
          "2026-11-21T00:00:00Z",
          {{.kind = CeilingKind::copy, .value = 4200}, {.kind = CeilingKind::exp2, .why_not = "no"}}};
}

struct PeaksStoreTest : testing::Test {
  TempDir dir_;
  PeaksStore store_{dir_.path()};
  std::string note_;
};

TEST_F(PeaksStoreTest, KeepsThemForADeviceAndItsDriver) {
  EXPECT_FALSE(store_.load(device(), note_));
  EXPECT_EQ(store_.store(device(), peaks_of(device())), "");
  EXPECT_EQ(store_.load(device(), note_), peaks_of(device()));
  EXPECT_FALSE(store_.load(device("Driver 2"), note_)) << "another driver's";
  DeviceInfo other = device();
  other.device_uuid = "00fe";
  EXPECT_FALSE(store_.load(other, note_)) << "another device of the same name";
  EXPECT_EQ(note_, "");
  for (const auto& entry : fs::directory_iterator(dir_.path() / "peaks"))
    EXPECT_EQ(entry.path().extension(), ".json") << "nothing is left behind";
}

TEST_F(PeaksStoreTest, DoesNotUseWhatItCannotRead) {
  for (const std::string text : {"{\"schema\":1,\"peaks\":{\"cei", "[]", "{\"schema\":2,\"peaks\":{\"ceilings\":[]}}",
                                 "{\"schema\":1,\"peaks\":{\"ceilings\":[{\"kind\":\"odd\"}]}}"}) {
    SCOPED_TRACE(text);
    note_.clear();
    write_file(store_.file_of(device()), text);
    EXPECT_FALSE(store_.load(device(), note_));
    EXPECT_TRUE(has(note_, "not used"));
  }
  // A file of another device under this one's name.
  EXPECT_EQ(store_.store(device(), peaks_of(device("Driver 2"))), "");
  note_.clear();
  EXPECT_FALSE(store_.load(device(), note_));
  EXPECT_TRUE(has(note_, "it is of Some GPU under Driver 2"));
  note_.clear();
  // What other kernels measured is measured anew.
  Peaks older = peaks_of(device());
  older.kernels = "0";
  EXPECT_EQ(store_.store(device(), older), "");
  EXPECT_FALSE(store_.load(device(), note_));
  EXPECT_EQ(note_, "") << "nothing is wrong with it";
}

}  // namespace attnscope::peaks_store_test
