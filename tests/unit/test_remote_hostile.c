/* Servers and clients of driver/remote against the other side doing what it must not: frames that
 * are cut, too long, or too slow, wrong keys, clients and workers that die, too many of them. The
 * server goes on, the device is given to the next. Times are time-outs alone. */
#include "tests/unit/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "driver/bare.h"
#include "driver/remote/connection.h"
#include "driver/remote/tls.h"
#include "tests/unit/folder.h"
#include "tests/unit/helpers.h"
#include "tests/unit/remote_bytes.h"
#include "tests/unit/remote_server.h"

static void mentions(const struct weft_error *error, const char *part) {
    if (strstr(error->message, part) == NULL) {
        print_error("'%s' does not mention '%s'\n", error->message, part);
        fail();
    }
}

static void pause_for(long milliseconds) {
    const struct timespec pause = {.tv_nsec = milliseconds * 1000000};
    (void)nanosleep(&pause, NULL);
}

/* ---- frames that are cut ---- */

static void a_client_that_stops_at_any_byte_is_gone(void **state) {
    (void)state;
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    struct weft_text answers = {0};
    remote_bytes_of_client(made, &bytes);
    for (size_t length = 0; length <= bytes.length; length++) {
        struct weft_error error = remote_bytes_serve(bytes.bytes, length, &answers);
        if (error.code != WEFT_LOST) {
            print_error("cut at %zu of %zu: %s\n", length, bytes.length, error.message);
            fail();
        }
        if (length < bytes.length) {
            answers.length = 0;
        }
    }
    /* Of all bytes, all answers. */
    static const uint32_t expected[] = {FRAME_WELCOME, FRAME_DEVICE, FRAME_OPENED, FRAME_WANTED,
                                        FRAME_LOADED,  FRAME_RESULT, FRAME_MEMORY, FRAME_TRACED};
    const uint8_t *next = (const uint8_t *)answers.bytes;
    for (size_t i = 0; i < LENGTH(expected); i++) {
        assert_int_equal(weft_read_u32(next), expected[i]);
        next += FRAME_HEADER_BYTES + weft_read_u64(next + 8);
    }
    assert_ptr_equal(next, answers.bytes + answers.length);
    weft_text_free(&bytes);
    weft_text_free(&answers);
    remote_program_free(made);
}

static void a_server_that_stops_at_any_byte_is_lost(void **state) {
    (void)state;
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    struct weft_error error;
    remote_bytes_of_server(made, &bytes);
    for (size_t length = 0; length < bytes.length; length++) {
        assert_false(remote_bytes_be_client(made, bytes.bytes, length, &error));
        if (error.code != WEFT_LOST) {
            print_error("cut at %zu of %zu: %s\n", length, bytes.length, error.message);
            fail();
        }
        mentions(&error, "server ");
    }
    ASSERT_GOOD(remote_bytes_be_client(made, bytes.bytes, bytes.length, &error), error);
    assert_memory_equal(made->outputs, made->inputs, REMOTE_OUTPUTS);
    weft_text_free(&bytes);
    remote_program_free(made);
}

/* Each byte of what both say, changed: the other side says what is wrong, or does not care. */
static void a_byte_that_is_changed_harms_nobody(void **state) {
    (void)state;
    struct remote_program *made = remote_program_new();
    struct weft_text client = {0};
    struct weft_text server = {0};
    struct weft_error error;
    remote_bytes_of_client(made, &client);
    remote_bytes_of_server(made, &server);
    for (size_t i = 0; i < client.length; i++) {
        client.bytes[i] = (char)(client.bytes[i] ^ 0xff);
        error = remote_bytes_serve(client.bytes, client.length, NULL);
        assert_true(error.code == WEFT_LOST || error.code == WEFT_PROTOCOL ||
                    error.code == WEFT_VERSION);
        client.bytes[i] = (char)(client.bytes[i] ^ 0xff);
    }
    for (size_t i = 0; i < server.length; i++) {
        server.bytes[i] = (char)(server.bytes[i] ^ 0xff);
        if (!remote_bytes_be_client(made, server.bytes, server.length, &error)) {
            assert_true(error.code == WEFT_LOST || error.code == WEFT_PROTOCOL ||
                        error.code == WEFT_VERSION);
        }
        server.bytes[i] = (char)(server.bytes[i] ^ 0xff);
    }
    weft_text_free(&client);
    weft_text_free(&server);
    remote_program_free(made);
}

