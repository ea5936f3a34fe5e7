#include "cli/remote_target.h"

#include <string.h>

bool is_remote(const char *target) {
    return strncmp(target, REMOTE_PREFIX, strlen(REMOTE_PREFIX)) == 0;
}

const char *target_name(const char *target) {
    return is_remote(target) ? "remote" : target;
}

bool remote_target_apply(const struct given *given, const char *target,
                         struct weft_session_options *options) {
    const char *command = given->command->name;
    bool has_server = target != NULL && is_remote(target);
    if (!has_server && given_count(given, OPTION_KEY_FILE) > 0) {
        usage_error(command, "--key-file is for --target " REMOTE_PREFIX "HOST:PORT");
        return false;
    }
    if (has_server && given_count(given, OPTION_HOST) > 0) {
        usage_error(command, "--host is about the simulators here; a server takes its own kernels");
        return false;
    }
    if (has_server) {
        options->server = target + strlen(REMOTE_PREFIX);
        options->key_file = given_value(given, OPTION_KEY_FILE);
    }
    return true;
}
