/* What a schedule of a region chose. A plan follows from a region and its decisions alone. */
#ifndef WEFT_COMPILER_PLAN_DECISIONS_H
#define WEFT_COMPILER_PLAN_DECISIONS_H

#include "compiler/plan/region.h"

/* How a layer is cut. */
struct cut {
    /* Between loads and stores of tensors that are not resident: rows of the output, images, groups
     * (of the result and of what a sum adds to it, if weights_outer), and how many buffers for each
     * tensor are used in turn. */
    int64_t stripe_rows, stripe_images, stripe_groups;
    int64_t stripe_buffers;
    int64_t tile_rows, tile_columns; /* of the output, in one tile */
    int64_t tile_blocks;             /* output channel blocks in one MATRIX */
    bool weights_outer;              /* all tiles of one group of blocks before the next group */
    bool turned;                     /* layer_turn() */
    bool linked;                     /* it is carried out together with the next layer */
};

/* How a tensor is kept on chip. */
struct keep {
    bool resident;  /* all of it, from its first use to its last */
    bool packed;    /* as rows of W * C bytes */
    bool own_banks; /* channel blocks lie in banks of their own, if they are not tiny */
    /* Rows are so many times as far apart as they need to be, so that they lie in as many banks as
     * on a machine of smaller ones: what is in one bank comes and goes as a whole. */
    int64_t stretch;
};

struct decisions {
    bool behind;      /* arithmetic by element is carried out behind products */
    bool halve_loads; /* the last LOADs of constants become shorter and shorter */
    /* Sizes of memories that these decisions were made for: those of the machine, or of a smaller
     * one. Weights come in pieces, and tensors get banks, as on that one. */
    uint32_t act_bytes, wgt_bytes, acc_bytes, par_bytes;
    int layer_count, tensor_count;
    struct cut *cuts;   /* by layer of the region */
    struct keep *keeps; /* by tensor */
};

#endif