/* ---- lengths that nobody has ---- */

/* HELLO, then a header of any kind that claims a length. */
static struct weft_error serve_claim(uint32_t kind, uint64_t length) {
    struct weft_text bytes = {0};
    uint8_t fields[FRAME_HELLO_BYTES];
    uint8_t header[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS] = {0};
    encode_hello(fields, &(struct frame_hello){PROTOCOL_MAGIC, PROTOCOL_VERSION});
    remote_bytes_add(&bytes, FRAME_HELLO, fields, NULL, 0);
    weft_write_u32(header, kind);
    weft_write_u64(header + 8, length);
    weft_text_add_bytes(&bytes, (const char *)header, sizeof header);
    struct weft_error error = remote_bytes_serve(bytes.bytes, bytes.length, NULL);
    weft_text_free(&bytes);
    return error;
}

static void a_frame_of_4_gb_is_not_waited_for(void **state) {
    (void)state;
    static const uint64_t lengths[] = {UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX,
                                       (UINT64_C(1) << 32) + 40, UINT64_C(1) << 63};
    for (uint32_t kind = 0; kind < 80; kind++) {
        for (size_t i = 0; i < LENGTH(lengths); i++) {
            assert_int_equal(serve_claim(kind, lengths[i]).code, WEFT_PROTOCOL);
        }
    }
    struct remote_program *made = remote_program_new();
    struct weft_error error;
    for (uint32_t kind = 0; kind < 80; kind++) {
        uint8_t header[FRAME_HEADER_BYTES + FRAME_MOST_FIELDS] = {0};
        weft_write_u32(header, kind);
        weft_write_u64(header + 8, UINT64_C(1) << 32);
        assert_false(remote_bytes_be_client(made, header, sizeof header, &error));
        assert_int_equal(error.code, WEFT_PROTOCOL);
    }
    remote_program_free(made);
}

/* ---- a program that takes as long as anybody waits ---- */

struct endless {
    struct weft_config config;
    struct weft_program program;
    struct weft_bare_setup setup;
    struct weft_session_options options;
};

/* A session on the server; it has the device when this succeeded. */
static bool try_open_endless(const struct remote_server *server, struct endless *endless,
                             struct weft_bare **bare, struct weft_error *error) {
    static const char source[] = "load act_banks=0 memory=act region=3 run=32\nhalt\n";
    *endless = (struct endless){.config = config_of("small8"), .options = remote_options(server)};
    endless->setup = (struct weft_bare_setup){
        .config = &endless->config, .program = &endless->program, .cycle_limit = UINT64_MAX / 4};
    endless->setup.region_bytes[WEFT_REGION_INPUTS] = 32;
    ASSERT_GOOD(weft_assemble(source, strlen(source), &endless->program, error), *error);
    for (unsigned i = 0; i < 3; i++) {
        endless->program.instructions[0].load.count[i] = UINT16_MAX;
    }
    return weft_bare_open("remote", &endless->setup, &endless->options, bare, error);
}

static struct weft_bare *open_endless(const struct remote_server *server, struct endless *endless) {
    struct weft_bare *bare = NULL;
    struct weft_error error;
    ASSERT_GOOD(try_open_endless(server, endless, &bare, &error), error);
    return bare;
}

static void close_endless(struct weft_bare *bare, struct endless *endless) {
    weft_bare_close(bare);
    weft_program_free(&endless->program);
}

enum {
    LOST_LEASE = 100, /* what such a process ends with, whose error says that it lost its lease */
};

