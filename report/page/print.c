/* The page as a file. */
#include "base/memory.h"
#include "report/page/page.h"

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

bool page_print(void *page, FILE *file, struct weft_error *error) {
    const struct page_content *of = page;
    (void)fwrite(of->frame->head, 1, of->frame->head_length, file);
    if (json_dump_callback(of->data, add_escaped, file, JSON_COMPACT | JSON_REAL_PRECISION(8)) !=
        0) {
        return weft_no_memory(error, "JSON");
    }
    (void)fwrite(of->frame->tail, 1, of->frame->tail_length, file);
    return true;
}
