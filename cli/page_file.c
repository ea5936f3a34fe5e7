#include "cli/page_file.h"

#include "cli/streams.h"
#include "report/json.h"

bool page_write(const char *path, const struct page_frame *frame, const json_t *data,
                struct weft_error *error) {
    struct page_content page = {frame, data};
    return stream_write_content(path, page_print, &page, error);
}

bool page_stage(struct weft_file_batch *batch, const char *path, const struct page_frame *frame,
                json_t *data, struct weft_error *error) {
    struct page_content page = {frame, data};
    bool good =
        json_complete(data, error) && stream_stage_content(batch, path, page_print, &page, error);
    json_decref(data);
    return good;
}

bool report_module(const struct weft_module *module, const struct weft_session_options *options,
                   const struct origin *origin, uint64_t memory_limit, const char *path,
                   struct weft_error *error) {
    json_t *data = NULL;
    bool good = report_data_of_module(module, options, origin, memory_limit, &data, error) &&
                page_write(path, &report_page, data, error);
    json_decref(data);
    return good;
}