/* A client that opens a session, and then runs the program or ends, in a process of its own, which
 * ends with 0 or the code of the error. It asserts nothing: a failure there would go on with the
 * tests that follow, in two processes. */
static pid_t client_that(const struct remote_server *server, bool runs) {
    pid_t client = fork();
    assert_true(client >= 0);
    if (client == 0) {
        struct endless endless;
        struct weft_error error;
        struct weft_bare *bare = NULL;
        bool good = try_open_endless(server, &endless, &bare, &error) &&
                    (!runs || weft_bare_run(bare, &error));
        if (!good && strstr(error.message, "lost the device") != NULL) {
            _exit(LOST_LEASE);
        }
        _exit(good ? 0 : (int)error.code);
    }
    return client;
}

/* One that has the device, and is about to run the program or does. */
static pid_t endless_client(const struct remote_server *server) {
    pid_t client = client_that(server, true);
    remote_server_await(server, true, 0);
    return client;
}

static int ended_with(pid_t client) {
    int status = -1;
    assert_int_equal(waitpid(client, &status, 0), client);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct weft_server_options for_long = {.cycle_limit = UINT64_MAX / 4};

/* ---- who dies ---- */

static void a_client_that_is_killed_leaves_the_device(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    for (int i = 0; i < 3; i++) {
        pid_t client = endless_client(&server);
        assert_int_equal(kill(client, SIGKILL), 0);
        assert_int_equal(ended_with(client), -1);
        remote_server_await(&server, false, 0);
    }
    remote_server_stop(&server);
}

static void a_worker_that_is_killed_is_a_lost_connection(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    pid_t client = endless_client(&server);
    assert_int_equal(kill(remote_server_worker(&server, 0), SIGKILL), 0);
    assert_int_equal(ended_with(client), WEFT_LOST);
    remote_server_await(&server, false, 0);
    remote_server_stop(&server);
}

static void a_server_that_is_killed_takes_its_workers_along(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    pid_t client = endless_client(&server);
    assert_int_equal(kill(server.process, SIGKILL), 0);
    assert_int_equal(ended_with(client), WEFT_LOST);
    assert_int_equal(waitpid(server.process, NULL, 0), server.process);
}

static void a_server_that_is_stopped_ends_its_sessions(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    pid_t client = endless_client(&server);
    remote_server_stop(&server);
    assert_int_equal(ended_with(client), WEFT_LOST);
}

/* ---- time ---- */

static void a_session_ends_at_its_deadline(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.deadline = 300;
    const struct remote_server server = remote_server_start(&options);
    assert_int_equal(ended_with(endless_client(&server)), WEFT_TIMEOUT); /* at work, */
    struct endless endless;
    struct weft_error error;
    struct weft_bare *bare = open_endless(&server, &endless); /* and with nothing to do */
    remote_server_await(&server, false, 0);
    ASSERT_FAILS(weft_bare_run(bare, &error), error, WEFT_TIMEOUT);
    mentions(&error, "longer than this server allows");
    ASSERT_FAILS(weft_bare_run(bare, &error), error, WEFT_LOST); /* it stays gone */
    close_endless(bare, &endless);
    remote_server_stop(&server);
}

static void a_lease_ends_when_others_wait(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.lease = 200;
    const struct remote_server server = remote_server_start(&options);
    struct endless first;
    struct endless second;
    struct weft_error error;
    struct weft_bare *idle = open_endless(&server, &first);
    pause_for(600);
    remote_server_await(&server, true, 0);                   /* nobody waits: it keeps the device */
    struct weft_bare *next = open_endless(&server, &second); /* waits, and gets it */
    ASSERT_FAILS(weft_bare_run(idle, &error), error, WEFT_TIMEOUT);
    mentions(&error, "lost the device");
    close_endless(idle, &first);
    close_endless(next, &second);
    remote_server_stop(&server);
}

static void who_runs_does_not_lose_the_lease(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.lease = 1000;
    options.deadline = 3000;
    const struct remote_server server = remote_server_start(&options);
    pid_t first = endless_client(&server);
    pid_t second = client_that(&server, false);
    remote_server_await(&server, true, 1);
    assert_int_equal(ended_with(first), WEFT_TIMEOUT); /* its deadline, not its lease */
    assert_int_equal(ended_with(second), 0);
    remote_server_stop(&server);
}

/* Sends bytes one at a time, until the other side has gone or all are sent. */
static size_t drip(int client, const struct weft_text *bytes, long milliseconds) {
    for (size_t i = 0; i < bytes->length; i++) {
        if (send(client, bytes->bytes + i, 1, MSG_NOSIGNAL) != 1) {
            return i;
        }
        pause_for(milliseconds);
    }
    return bytes->length;
}

static void a_greeting_byte_by_byte_takes_too_long_and_stops_nobody(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.greeting = 300;
    const struct remote_server server = remote_server_start(&options);
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    remote_bytes_of_client(made, &bytes);
    int connected = remote_server_connect(&server);
    pid_t slow = fork();
    if (slow == 0) {
        _exit(drip(connected, &bytes, 100) < bytes.length ? 7 : 1);
    }
    (void)close(connected);
    for (int i = 0; i < 5; i++) {
        struct endless endless;
        close_endless(open_endless(&server, &endless), &endless);
    }
    assert_int_equal(ended_with(slow), 7);
    weft_text_free(&bytes);
    remote_program_free(made);
    remote_server_stop(&server);
}

static void a_request_byte_by_byte_loses_the_device_to_who_waits(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.lease = 300;
    const struct remote_server server = remote_server_start(&options);
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    remote_bytes_of_client(made, &bytes);
    int slow = remote_server_connect(&server);
    size_t opens = FRAME_HEADER_BYTES * 3 + FRAME_HELLO_BYTES + FRAME_LIST_BYTES + FRAME_OPEN_BYTES;
    /* Up to the end of OPEN at once, then one byte after the other. */
    struct weft_text config = {0};
    struct weft_error error;
    ASSERT_GOOD(weft_config_print(&made->config, &config, &error), error);
    opens += config.length;
    assert_int_equal(send(slow, bytes.bytes, opens, MSG_NOSIGNAL), opens);
    remote_server_await(&server, true, 0);
    pid_t client = fork();
    if (client == 0) {
        const struct weft_text rest = {.bytes = bytes.bytes + opens,
                                       .length = bytes.length - opens};
        _exit(drip(slow, &rest, 50) < rest.length ? 7 : 1);
    }
    (void)close(slow);
    struct endless endless;
    close_endless(open_endless(&server, &endless), &endless); /* waits, and gets it */
    assert_int_equal(ended_with(client), 7);
    weft_text_free(&bytes);
    weft_text_free(&config);
    remote_program_free(made);
    remote_server_stop(&server);
}

/* ---- many ---- */

static void the_device_goes_round_in_the_order_of_asking(void **state) {
    (void)state;
    enum {
        CLIENTS = 4
    };
    const struct remote_server server = remote_server_start(&for_long);
    struct endless endless;
    struct weft_bare *first = open_endless(&server, &endless);
    pid_t clients[CLIENTS];
    int order[2];
    assert_int_equal(pipe(order), 0);
    for (uint8_t i = 0; i < CLIENTS; i++) {
        clients[i] = fork();
        if (clients[i] == 0) {
            struct endless mine;
            struct weft_bare *bare = NULL;
            struct weft_error error;
            bool good = try_open_endless(&server, &mine, &bare, &error);
            _exit(good && write(order[1], &i, 1) == 1 ? 0 : 1);
        }
        remote_server_await(&server, true, i + 1U);
    }
    close_endless(first, &endless);
    for (uint8_t i = 0; i < CLIENTS; i++) {
        uint8_t got = 0xff;
        assert_int_equal(ended_with(clients[i]), 0);
        assert_int_equal(read(order[0], &got, 1), 1);
        assert_int_equal(got, i);
    }
    remote_server_stop(&server);
}

static void no_more_wait_than_can(void **state) {
    (void)state;
    struct weft_server_options options = for_long;
    options.waiting = 1;
    const struct remote_server server = remote_server_start(&options);
    struct endless endless;
    struct weft_bare *first = open_endless(&server, &endless);
    pid_t second = client_that(&server, false);
    remote_server_await(&server, true, 1);
    const struct weft_session_options third = remote_options(&server);
    struct weft_remote *remote = NULL;
    struct weft_error error;
    ASSERT_FAILS(weft_remote_open(&third, &endless.config, &remote, &error), error, WEFT_BUSY);
    mentions(&error, "1 sessions wait for the device already");
    close_endless(first, &endless);
    assert_int_equal(ended_with(second), 0);
    remote_server_stop(&server);
}

/* Those that wait and die leave the queue. */
static void who_waits_and_is_killed_is_forgotten(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    struct endless endless;
    struct weft_bare *first = open_endless(&server, &endless);
    pid_t second = client_that(&server, false);
    remote_server_await(&server, true, 1);
    assert_int_equal(kill(second, SIGKILL), 0);
    assert_int_equal(ended_with(second), -1);
    remote_server_await(&server, true, 0);
    close_endless(first, &endless);
    remote_server_await(&server, false, 0);
    remote_server_stop(&server);
}

/* A client that is behind hundreds of others may give up; one that tries again gets in. */
static void assert_let_in(const struct remote_server *server) {
    const struct weft_session_options options = remote_options(server);
    struct weft_remote_device device;
    struct weft_error error;
    for (int tries = 0; !weft_remote_device(&options, &device, &error); tries++) {
        assert_int_equal(error.code, WEFT_TIMEOUT);
        assert_true(tries < 10);
    }
    assert_int_equal(device.in_use, 0);
}

/* Hundreds that come and go while the process of one that waits does not get to run. */
static void who_waits_is_not_told_more_than_it_can_take(void **state) {
    (void)state;
    const struct remote_server server = remote_server_start(&for_long);
    struct endless endless;
    struct weft_bare *first = open_endless(&server, &endless);
    pid_t holder = remote_server_worker(&server, 0);
    pid_t second = client_that(&server, false);
    remote_server_await(&server, true, 1);
    pid_t waits = remote_server_worker(&server, holder);
    assert_int_equal(kill(waits, SIGSTOP), 0);
    for (int i = 0; i < 600; i++) {
        (void)remote_server_device(&server);
    }
    assert_int_equal(kill(waits, SIGCONT), 0); /* it is still there */
    close_endless(first, &endless);
    int end = ended_with(second); /* on a busy computer, after 10 s of silence */
    assert_true(end == 0 || end == WEFT_TIMEOUT);
    remote_server_stop(&server);
}

/* What a server cannot have for a while it does without. */
static void a_server_without_files_goes_on(void **state) {
    (void)state;
    enum {
        FILES = 40,
        CLIENTS = 100,
    };
    struct rlimit files;
    struct rlimit few;
    int clients[CLIENTS];
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    few = (struct rlimit){.rlim_cur = FILES, .rlim_max = files.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    const struct weft_server_options options = {.greeting = 500};
    const struct remote_server server = remote_server_start(&options);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = remote_server_connect(&server);
    }
    assert_let_in(&server);
    for (int i = 0; i < CLIENTS; i++) {
        (void)close(clients[i]);
    }
    struct endless endless;
    close_endless(open_endless(&server, &endless), &endless);
    remote_server_stop(&server);
}

static void a_thousand_that_connect_and_say_nothing_keep_nobody_out(void **state) {
    (void)state;
    enum {
        CLIENTS = 1000
    };
    struct rlimit files;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
    int stay = files.rlim_cur > CLIENTS + 100 ? CLIENTS : 200; /* of the thousand */
    int *clients = calloc(CLIENTS, sizeof *clients);
    assert_non_null(clients);
    const struct weft_server_options options = {.greeting = 500};
    const struct remote_server server = remote_server_start(&options);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = remote_server_connect(&server);
        if (i >= stay) {
            (void)close(clients[i]);
        }
    }
    assert_let_in(&server);
    for (int i = 0; i < stay; i++) {
        (void)close(clients[i]);
    }
    free(clients);
    struct endless endless;
    close_endless(open_endless(&server, &endless), &endless);
    remote_server_stop(&server);
}

