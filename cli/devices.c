/* weft devices */
#include <inttypes.h>
#include <string.h>

#include "cli/json_file.h"
#include "cli/remote_target.h"
#include "driver/remote/remote.h"

static void print_device(const char *server, const struct weft_remote_device *device) {
    printf("%s: target %s, %s\n", server, device->target,
           device->has_key ? "for clients with its key" : "without a key");
    printf("configurations: ");
    if (device->configurations[0] == '\0') {
        printf("any that the target has");
    }
    for (const char *letter = device->configurations; *letter != '\0'; letter++) {
        putchar(*letter == '\n' ? ' ' : *letter);
    }
    printf("\nsessions: %s, %" PRIu32 " waiting, at most %" PRIu32 "\n",
           device->in_use != 0 ? "1 has the device" : "the device is free", device->waiting,
           device->most_waiting);
    printf("limits of a session: %" PRIu64 " bytes, %" PRIu64
           " cycles a program, %.3g s in all, %.3g s without a request while others wait\n",
           device->memory_limit, device->cycle_limit, (double)device->deadline / 1000,
           (double)device->lease / 1000);
}

static json_t *configurations_json(const struct weft_remote_device *device) {
    json_t *list = json_array();
    const char *name = device->configurations;
    while (*name != '\0') {
        size_t length = strcspn(name, "\n");
        json_array_append_new(list, json_stringn(name, length));
        name += length + (name[length] == '\n');
    }
    return list;
}

static bool write_json(const char *path, const struct weft_remote_device *device,
                       struct weft_error *error) {
    json_begin(NULL, 0);
    json_t *root = json_pack(
        "{s:s, s:o, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I}", "target", device->target,
        "configurations", configurations_json(device), "key", (int)device->has_key, "in_use",
        (int)(device->in_use != 0), "waiting", (json_int_t)device->waiting, "most_waiting",
        (json_int_t)device->most_waiting, "memory_limit", (json_int_t)device->memory_limit,
        "cycle_limit", (json_int_t)device->cycle_limit, "deadline_milliseconds",
        (json_int_t)device->deadline, "lease_milliseconds", (json_int_t)device->lease);
    return write_json_file(path, root, error);
}

int command_devices(const struct given *given) {
    struct weft_session_options options = weft_session_defaults();
    struct weft_remote_device device;
    struct weft_error error;
    const char *json = given_value(given, OPTION_JSON);
    options.server = given->operand + (is_remote(given->operand) ? strlen(REMOTE_PREFIX) : 0);
    options.key_file = given_value(given, OPTION_KEY_FILE);
    if (!weft_remote_device(&options, &device, &error)) {
        return report("devices", &error);
    }
    if (json != NULL) {
        return write_json(json, &device, &error) ? STATUS_GOOD : report(json, &error);
    }
    print_device(options.server, &device);
    return STATUS_GOOD;
}
