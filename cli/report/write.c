/* The page as a file. */
#include "base/memory.h"
#include "cli/report/report.h"
#include "cli/streams.h"

/* Inside a script element, "</script" and "<!--" would have a meaning: every '<' of the data, which
 * can only be in a string, is written as an escape. */
static int add_escaped(const char *bytes, size_t length, void *context) {
    FILE *file = context;
    size_t done = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '<') {
            (void)fwrite(bytes + done, 1, i - done, file);
            fputs("\\u003c", file);
            done = i + 1;
        }
    }
    (void)fwrite(bytes + done, 1, length - done, file);
    return 0;
}

static bool write_page(void *context, FILE *file, struct weft_error *error) {
    json_t *data = context;
    (void)fwrite(report_page_head, 1, report_page_head_length, file);
    if (json_dump_callback(data, add_escaped, file, JSON_COMPACT | JSON_REAL_PRECISION(8)) != 0) {
        return weft_no_memory(error, "JSON");
    }
    (void)fwrite(report_page_tail, 1, report_page_tail_length, file);
    return true;
}

bool report_write(const char *path, json_t *data, struct weft_error *error) {
    return stream_write_content(path, write_page, data, error);
}