/* ---- keys ---- */

static const char *key_file(const struct folder *folder, const char *name, char digit) {
    char text[65];
    memset(text, digit, 64);
    text[64] = '\n';
    const char *path = folder_write(folder, name, text, sizeof text);
    assert_int_equal(chmod(path, 0600), 0);
    return path;
}

static void assert_no_device(const struct weft_session_options *options, enum weft_error_code code,
                             const char *part) {
    struct weft_remote_device device;
    struct weft_error error;
    ASSERT_FAILS(weft_remote_device(options, &device, &error), error, code);
    mentions(&error, part);
}

static void only_who_has_the_key_is_let_in(void **state) {
    (void)state;
    struct folder folder = folder_new();
    char good[128];
    char wrong[128];
    (void)snprintf(good, sizeof good, "%s", key_file(&folder, "good", 'a'));
    (void)snprintf(wrong, sizeof wrong, "%s", key_file(&folder, "wrong", 'b'));
    struct weft_server_options options = {.key_file = good};
    if (!tls_is_built) {
        struct weft_server *server = NULL;
        struct weft_error error;
        ASSERT_FAILS(weft_server_open(&options, &server, &error), error, WEFT_TARGET);
        mentions(&error, "libssl-dev");
        folder_free(&folder);
        return;
    }
    const struct remote_server server = remote_server_start(&options);
    struct weft_session_options client = remote_options(&server);
    struct weft_remote_device device;
    struct weft_error error;
    for (int i = 0; i < 3; i++) {
        client.key_file = good;
        ASSERT_GOOD(weft_remote_device(&client, &device, &error), error);
        assert_true(device.has_key);
        client.key_file = wrong;
        assert_no_device(&client, WEFT_REFUSED, "another key, or none");
        client.key_file = NULL;
        assert_no_device(&client, WEFT_REFUSED, "it takes clients that have its key alone");
    }
    remote_server_stop(&server);
    const struct weft_server_options open = {.target = "cycle"};
    const struct remote_server plain = remote_server_start(&open);
    client = remote_options(&plain);
    client.key_file = good;
    assert_no_device(&client, WEFT_REFUSED, "another key, or none");
    client.key_file = NULL;
    ASSERT_GOOD(weft_remote_device(&client, &device, &error), error);
    remote_server_stop(&plain);
    folder_free(&folder);
}

