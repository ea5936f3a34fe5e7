/* The fake of ref16 as a library that the driver can load. All else comes from the executable. */
#include "tests/unit/fake_rtl.h"

weft_rtl_interface_function weft_rtl_interface;

const struct weft_rtl_interface *weft_rtl_interface(void) {
    struct weft_config config;
    struct weft_error error;
    return weft_config_find("ref16", &config, &error) ? fake_rtl_interface(&config) : NULL;
}
