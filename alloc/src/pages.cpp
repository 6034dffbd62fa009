#include <nearfork/detail/pages.hpp>

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

namespace nearfork::detail {

page_block allocate_pages(std::size_t bytes, std::size_t) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  page_block block;
  block.bytes = (bytes + page - 1) / page * page;
  if (block.bytes == 0) block.bytes = page;
  void* p = mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  block.data = p;
  return block;
}

void free_pages(page_block block) noexcept {
  if (block.data != nullptr) munmap(block.data, block.bytes);
}

}  // namespace nearfork::detail
