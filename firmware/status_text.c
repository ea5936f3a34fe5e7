#include "firmware/weft_firmware.h"

const char *weft_firmware_text(enum weft_firmware_status status) {
    switch (status) {
#define WEFT_FIRMWARE_STATUS(name, value, text)                                                    \
    case WEFT_FIRMWARE_##name:                                                                     \
        return text;
#include "firmware/status.def"
    }
    return "unknown";
}
