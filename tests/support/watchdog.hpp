/// \file
/// Turns a test that hangs into a failure with the stacks of all its threads.
///
/// The watchdog is a process of its own, so that it works whatever state the test's process is in
/// (every thread asleep, malloc's lock held), adds no thread to it, and is not seen by a test that
/// counts threads or waits for its children. It is told over a socket when a test case starts and
/// ends; when one runs longer than the limit it prints the test's name, the stacks (by gdb where
/// there is one, else what /proc tells and each thread's own backtrace), and ends the process by
/// SIGABRT.
#pragma once

#include <chrono>

namespace nearfork::support {

/// Starts it for this process, before any thread exists, and hooks it into GoogleTest. The limit is
/// NEARFORK_TEST_LIMIT_S seconds a test case, or 120 s, and longer under sanitizers.
/// NEARFORK_TEST_LIMIT_S=0 turns it off (for debuggers).
void start_watchdog();

/// The limit in force.
std::chrono::seconds test_limit();

}  // namespace nearfork::support
