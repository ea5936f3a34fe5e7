/* What happened when, as flat lists of small numbers: a report of a large network stays small. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/page/page.h"

static void add(json_t *list, uint64_t value) {
    json_array_append_new(list, json_integer((json_int_t)value));
}

/* json_object_set_new() of a value that is still worked on: NULL when it is gone. */
static json_t *put(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) == 0 ? value : NULL;
}

/* ---- instructions ---- */

/* The text of instructions as indices into a list of words, of which there are few. */
struct words {
    json_t *list;
    json_t *index; /* word -> number */
};

static void add_word(struct words *words, const char *word, json_t *out) {
    json_t *known = json_object_get(words->index, word);
    if (known == NULL) {
        known = put(words->index, word, json_integer((json_int_t)json_array_size(words->list)));
        json_array_append_new(words->list, json_string(word));
    }
    json_array_append(out, known);
}

/* Appends the number of words and the words. */
static bool add_text(struct words *words, const struct weft_instruction *instruction, json_t *out,
                     struct weft_error *error) {
    struct weft_text text = {0};
    uint64_t count = 1;
    char *next = NULL;
    weft_disassemble(instruction, &text);
    if (!weft_text_finish(&text, error)) {
        weft_text_free(&text);
        return false;
    }
    for (const char *at = text.bytes; *at != '\0'; at++) {
        count += *at == ' ';
    }
    add(out, count);
    for (char *word = strtok_r(text.bytes, " ", &next); word != NULL;
         word = strtok_r(NULL, " ", &next)) {
        add_word(words, word, out);
    }
    weft_text_free(&text);
    return true;
}

/* Appends the number of tokens that the instruction took, and for each its own number less that of
 * the instruction that gave it. */
static void add_tokens(const struct weft_history *history, uint32_t number, json_t *out) {
    const uint32_t *tokens = history->of[number].tokens;
    uint64_t count = 0;
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        count += tokens[unit] != WEFT_NOBODY;
    }
    add(out, count);
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        if (tokens[unit] != WEFT_NOBODY) {
            json_array_append_new(out, json_integer((json_int_t)number - tokens[unit]));
        }
    }
}

/* For each unit a list of: number and start, each less that of the one before; cycles; layer + 1;
 * the tokens; the text. */
static bool add_instructions(const struct weft_segment *segment, const struct weft_history *history,
                             json_t *out, struct words *words, struct weft_error *error) {
    const struct weft_trace *trace = history->trace;
    uint32_t *order = NULL;
    size_t count = 0;
    int64_t number[WEFT_UNITS] = {0};
    uint64_t start[WEFT_UNITS] = {0};
    json_t *lists = put(out, "units", json_object());
    for (unsigned unit = 0; unit < WEFT_UNITS; unit++) {
        json_object_set_new(lists, weft_unit_names[unit], json_array());
    }
    bool good = weft_trace_order(trace, &order, &count, error);
    for (size_t i = 0; good && i < count; i++) {
        const struct weft_instruction *instruction = &trace->program.instructions[order[i]];
        const struct weft_trace_times *times = &trace->times[order[i]];
        enum weft_unit unit = weft_format_of(instruction->opcode)->unit;
        json_t *list = json_object_get(lists, weft_unit_names[unit]);
        json_array_append_new(list, json_integer((json_int_t)order[i] - number[unit]));
        add(list, times->started - start[unit]);
        add(list, times->finished - times->started + 1);
        add(list, (uint64_t)((int64_t)segment->layer_of[order[i]] + 1));
        add_tokens(history, order[i], list);
        good = add_text(words, instruction, list, error);
        number[unit] = order[i];
        start[unit] = times->started;
    }
    free(order);
    return good;
}

/* A list of pieces, one after the other from cycle 1 on: cycles; number of the instruction, less
 * that of the piece before; kind. */
static bool add_path(const struct weft_history *history, json_t *out, struct weft_error *error) {
    struct weft_path_piece *pieces = NULL;
    size_t count = 0;
    int64_t before = 0;
    if (!weft_history_path(history, &pieces, &count, error)) {
        return false;
    }
    json_t *list = put(out, "path", json_array());
    for (size_t i = 0; i < count; i++) {
        add(list, pieces[i].last - pieces[i].first + 1);
        json_array_append_new(list, json_integer((json_int_t)pieces[i].number - before));
        add(list, pieces[i].kind);
        before = pieces[i].number;
    }
    free(pieces);
    return true;
}