/* Through TLS, the same: a run, and a cut. */
static void what_goes_through_tls_comes_out(void **state) {
    (void)state;
    struct folder folder = folder_new();
    struct weft_server_options options = {.key_file = key_file(&folder, "key", 'c')};
    if (!tls_is_built) {
        folder_free(&folder);
        skip();
    }
    const struct remote_server server = remote_server_start(&options);
    struct remote_program *made = remote_program_new();
    struct weft_error error;
    void *machine = NULL;
    struct weft_run_result result;
    made->options.server = server.address;
    made->options.key_file = options.key_file;
    ASSERT_GOOD(target_remote.open(&made->config, &made->options, &machine, &error), error);
    for (int run = 0; run < 3; run++) {
        made->inputs[0] = (uint8_t)run;
        ASSERT_GOOD(target_remote.run(machine, &made->run, &result, &error), error);
        assert_memory_equal(made->outputs, made->inputs, REMOTE_OUTPUTS);
        assert_true(result.counters.cycles > 0);
    }
    target_remote.close(machine);
    remote_program_free(made);
    remote_server_stop(&server);
    folder_free(&folder);
}

/* ---- versions, and the cache ---- */

static void another_version_is_said_to_be_one(void **state) {
    (void)state;
    struct weft_text bytes = {0};
    struct weft_error error;
    uint8_t fields[FRAME_HELLO_BYTES];
    encode_hello(fields, &(struct frame_hello){PROTOCOL_MAGIC, PROTOCOL_VERSION + 1});
    remote_bytes_add(&bytes, FRAME_HELLO, fields, NULL, 0);
    error = remote_bytes_serve(bytes.bytes, bytes.length, NULL);
    assert_int_equal(error.code, WEFT_VERSION);
    bytes.length = 0;
    remote_bytes_add(&bytes, FRAME_WELCOME, fields, NULL, 0);
    struct remote_program *made = remote_program_new();
    assert_false(remote_bytes_be_client(made, bytes.bytes, bytes.length, &error));
    assert_int_equal(error.code, WEFT_VERSION);
    mentions(&error, "it speaks version 3 of the protocol, this client 2");
    remote_program_free(made);
    weft_text_free(&bytes);
}

