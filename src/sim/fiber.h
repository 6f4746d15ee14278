/* SPDX-License-Identifier: Apache-2.0
 * fiber.h - one stack and the switch to it, told to the sanitizers. */
#pragma once
#include "base/memory.h"
#include <ucontext.h>

typedef struct SimFiber {
    ucontext_t context;
    void *stack; /* NULL: the caller's own stack */
    size_t stack_bytes;
    const void *stack_bottom; /* for the address sanitizer; of the caller's stack learned at the first switch away */
    void *fake_stack;
    void *thread_state; /* for the thread sanitizer */
} SimFiber;

typedef void (*SimFiberMain)(void);

void sim__fiber_init_own(SimFiber *fiber);                       /* the running stack */
void sim__fiber_init(SimFiber *fiber, SimFiberMain main);        /* main must never return: it ends with a last switch */
void sim__fiber_deinit(SimFiber *fiber);
/* from: the running one. last: it will never run again. Returns when somebody switches back. */
void sim__fiber_switch(SimFiber *from, SimFiber *to, bool last);
void sim__fiber_entered(SimFiber *from); /* first thing in main: from is the fiber that switched here */
