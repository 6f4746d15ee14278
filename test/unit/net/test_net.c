/* SPDX-License-Identifier: Apache-2.0
 * test_net.c - connections over real sockets: echo, back-pressure both ways, deadlines, peers that leave, limits, stopping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <signal.h>
#include <stdlib.h>
#include "net/net.h"

typedef struct Echo {
    NetConnection *connection;
    int64_t left;            /* bytes still to produce */
    atomic_bool gone;
} Echo;
static atomic_int open_count, gone_count;

static void *echo_opened(void *context, NetConnection *connection) {
    (void)context;
    atomic_fetch_add(&open_count, 1);
    Echo *echo = mem_calloc(1, sizeof(Echo));
    echo->connection = connection;
    return echo;
}
static void echo_gone(void *state) {
    atomic_store(&((Echo *)state)->gone, true);
    atomic_fetch_add(&gone_count, 1);
}
static void echo_closed(void *state) {
    atomic_fetch_sub(&open_count, 1);
    mem_free(state);
}

static NetWait produce(Echo *echo, NetConnection *c) {
    while (echo->left > 0) {
        size_t piece = (size_t)MIN_OF(echo->left, (int64_t)65536);
        buffer_append_fill(net_output(c), 'x', piece);
        echo->left -= (int64_t)piece;
        if (net_flush(c) > NET_OUTPUT_BYTES) {
            return (NetWait){.kind = NET_WAIT_OUTPUT};
        }
    }
    return (NetWait){.kind = net_input_ended(c) ? NET_CLOSE : NET_WAIT_INPUT};
}

/* Lines: "N\n" asks for N bytes; "sleep\n" is busy until told gone; "wait\n" has a deadline of 200 ms; else the line comes back. */
static NetWait echo_run(void *state, NetConnection *c) {
    Echo *echo = state;
    if (net_gone(c) || net_stopping(c)) {
        return (NetWait){.kind = NET_CLOSE};
    }
    if (net_timed_out(c)) {
        buffer_append_str(net_output(c), STR("late\n"));
        return (NetWait){.kind = NET_CLOSE};
    }
    for (;;) {
        if (echo->left > 0) {
            NetWait wait = produce(echo, c);
            if (wait.kind == NET_WAIT_OUTPUT) {
                return wait;
            }
        }
        Bytes input = net_input(c);
        Str text = {(const char *)input.data, input.len};
        ptrdiff_t newline = str_find_char(text, '\n', 0);
        if (newline < 0) {
            return (NetWait){.kind = net_input_ended(c) ? NET_CLOSE : NET_WAIT_INPUT};
        }
        Str line = str_slice(text, 0, (size_t)newline + 1);
        if (line.data[0] >= '0' && line.data[0] <= '9') {
            echo->left = strtoll(line.data, NULL, 10);
        } else if (str_equal(line, STR("sleep\n"))) {
            while (!atomic_load(&echo->gone)) {
                usleep(1000);
            }
        } else if (str_equal(line, STR("wait\n"))) {
            net_consume(c, line.len);
            return (NetWait){.kind = NET_WAIT_INPUT, .deadline_ms = net_now_ms() + 200};
        } else {
            buffer_append_str(net_output(c), line);
        }
        net_consume(c, line.len);
        (void)net_flush(c);
    }
}
static const NetHandler ECHO = {echo_opened, echo_run, echo_gone, echo_closed};

static Net *net;
static int port, narrow_port; /* narrow: a door with two workers at most */

static int setup(void **state) {
    (void)state;
    assert_int_equal(net_open(&(NetOptions){.connections_max = 20, .workers_max = 4, .send_stall_ms = 600}, &net, NULL), ERR_OK);
    assert_int_equal(net_listen(net, "127.0.0.1:0", &ECHO, NULL, STR("full\n"), &port, NULL), ERR_OK);
    assert_int_equal(net_listen(net, "127.0.0.1:0", &ECHO, NULL, STR("full\n"), &narrow_port, NULL), ERR_OK);
    net_limit_last(net, UINT32_MAX, 2);
    assert_int_equal(net_start(net, NULL), ERR_OK);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    net_stop(net, 100);
    assert_int_equal(atomic_load(&open_count), 0);
    net_close(net);
    return 0;
}