/* What the server wants of a program that a session loads. */
static uint64_t wanted_of(const struct remote_server *server, const struct remote_program *made,
                          bool sends) {
    struct connection connection;
    struct weft_error error;
    struct frame frame;
    struct weft_text bytes = {0};
    const struct weft_session_options options = remote_options(server);
    uint64_t wanted = 0;
    ASSERT_GOOD(connection_open(&options, &connection, &error), error);
    ASSERT_GOOD(connection_open_machine(&connection, &made->config, &options, &error), error);
    remote_bytes_of_client(made, &bytes);
    const uint8_t *next = (const uint8_t *)bytes.bytes;
    for (;; next += FRAME_HEADER_BYTES + weft_read_u64(next + 8)) {
        uint32_t kind = weft_read_u32(next);
        bool is_image = kind == FRAME_IMAGE;
        const struct iovec part = {.iov_base = (void *)(uintptr_t)next,
                                   .iov_len = FRAME_HEADER_BYTES + weft_read_u64(next + 8)};
        if (kind == FRAME_RUN) {
            break;
        }
        if (kind == FRAME_LOAD || (is_image && sends)) {
            ASSERT_GOOD(channel_send(&connection.channel, &part, 1, &error), error);
        }
        if (kind == FRAME_LOAD) {
            ASSERT_GOOD(connection_receive(&connection, FRAME_WANTED, FRAME_WANTED, &frame, &error),
                        error);
            wanted = decode_wanted(frame.fields).bytes;
        }
    }
    if (sends || wanted == 0) {
        ASSERT_GOOD(connection_receive(&connection, FRAME_LOADED, FRAME_LOADED, &frame, &error),
                    error);
    }
    connection_close(&connection);
    weft_text_free(&bytes);
    return wanted;
}

