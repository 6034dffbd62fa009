/// \file
/// Everything but MPI.
#pragma once

#include <nearfork/blocking.hpp>
#include <nearfork/context.hpp>
#include <nearfork/distribution.hpp>
#include <nearfork/error.hpp>
#include <nearfork/exceptions.hpp>
#include <nearfork/index_range.hpp>
#include <nearfork/indices.hpp>
#include <nearfork/isolate.hpp>
#include <nearfork/join.hpp>
#include <nearfork/local_resource.hpp>
#include <nearfork/loop_options.hpp>
#include <nearfork/morsel.hpp>
#include <nearfork/node_resource.hpp>
#include <nearfork/numa_array.hpp>
#include <nearfork/parallel_for.hpp>
#include <nearfork/parallel_reduce.hpp>
#include <nearfork/placement.hpp>
#include <nearfork/policies.hpp>
#include <nearfork/pool.hpp>
#include <nearfork/scan.hpp>
#include <nearfork/sort.hpp>
#include <nearfork/statistics.hpp>
#include <nearfork/task_group.hpp>
#include <nearfork/worker_local.hpp>