static int dial_to(int to) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)to), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 20};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}
static int dial(void) {
    return dial_to(port);
}
static void put(int fd, const char *text) {
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}
/* Reads until `want` bytes came or the stream ended. */
static size_t get(int fd, char *data, size_t want) {
    size_t len = 0;
    while (len < want) {
        ssize_t count = recv(fd, data + len, want - len, 0);
        if (count <= 0) {
            break;
        }
        len += (size_t)count;
    }
    return len;
}
static void expect(int fd, const char *want) {
    char got[256];
    size_t len = get(fd, got, strlen(want));
    assert_int_equal(len, strlen(want));
    assert_memory_equal(got, want, len);
}

static void echoes(void **state) {
    (void)state;
    int fds[10];
    for (int i = 0; i < 10; i++) {
        fds[i] = dial();
        put(fds[i], "wor");
    }
    for (int i = 0; i < 10; i++) {
        put(fds[i], "ld\nhello\n");
        expect(fds[i], "world\nhello\n");
        shutdown(fds[i], SHUT_WR);
        char byte;
        assert_int_equal(get(fds[i], &byte, 1), 0);
        close(fds[i]);
    }
}

static void large_answers_wait_for_the_reader(void **state) {
    (void)state;
    int fd = dial();
    enum { BYTES = 30000000 };
    put(fd, "30000000\nend\n");
    usleep(200000);
    char *data = mem_alloc(BYTES);
    assert_int_equal(get(fd, data, BYTES), BYTES);
    expect(fd, "end\n");
    mem_free(data);
    close(fd);
}

static void *feed_main(void *argument) {
    int fd = *(int *)argument;
    char line[1000];
    memset(line, 'y', sizeof line);
    line[sizeof line - 1] = '\n';
    for (int i = 0; i < 20000; i++) {
        size_t sent = 0;
        while (sent < sizeof line) {
            ssize_t count = send(fd, line + sent, sizeof line - sent, MSG_NOSIGNAL);
            if (count <= 0) {
                return NULL;
            }
            sent += (size_t)count;
        }
    }
    return NULL;
}

static void large_requests_come_back_whole(void **state) {
    (void)state;
    int fd = dial();
    pthread_t thread;
    pthread_create(&thread, NULL, feed_main, &fd);
    enum { BYTES = 20000000 };
    char *data = mem_alloc(BYTES);
    assert_int_equal(get(fd, data, BYTES), BYTES);
    pthread_join(thread, NULL);
    mem_free(data);
    close(fd);
}

static void deadlines_pass(void **state) {
    (void)state;
    int fd = dial();
    put(fd, "wait\n");
    expect(fd, "late\n");
    close(fd);
}

static void wait_for(atomic_int *value, int want) {
    for (int i = 0; i < 500 && atomic_load(value) != want; i++) {
        usleep(10000);
    }
    assert_int_equal(atomic_load(value), want);
}

static void a_peer_that_leaves_stops_the_work(void **state) {
    (void)state;
    int before = atomic_load(&gone_count);
    int fd = dial();
    put(fd, "sleep\n");
    usleep(50000);
    close(fd);
    wait_for(&gone_count, before + 1);
    fd = dial();
    put(fd, "900000000\n"); /* never read: the stall ends it */
    wait_for(&gone_count, before + 2);
    close(fd);
    wait_for(&open_count, 0);
}

/* Two connections become ready while one worker is idle: the one that is called takes the busy one, the other must not wait for it. */
static void a_busy_connection_holds_up_nobody(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        int busy = dial(), other = dial();
        setsockopt(busy, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger)); /* its end is seen at once */
        put(busy, "sleep\n");
        put(other, "hi\n");
        expect(other, "hi\n");
        close(busy);
        close(other);
    }
}

/* Some ask and read, some leave with an answer on its way, some with RST: the memory of connections is used again all the time. Beyond
 * the limit "full" is the answer. */
