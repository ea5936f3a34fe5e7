#include "report/trace_json_writer.h"

#include <inttypes.h>

void begin_event(struct writer *out) {
    fputs(out->is_first ? "\n" : ",\n", out->file);
    out->is_first = false;
}

void name_thread(struct writer *out, unsigned thread, const char *name) {
    if (out->named[out->process][thread]) {
        return;
    }
    out->named[out->process][thread] = true;
    begin_event(out);
    fprintf(out->file,
            "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
            "\"args\":{\"name\":\"%s\"}}",
            out->process, thread, name);
    begin_event(out);
    fprintf(out->file,
            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%u,\"tid\":%u,"
            "\"args\":{\"sort_index\":%u}}",
            out->process, thread, thread);
}

unsigned row_for(struct rows *rows, uint64_t first, uint64_t last) {
    unsigned row = 0;
    while (row < rows->used && rows->end[row] >= first && row + 1 < ROWS) {
        row++;
    }
    rows->used = row < rows->used ? rows->used : row + 1;
    rows->end[row] = last;
    return row;
}

void name_rows(struct writer *out, unsigned group, const struct rows *rows, const char *name) {
    for (unsigned i = 0; i < rows->used; i++) {
        char numbered[32];
        (void)snprintf(numbered, sizeof numbered, i == 0 ? "%s" : "%s (%u)", name, i + 1);
        name_thread(out, group + i, numbered);
    }
}

void begin_slice(struct writer *out, unsigned thread, const char *category, const char *name,
                 uint64_t first, uint64_t last) {
    begin_event(out);
    fprintf(out->file,
            "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":%s,\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64
            ",\"dur\":%" PRIu64 ",\"args\":{",
            category, name, out->process, thread, out->offset + first, last - first + 1);
}

void end_slice(struct writer *out) {
    fputs("}}", out->file);
}

const char *layer_name(const struct writer *out, int32_t layer) {
    return layer < 0 ? "\"-\"" : out->names[layer];
}