static void programs_are_sent_once(void **state) {
    (void)state;
    const struct weft_server_options options = {.target = "func", .cache = 1000};
    const struct remote_server server = remote_server_start(&options);
    struct remote_program *made = remote_program_new();
    assert_int_equal(wanted_of(&server, made, false), 192); /* not sent, so not kept */
    assert_int_equal(wanted_of(&server, made, true), 192);
    assert_int_equal(wanted_of(&server, made, false), 0);
    assert_int_equal(wanted_of(&server, made, false), 0);
    made->encoded[0] ^= 0x40; /* another program, and none that is legal: kept or not, refused */
    assert_true(wanted_of(&server, made, false) > 0);
    remote_program_free(made);
    remote_server_stop(&server);
}

static void an_image_that_is_not_what_its_hash_says_is_refused(void **state) {
    (void)state;
    struct remote_program *made = remote_program_new();
    struct weft_text bytes = {0};
    struct weft_text answers = {0};
    remote_bytes_of_client(made, &bytes);
    /* The first byte of the first instruction, which stands in the tail of the first IMAGE. */
    uint8_t *found = memmem(bytes.bytes, bytes.length, made->encoded, 64);
    assert_non_null(found);
    found[10] ^= 1;
    /* It ends the session: nothing of what is behind it is answered. */
    struct weft_error error = remote_bytes_serve(bytes.bytes, bytes.length, &answers);
    assert_int_equal(error.code, WEFT_PROTOCOL);
    mentions(&error, "is not what its hash says");
    assert_non_null(memmem(answers.bytes, answers.length, "is not what its hash says", 25));
    weft_text_free(&bytes);
    weft_text_free(&answers);
    remote_program_free(made);
}