static void *storm_main(void *argument) {
    atomic_int *answers = argument;
    for (int i = 0; i < 300; i++) {
        int fd = dial(), kind = i % 4;
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = kind == 3}, sizeof(struct linger));
        const char *text = kind == 1 ? "200000\n" : "hello\nworld\n";
        (void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
        char got[12] = "";
        if (kind == 0 && get(fd, got, sizeof got) == sizeof got && memcmp(got, "hello\nworld\n", sizeof got) == 0) {
            atomic_fetch_add(answers, 1);
        }
        close(fd);
    }
    return NULL;
}

static void connections_come_and_go(void **state) {
    (void)state;
    pthread_t threads[4];
    atomic_int answers = 0;
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, storm_main, &answers);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    wait_for(&open_count, 0);
    assert_true(atomic_load(&answers) > 0); /* those that come first are not refused */
    int fd = dial();
    put(fd, "after\n");
    expect(fd, "after\n");
    close(fd);
}

/* More busy connections than one door may have; another door, and the door itself once they left, go on. */
static void a_door_holds_back_its_own_only(void **state) {
    (void)state;
    wait_for(&open_count, 0);
    int busy[6], quick = dial_to(narrow_port), beside = dial();
    for (int i = 0; i < 6; i++) {
        busy[i] = dial_to(narrow_port);
        put(busy[i], "sleep\n");
    }
    usleep(50000);
    put(beside, "beside\n");
    expect(beside, "beside\n");
    put(quick, "held\n");
    char byte;
    assert_int_equal(recv(quick, &byte, 1, MSG_DONTWAIT), -1);
    for (int i = 0; i < 6; i++) {
        close(busy[i]);
    }
    expect(quick, "held\n");
    close(quick);
    close(beside);
    wait_for(&open_count, 0);
}

static void too_many_are_refused(void **state) {
    (void)state;
    wait_for(&open_count, 0);
    int fds[21];
    for (int i = 0; i < 21; i++) {
        fds[i] = dial();
        if (i < 20) {
            put(fds[i], "a\n");
            expect(fds[i], "a\n");
        }
    }
    expect(fds[20], "full\n");
    for (int i = 0; i < 21; i++) {
        close(fds[i]);
    }
    wait_for(&open_count, 0);
}

static void a_taken_port_is_told(void **state) {
    (void)state;
    Net *other = NULL;
    char address[32];
    int got = 0;
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    Error err = {0};
    assert_int_equal(net_open(&(NetOptions){0}, &other, NULL), ERR_OK);
    assert_int_equal(net_listen(other, address, &ECHO, NULL, STR(""), &got, &err), ERR_OBJECT_IN_USE);
    assert_int_equal(net_listen(other, "nonsense", &ECHO, NULL, STR(""), &got, &err), ERR_INVALID_PARAMETER);
    net_close(other);
    assert_true(net_address_is_loopback("localhost:1"));
    assert_true(net_address_is_loopback("[::1]:1"));
    assert_false(net_address_is_loopback("0.0.0.0:1"));
}

static void stops_with_open_connections(void **state) {
    (void)state;
    int fd = dial();
    put(fd, "a\n");
    expect(fd, "a\n");
    int busy = dial();
    put(busy, "sleep\n");
    usleep(50000);
    net_stop(net, 100);
    char byte;
    assert_int_equal(get(fd, &byte, 1), 0);
    close(fd);
    close(busy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(echoes), cmocka_unit_test(large_answers_wait_for_the_reader), cmocka_unit_test(large_requests_come_back_whole),
        cmocka_unit_test(deadlines_pass), cmocka_unit_test(a_peer_that_leaves_stops_the_work), cmocka_unit_test(a_busy_connection_holds_up_nobody),
        cmocka_unit_test(connections_come_and_go), cmocka_unit_test(a_door_holds_back_its_own_only), cmocka_unit_test(too_many_are_refused),
        cmocka_unit_test(a_taken_port_is_told), cmocka_unit_test(stops_with_open_connections),
    };
    signal(SIGPIPE, SIG_IGN); /* as the program does: a peer may close before it has read all */
    return cmocka_run_group_tests(tests, setup, teardown);
}
