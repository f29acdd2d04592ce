// The worker's side of the protocol: serves one Session over two file descriptors, JSON-RPC 2.0 a line.
#pragma once

#include "engine/session/session.hpp"

namespace attnscope {

struct ServeOptions {
  /// Called when the other side is gone, or asked for a shutdown, and the run in flight did not end within two seconds:
  /// a dispatch that hangs cannot be interrupted, so this has to end the process and must not return.
  std::function<void()> abandon;
};

/// Serves until the other side closes `in_fd` or asks for a shutdown. Runs, opens and loads happen one at a time, in
/// order, on the calling thread; `inspect` and `devices` are answered meanwhile by a second thread, `cancel` at once.
/// The error is a broken stream; everything else is reported to the other side.
Result<void> serve(Session& session, int in_fd, int out_fd, const ServeOptions& options);

}  // namespace attnscope