static void fields_that_say_nothing_possible_are_refused(void **state) {
    (void)state;
    static const struct {
        uint32_t kind;
        size_t field; /* its first byte behind the header */
        uint8_t value;
        const char *part; /* of what the client is told */
    } cases[] = {
        {FRAME_LIST, 0, 1, "a frame LIST; expected its field as 0"},
        {FRAME_OPEN, 0, 2, "a frame OPEN; expected 0 or 1 first, and 0 behind it"},
        {FRAME_OPEN, 4, 1, "a frame OPEN; expected 0 or 1 first, and 0 behind it"},
        {FRAME_OPEN, 37, 100, "a clock of 25.600 MHz, which is for DRAM, and there is none"},
        {FRAME_TRACE, 4, 1, "a frame TRACE; expected 0 behind the number of the program"},
    };
    struct remote_program *made = remote_program_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct weft_text bytes = {0};
        struct weft_text answers = {0};
        remote_bytes_of_client(made, &bytes);
        uint8_t *frame = (uint8_t *)bytes.bytes;
        while (weft_read_u32(frame) != cases[i].kind) {
            frame += FRAME_HEADER_BYTES + weft_read_u64(frame + 8);
        }
        frame[FRAME_HEADER_BYTES + cases[i].field] = cases[i].value;
        struct weft_error error = remote_bytes_serve(bytes.bytes, bytes.length, &answers);
        assert_int_equal(error.code,
                         WEFT_PROTOCOL); /* LOAD of a machine that was not opened, too */
        assert_non_null(
            memmem(answers.bytes, answers.length, cases[i].part, strlen(cases[i].part)));
        weft_text_free(&bytes);
        weft_text_free(&answers);
    }
    remote_program_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_that_stops_at_any_byte_is_gone),
        cmocka_unit_test(a_server_that_stops_at_any_byte_is_lost),
        cmocka_unit_test(a_byte_that_is_changed_harms_nobody),
        cmocka_unit_test(a_frame_of_4_gb_is_not_waited_for),
        cmocka_unit_test(a_client_that_is_killed_leaves_the_device),
        cmocka_unit_test(a_worker_that_is_killed_is_a_lost_connection),
        cmocka_unit_test(a_server_that_is_killed_takes_its_workers_along),
        cmocka_unit_test(a_server_that_is_stopped_ends_its_sessions),
        cmocka_unit_test(a_session_ends_at_its_deadline),
        cmocka_unit_test(a_lease_ends_when_others_wait),
        cmocka_unit_test(who_runs_does_not_lose_the_lease),
        cmocka_unit_test(a_greeting_byte_by_byte_takes_too_long_and_stops_nobody),
        cmocka_unit_test(a_request_byte_by_byte_loses_the_device_to_who_waits),
        cmocka_unit_test(the_device_goes_round_in_the_order_of_asking),
        cmocka_unit_test(no_more_wait_than_can),
        cmocka_unit_test(who_waits_and_is_killed_is_forgotten),
        cmocka_unit_test(who_waits_is_not_told_more_than_it_can_take),
        cmocka_unit_test(a_server_without_files_goes_on),
        cmocka_unit_test(a_thousand_that_connect_and_say_nothing_keep_nobody_out),
        cmocka_unit_test(only_who_has_the_key_is_let_in),
        cmocka_unit_test(what_goes_through_tls_comes_out),
        cmocka_unit_test(another_version_is_said_to_be_one),
        cmocka_unit_test(programs_are_sent_once),
        cmocka_unit_test(an_image_that_is_not_what_its_hash_says_is_refused),
        cmocka_unit_test(fields_that_say_nothing_possible_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
