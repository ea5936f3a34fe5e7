#include "tests/unit/remote_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/remote/address.h"
#include "driver/remote/channel.h"
#include "tests/unit/test.h"

enum {
    TIME_OUT = 60000, /* milliseconds: something hangs */
};

static struct weft_server *stopped;

static void stop(int signal) {
    (void)signal;
    weft_server_stop(stopped);
}

/* The process of the server: says where it listens, and serves. It ends with the test, also with
 * one that failed before it stopped its server: ctest waits until nobody holds the output. */
static void serve(const struct weft_server_options *options, int say) {
    struct weft_error error;
    struct sigaction action = {.sa_handler = stop};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!weft_server_open(options, &stopped, &error)) {
        print_error("the server: %s\n", error.message);
        _exit(1);
    }
    const char *address = weft_server_address(stopped);
    (void)sigaction(SIGTERM, &action, NULL);
    if (write(say, address, strlen(address)) < 0) {
        _exit(2);
    }
    (void)close(say);
    bool good = weft_server_run(stopped, &error);
    weft_server_close(stopped);
    _exit(good ? 0 : 3);
}

struct remote_server remote_server_start(const struct weft_server_options *options) {
    struct remote_server server = {.process = 0};
    struct weft_server_options given = *options;
    int says[2];
    given.listen = given.listen == NULL ? "127.0.0.1:0" : given.listen;
    assert_int_equal(pipe(says), 0);
    server.process = fork();
    assert_true(server.process >= 0);
    if (server.process == 0) {
        (void)close(says[0]);
        serve(&given, says[1]);
    }
    (void)close(says[1]);
    assert_true(read(says[0], server.address, sizeof server.address - 1) > 0);
    (void)close(says[0]);
    return server;
}

void remote_server_stop(const struct remote_server *server) {
    int status = -1;
    assert_int_equal(kill(server->process, SIGTERM), 0);
    assert_int_equal(waitpid(server->process, &status, 0), server->process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

struct weft_session_options remote_options(const struct remote_server *server) {
    struct weft_session_options options = weft_session_defaults();
    options.server = server->address;
    return options;
}

struct weft_remote_device remote_server_device(const struct remote_server *server) {
    const struct weft_session_options options = remote_options(server);
    struct weft_remote_device device;
    struct weft_error error;
    ASSERT_GOOD(weft_remote_device(&options, &device, &error), error);
    return device;
}

void remote_server_await(const struct remote_server *server, bool in_use, uint32_t waiting) {
    const struct timespec pause = {.tv_nsec = 5000000};
    uint64_t end = channel_now() + TIME_OUT;
    for (;;) {
        struct weft_remote_device device = remote_server_device(server);
        if ((device.in_use != 0) == in_use && device.waiting == waiting) {
            return;
        }
        if (channel_now() > end) {
            print_error("in use: %u, waiting: %u\n", device.in_use, device.waiting);
            fail();
        }
        (void)nanosleep(&pause, NULL);
    }
}

int remote_server_connect(const struct remote_server *server) {
    struct weft_error error;
    int made = -1;
    ASSERT_GOOD(address_connect(server->address, false, channel_now() + TIME_OUT, &made, &error),
                error);
    return made;
}

pid_t remote_server_worker(const struct remote_server *server, pid_t other) {
    const struct timespec pause = {.tv_nsec = 5000000};
    uint64_t end = channel_now() + TIME_OUT;
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)server->process,
                   (int)server->process);
    for (;;) {
        pid_t found = 0;
        int count = 0;
        int process = 0;
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        while (fscanf(file, "%d", &process) == 1) {
            if (process != other) {
                found = process;
                count++;
            }
        }
        (void)fclose(file);
        if (count == 1) {
            return found;
        }
        assert_true(channel_now() < end);
        (void)nanosleep(&pause, NULL);
    }
}
