#include "tests/grid/networks.h"

enum {
    LARGE_MODEL = 1 << 20, /* bytes of a file */
};

const char *const grid_networks[] = {
    "ad_autoencoder_int8",
    "kws_dscnn_int8",
    "ic_resnet8_int8",
    "vww_mobilenetv1_025_96_int8",
    "sww_ds1dcnn_int8",
    "mobilenet_v2_1.0_224_int8",
    "mobilenet_v2_1.0_224_uint8",
    NULL,
};

bool grid_is_large(size_t bytes) {
    return bytes > LARGE_MODEL;
}
