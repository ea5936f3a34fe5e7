/* What layers emit: steps, in an order in which they could run one after another.
 *
 * A step is an instruction that does not know yet where in WGT, PAR and LUT its constants are, nor
 * which accumulators it has. Parts of a stream are what another stream may be merged between.
 */
#ifndef WEFT_COMPILER_EMIT_STREAM_H
#define WEFT_COMPILER_EMIT_STREAM_H

#include "compiler/plan/plan.h"

enum {
    NO_PIECE = -1
};

struct step {
    struct weft_instruction instruction; /* opcode 0: none, only the piece is brought */
    int layer;
    int64_t group;         /* of images */
    int tile;              /* which of two tiles that are made together */
    int piece_kind, piece; /* that it uses, or NO_PIECE */
    /* How many accumulators it and those after it of its layer and tile have; 0: those that the one
     * before it has. -1 - i: itself alone, those from number i on in the bank that is kept for
     * sums. */
    int64_t accumulators;
};

struct stream {
    struct weft_arena *arena;
    struct step *steps;
    size_t count, capacity;
    size_t *ends; /* of parts: numbers of steps */
    size_t part_count, part_capacity;
    size_t *middles; /* of parts: where what VECTOR does to what MATRIX made begins, or the end */
    size_t middle_capacity;
    size_t middle; /* of the part that is not ended yet, if it has one */
    bool has_middle;
};

/* Makes a stream empty; its memory is used for what comes next. */
void stream_clear(struct stream *stream);

/* Makes room for so many steps, which saves copying them when the stream grows. */
void stream_reserve(struct stream *stream, size_t steps);

/* Appends a step. */
void stream_add(struct stream *stream, const struct step *step);

/* Begins what VECTOR does to what MATRIX makes in a part: guests come before it, so that VECTOR
 * need not wait for MATRIX first. */
void stream_begin_half(struct stream *stream);

/* Ends a part. What follows the last end is no part: it comes after everything that is merged. */
void stream_end_part(struct stream *stream);

/* Appends the parts of `host`, and in the middle of each the part of the same number of every
 * guest; then what follows the last part of the host; then what is left of the guests, part by
 * part. The result has no parts. */
void stream_merge(struct stream *to, const struct stream *host, size_t guest_count,
                  const struct stream *guests);

/* The same, but the parts of each guest are spread evenly over those of the host, however many
 * there are; all that a guest has is in parts. Without parts of the host, guests follow it. */
void stream_spread(struct stream *to, const struct stream *host, size_t guest_count,
                   const struct stream *guests);

#endif
