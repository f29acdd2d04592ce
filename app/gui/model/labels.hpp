// When a run was, in few letters.
#pragma once

#include <ctime>

#include "app/gui/model/device_state.hpp"
#include "app/gui/model/pins.hpp"
#include "app/gui/model/session_log.hpp"

namespace attnscope::gui {

/// "now", "12 min ago", "5 h ago", within a week "3 d ago", else the day: "2026-11-22". `utc` as records have it
/// ("2026-11-22T16:10:05Z"), `now` in seconds of Unix time; what cannot be read comes back as it begins.
std::string short_when(const std::string& utc, std::time_t now);

/// One for each record, in order: the engine's short name of its config ("tiled BLOCK_M=16,BLOCK_N=32"). Where the
/// records differ in device, cache or launch mode every name says its own ("cold"); where names of one problem would
/// still be the same, they say what differs: the version of the shader ("#1", or its hash), the seed, and at last which
/// of several takes of the very same run it is ("take 2").
std::vector<std::string> labels_of(std::span<const Record* const>, const DeviceState&);

/// "row L=4,BN=2" of "row LANES=4,BLOCK_N=2": what is too long keeps its values, which tell it from others.
std::string with_initials(const std::string& name);

/// All that a record is of, for a hover: device, problem, config in full, modes, shader, samples.
std::string described(const Record&);

/// Names of pins by their ids, and by 0 that of what is asked. Rows of a file are told apart from each other alone.
std::map<uint64_t, std::string> pin_names(const Record& asked, const Pins&, const DeviceState&);
/// Names of runs by their numbers in the session log.
std::map<uint64_t, std::string> run_names(const SessionLog&, const DeviceState&);

}  // namespace attnscope::gui
