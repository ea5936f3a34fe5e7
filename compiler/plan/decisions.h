/* What a schedule of a region chose. A plan follows from a region and its decisions alone. */
#ifndef WEFT_COMPILER_PLAN_DECISIONS_H
#define WEFT_COMPILER_PLAN_DECISIONS_H

#include "compiler/plan/region.h"

/* How a layer is cut. */
struct cut {
#define WEFT_CUT(type, name, doc) type name;
#include "compiler/plan/decisions.def"
};

/* How a tensor is kept on chip. */
struct keep {
#define WEFT_KEEP(type, name, doc) type name;
#include "compiler/plan/decisions.def"
};

/* Sizes of memories that decisions were made for: those of the machine, or of a smaller one.
 * Weights come in pieces, and tensors get banks, as on that one. What ACC was like shows in the
 * tiles alone. */
struct as_if {
#define WEFT_AS_IF(type, name, doc) type name;
#include "compiler/plan/decisions.def"
};

struct decisions {
    bool behind;      /* arithmetic by element is carried out behind products */
    bool halve_loads; /* the last LOADs of constants become shorter and shorter */
    bool whole_rams;  /* what is as large as a RAM of ACT takes whole ones */
    /* Weights come as they are, even where coded ones are smaller: what is gathered, which cannot
     * be coded, need not wait for them. */
    bool plain_weights;
    /* So many banks of WGT keep what they have for as long as it is used again; the others hold the
     * rest in turn. At most two less than there are. */
    int64_t kept_banks;
    bool keep_longest;  /* they have what takes longest to load, not what comes first */
    bool keep_in_group; /* used again for the same group of images, not for others */
    struct as_if as_if;
    int layer_count, tensor_count;
    struct cut *cuts;   /* by layer of the region */
    struct keep *keeps; /* by tensor */
};

#endif
