/* The page as a file. */
#include "base/memory.h"
#include "cli/report/report.h"
#include "cli/streams.h"
#include "report/json.h"

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

struct writing {
    const struct page_frame *page;
    const json_t *data;
};

static bool write_page(void *context, FILE *file, struct weft_error *error) {
    const struct writing *writing = context;
    const struct page_frame *page = writing->page;
    (void)fwrite(page->head, 1, page->head_length, file);
    if (json_dump_callback(writing->data, add_escaped, file,
                           JSON_COMPACT | JSON_REAL_PRECISION(8)) != 0) {
        return weft_no_memory(error, "JSON");
    }
    (void)fwrite(page->tail, 1, page->tail_length, file);
    return true;
}

bool page_write(const char *path, const struct page_frame *page, json_t *data,
                struct weft_error *error) {
    struct writing writing = {page, data};
    return stream_write_content(path, write_page, &writing, error);
}

bool page_stage(struct weft_file_batch *batch, const char *path, const struct page_frame *page,
                json_t *data, struct weft_error *error) {
    struct writing writing = {page, data};
    bool good = json_complete(data, error) &&
                stream_stage_content(batch, path, write_page, &writing, error);
    json_decref(data);
    return good;
}
