// How wide the terminal is that text goes to.
#pragma once

#include <cstddef>

namespace attnscope::cli {

/// Columns of `descriptor`'s terminal: COLUMNS where it is a number, else what the terminal says; `otherwise` where
/// there is none, such as in a pipe. Never less than 40, nor more than 10,000.
size_t terminal_width(int descriptor, size_t otherwise);
/// Whether stderr is one that obeys orders, so that a line on it can be drawn again.
bool draws_progress();
/// Of stdout; 100 in a pipe or a file.
size_t output_width();

}  // namespace attnscope::cli
