/* In the place of onnx_write.c where protobuf-c is not there. */
#include "compiler/quantize/quantize.h"

bool weft_quantized_onnx(const struct weft_quantized *quantized, uint8_t **bytes, size_t *length,
                         struct weft_error *error) {
    (void)quantized;
    (void)bytes;
    (void)length;
    return weft_fail(error, WEFT_TARGET, 0,
                     "this build cannot write ONNX: scripts/setup installs what is missing");
}
