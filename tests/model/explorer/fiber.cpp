#include "fiber.hpp"

#include <cstdint>

// swapcontext would do, but its two system calls a switch are most of a step's time. Written for
// the two processors the project supports: save what the calling convention calls ours, exchange
// stacks, load it back, return.
#if defined(__x86_64__)
asm(R"(
.text
.globl nearfork_model_switch
.type nearfork_model_switch, @function
nearfork_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size nearfork_model_switch, .-nearfork_model_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl nearfork_model_switch
.type nearfork_model_switch, %function
nearfork_model_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size nearfork_model_switch, .-nearfork_model_switch
)");
#else
#error "the explorer knows how to switch stacks on x86-64 and AArch64 only"
#endif

extern "C" void nearfork_model_switch(void** save, void* load) noexcept;

namespace nearfork::model {

void make_fiber(fiber_context& context, std::byte* stack, std::size_t size,
                void (*entry)()) noexcept {
  auto top = reinterpret_cast<std::uintptr_t>(stack + size) & ~std::uintptr_t{63};
  auto* frame = reinterpret_cast<std::uintptr_t*>(top);
#if defined(__x86_64__)
  // Six registers, then the address that `ret` jumps to, then a place for a return address that
  // is never used: at entry the stack is aligned as after a call.
  *--frame = 0;
  *--frame = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < 6; ++i) *--frame = 0;
#elif defined(__aarch64__)
  frame -= 20;
  for (int i = 0; i < 20; ++i) frame[i] = 0;
  frame[11] = reinterpret_cast<std::uintptr_t>(entry);  // x30
#endif
  context.stack_pointer = frame;
}

void switch_fiber(fiber_context& from, const fiber_context& to) noexcept {
  nearfork_model_switch(&from.stack_pointer, to.stack_pointer);
}

}  // namespace nearfork::model
