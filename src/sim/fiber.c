/* SPDX-License-Identifier: Apache-2.0
 * fiber.c - stacks with a guard page, switched by ucontext.
 *
 * Why:   sanitizers follow the stack pointer; each switch is announced to them, or they would report what is no fault.
 * Tests: test/unit/sim/test_world.c, also under the address sanitizer. */
#include "sim/fiber.h"
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#endif
#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

enum { STACK_BYTES = 512 * 1024, GUARD_BYTES = 4096 };

void sim__fiber_init_own(SimFiber *fiber) {
    *fiber = (SimFiber){0};
#ifdef FIBER_TSAN
    fiber->thread_state = __tsan_get_current_fiber();
#endif
}

void sim__fiber_init(SimFiber *fiber, SimFiberMain main) {
    *fiber = (SimFiber){.stack_bytes = STACK_BYTES};
    uint8_t *memory = mmap(NULL, STACK_BYTES + GUARD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        fatal(ERR_OUT_OF_MEMORY, "no memory for a fiber's stack");
    }
    if (mprotect(memory, GUARD_BYTES, PROT_NONE) != 0) {
        fatal(ERR_OUT_OF_MEMORY, "no guard page for a fiber's stack");
    }
    fiber->stack = memory + GUARD_BYTES;
    fiber->stack_bottom = fiber->stack;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, main, 0);
#ifdef FIBER_TSAN
    fiber->thread_state = __tsan_create_fiber(0);
#endif
}

void sim__fiber_deinit(SimFiber *fiber) {
    if (fiber->stack == NULL) {
        return;
    }
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(fiber->thread_state);
#endif
    munmap((uint8_t *)fiber->stack - GUARD_BYTES, STACK_BYTES + GUARD_BYTES);
    fiber->stack = NULL;
}

void sim__fiber_entered(SimFiber *from) {
#ifdef FIBER_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &bytes);
    if (from->stack == NULL) {
        from->stack_bottom = bottom;
        from->stack_bytes = bytes;
    }
#else
    (void)from;
#endif
}

void sim__fiber_switch(SimFiber *from, SimFiber *to, bool last) {
    assert(from != to);
#ifdef FIBER_ASAN
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack_bottom, to->stack_bytes);
#else
    (void)last;
#endif
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(to->thread_state, 0);
#endif
    swapcontext(&from->context, &to->context);
#ifdef FIBER_ASAN
    const void *bottom;
    size_t bytes;
    __sanitizer_finish_switch_fiber(from->fake_stack, &bottom, &bytes);
#endif
}
