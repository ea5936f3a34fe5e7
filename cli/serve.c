/* weft serve */
#include <signal.h>

#include "cli/cli.h"
#include "driver/remote/server.h"

/* For the handler of signals, which gets nothing else. */
static const struct weft_server *stopped_by_signals;

static void stop(int signal) {
    (void)signal;
    weft_server_stop(stopped_by_signals);
}

/* A number of seconds as milliseconds; 0: not given. */
static bool read_seconds(const struct given *given, enum option_id id, uint64_t *milliseconds) {
    const uint64_t most = 86400;
    const char *text = given_value(given, id);
    *milliseconds = 0;
    if (text == NULL) {
        return true;
    }
    if (!read_number(text, most, milliseconds) || *milliseconds == 0) {
        usage_error("serve", "--%s '%.40s': expected seconds, 1 to %d", option_list[id].name, text,
                    (int)most);
        return false;
    }
    *milliseconds *= 1000;
    return true;
}

static bool read_rest(const struct given *given, struct weft_server_options *options) {
    const char *waiting = given_value(given, OPTION_WAITING);
    const char *cache = given_value(given, OPTION_CACHE);
    uint64_t number = 0;
    if (waiting != NULL &&
        (!read_number(waiting, WEFT_SERVER_MOST_WAITING, &number) || number == 0)) {
        usage_error("serve", "--waiting '%.40s': expected a number, 1 to %d", waiting,
                    WEFT_SERVER_MOST_WAITING);
        return false;
    }
    options->waiting = (uint32_t)number;
    if (cache != NULL && !read_bytes(cache, &options->cache)) {
        usage_error("serve", "--cache '%.40s': expected bytes, as 64M", cache);
        return false;
    }
    return read_seconds(given, OPTION_DEADLINE, &options->deadline) &&
           read_seconds(given, OPTION_LEASE, &options->lease);
}

static bool read_arguments(const struct given *given, struct weft_server_options *options) {
    struct open_options open;
    if (!open_options_read(given, &open)) {
        return false;
    }
    *options = (struct weft_server_options){.listen = given_value(given, OPTION_LISTEN),
                                            .target = given_value(given, OPTION_SERVE_TARGET),
                                            .key_file = given_value(given, OPTION_KEY_FILE),
                                            .memory_limit = open.limits.bytes,
                                            .cycle_limit = open.limits.cycles};
    return read_rest(given, options);
}

/* Signals stop the server; NULL: there is none any more, and they do what they do by default. */
static void stop_by_signals(const struct weft_server *server) {
    struct sigaction action = {.sa_handler = server == NULL ? SIG_DFL : stop};
    if (server != NULL) {
        stopped_by_signals = server;
    }
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

int command_serve(const struct given *given) {
    struct weft_server_options options;
    struct weft_error error;
    struct weft_server *server = NULL;
    if (!read_arguments(given, &options)) {
        return STATUS_ERROR;
    }
    if (!weft_server_open(&options, &server, &error)) {
        return report("serve", &error);
    }
    stop_by_signals(server); /* before anybody knows that it serves */
    printf("serving target %s at %s%s\n", options.target == NULL ? "cycle" : options.target,
           weft_server_address(server),
           options.key_file == NULL ? "" : " for clients with the key");
    (void)fflush(stdout); /* whoever reads the port waits for it */
    bool good = weft_server_run(server, &error);
    stop_by_signals(NULL);
    weft_server_close(server);
    return good ? STATUS_GOOD : report("serve", &error);
}
