/* From a region of the graph to a verified program. */
#ifndef WEFT_COMPILER_SCHEDULE_SCHEDULE_H
#define WEFT_COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/ir/ir.h"
#include "compiler/schedule/attempt.h"
#include "compiler/schedule/log.h"
#include "compiler/schedule/segment.h"
#include "compiler/schedule/terms.h"

/* Compiles the body of a region for the machine. Everything in *segment is in the arena; what it
 * chose is in its schedule. `use`: take this schedule, and search for none;
 * NULL: search. What was tried is noted in `log` and in the schedule; NULL: nowhere. Errors:
 * WEFT_CAPACITY, position: the number in the body of the node that finds no room, or that of its
 * nodes when it is all of them that are too much; WEFT_DECISIONS when `use` is not for this region,
 * or has no room on this machine; WEFT_INTERNAL when the program does not verify, with the
 * verifier's words. */
bool weft_schedule_region(struct weft_arena *arena, const struct weft_config *config,
                          const struct weft_graph *region, const struct schedule_terms *terms,
                          const struct saved_schedule *use, struct search_log *log,
                          struct weft_segment *segment, struct weft_error *error);

/* The region that a schedule is for, made of the body of a region node, and its decisions, in the
 * arena; whether they are possible is for attempt_use() to say. Errors: WEFT_DECISIONS, it is for
 * another region; WEFT_INTERNAL. */
bool schedule_read(struct weft_arena *arena, const struct weft_config *config,
                   const struct weft_graph *graph, const struct saved_schedule *use,
                   struct region *region, struct decisions *decisions, struct weft_error *error);

/* Verifies the program of an attempt. Errors: as of weft_schedule_region(). */
bool schedule_verify(const struct attempt *attempt, struct weft_error *error);

#endif