/* What follows from the history of the segment. */
static bool add_history(const struct weft_segment *segment, const struct weft_trace *trace,
                        json_t *out, struct words *words, struct weft_error *error) {
    struct weft_history history;
    if (!weft_history_make(trace, &history, error)) {
        return false;
    }
    bool good =
        add_instructions(segment, &history, out, words, error) && add_path(&history, out, error);
    weft_history_free(&history);
    return good;
}

/* ---- cycles, memory port, bytes in use ---- */

/* For each unit and dispatch a list of: cycles since the change before, counter. */
static void add_lanes(const struct weft_trace *trace, json_t *out) {
    json_t *lanes = put(out, "lanes", json_object());
    for (unsigned lane = 0; lane <= WEFT_LANE_DISPATCH; lane++) {
        json_t *list = put(lanes, weft_lane_names[lane], json_array());
        uint64_t before = 0;
        for (size_t i = 0; i < trace->lanes[lane].count; i++) {
            const struct weft_trace_change *change = &trace->lanes[lane].list[i];
            add(list, change->cycle - before);
            add(list, change->counter);
            before = change->cycle;
        }
    }
}

/* For each master a list of: cycles since the end of the beats before, cycles of beats without a
 * pause. */
static void add_port(const struct weft_trace *trace, json_t *out) {
    json_t *lists = put(out, "port", json_object());
    for (unsigned master = 0; master < WEFT_MASTERS; master++) {
        json_t *list = put(lists, weft_master_names[master], json_array());
        uint64_t first = 0;
        uint64_t end = 0;    /* one past the last beat */
        uint64_t before = 0; /* end of what was added last */
        for (size_t i = 0; i <= trace->burst_count; i++) {
            const struct weft_trace_burst *burst = &trace->bursts[i];
            bool is_end = i == trace->burst_count;
            if (!is_end && burst->master != (enum weft_master)master) {
                continue;
            }
            if (end > first && (is_end || burst->first != end)) {
                add(list, first - before);
                add(list, end - first);
                before = end;
            }
            if (!is_end) {
                first = burst->first != end || end == 0 ? burst->first : first;
                end = weft_trace_burst_end(trace, burst) + 1;
            }
        }
    }
}

/* A list of: cycles since the point before, bytes from there on. Of a long curve neighbours are
 * joined, of which the larger value stays. */
static bool add_occupancy(const struct weft_trace *trace, enum weft_memory memory, json_t *out,
                          struct weft_error *error) {
    enum {
        MOST = 20000
    };
    struct weft_occupancy *points = NULL;
    size_t count = 0;
    uint64_t before = 0;
    uint64_t peak = 0;
    if (!weft_trace_occupancy(trace, memory, &points, &count, error)) {
        return false;
    }
    json_t *list = json_array();
    size_t step = count / MOST + 1;
    for (size_t i = 0; i < count; i += step) {
        uint64_t most = 0;
        for (size_t k = i; k < i + step && k < count; k++) {
            most = points[k].bytes > most ? points[k].bytes : most;
        }
        add(list, points[i].cycle - before);
        add(list, most);
        before = points[i].cycle;
        peak = most > peak ? most : peak;
    }
    free(points);
    json_object_set_new(json_object_get(out, "inUse"), weft_memory_names[memory],
                        json_pack("{s:I, s:o}", "peak", (json_int_t)peak, "points", list));
    return true;
}

bool report_timeline(const struct reported *reported, uint32_t index, json_t *segment,
                     struct weft_error *error) {
    const struct weft_trace *trace = &reported->traces->segments[index];
    struct words words = {json_array(), json_object()};
    bool good = add_history(&reported->module->segments[index], trace, segment, &words, error);
    json_object_set_new(segment, "words", words.list);
    json_decref(words.index);
    add_lanes(trace, segment);
    add_port(trace, segment);
    json_object_set_new(segment, "inUse", json_object());
    for (unsigned memory = 0; good && memory < WEFT_MEMORIES; memory++) {
        good = add_occupancy(trace, (enum weft_memory)memory, segment, error);
    }
    return good;
}
