/* weft area: what a machine takes on a target. */
#include "report/area.h"
#include "cli/cli.h"
#include "cli/json_file.h"
#include "cli/streams.h"
#include "cli/technology.h"

int command_area(const struct given *given) {
    const char *name = given_value(given, OPTION_CONFIG);
    const char *json = given_value(given, OPTION_JSON);
    const struct weft_area_model *model = NULL;
    struct weft_config config;
    struct weft_error error;
    struct weft_text text = {0};
    if (!area_read(given, WEFT_DEFAULT_AREA, &model)) {
        return STATUS_ERROR;
    }
    if (!find_config(name == NULL ? DEFAULT_CONFIG : name, &config, &error)) {
        return report("area", &error);
    }
    json_begin(NULL, 0);
    add_area_table(model, &config, &text);
    int status = STATUS_GOOD;
    if (!weft_text_finish(&text, &error)) {
        status = report("area", &error);
    } else if (json != NULL && !write_json_file(json, area_json(model, &config), &error)) {
        status = report(json, &error);
    } else if (json == NULL || !is_stream(json)) {
        printf("%s", text.bytes);
    }
    weft_text_free(&text);
    return status;
}
