/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* An accelerator as the kernel has it, whatever bus it was found on. */
#ifndef WEFT_KERNEL_H
#define WEFT_KERNEL_H

#include <linux/device.h>
#include <linux/io.h>

struct weft_kernel;

/* Makes /dev/weftN of a device whose registers are mapped, and whose memory access is set up.
 * `irq` is 0 or less where it has no interrupt. Error: ERR_PTR(). */
struct weft_kernel *weft_kernel_add(struct device *device, void __iomem *registers, int irq);

/* Ends all jobs, and waits until every file is closed. */
void weft_kernel_remove(struct weft_kernel *kernel);

/* The buses. Errors: minus an error number. */
int weft_platform_register(void);
void weft_platform_unregister(void);
#ifdef CONFIG_PCI
int weft_pci_register(void);
void weft_pci_unregister(void);
#else
static inline int weft_pci_register(void) {
    return 0;
}
static inline void weft_pci_unregister(void) {
}
#endif

#endif
