// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Machines that a device tree describes: linux/weft,accelerator.yaml. */
#include <linux/clk.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_reserved_mem.h>
#include <linux/platform_device.h>
#include <linux/reset.h>

#include "weft_kernel.h"

static int probe(struct platform_device *device) {
    struct weft_kernel *kernel;
    struct reset_control *reset;
    struct clk *clock;
    void __iomem *registers;
    int irq;
    int error;

    registers = devm_platform_ioremap_resource(device, 0);
    if (IS_ERR(registers)) {
        return PTR_ERR(registers);
    }
    clock = devm_clk_get_optional_enabled(&device->dev, NULL);
    if (IS_ERR(clock)) {
        return dev_err_probe(&device->dev, PTR_ERR(clock), "no clock\n");
    }
    reset = devm_reset_control_get_optional_exclusive(&device->dev, NULL);
    if (IS_ERR(reset)) {
        return dev_err_probe(&device->dev, PTR_ERR(reset), "no reset\n");
    }
    error = reset_control_deassert(reset);
    if (error) {
        return error;
    }
    /* The bus decides what the machine can reach (dma-ranges); it makes 64 bits itself. */
    error = dma_set_mask_and_coherent(&device->dev, DMA_BIT_MASK(64));
    if (error) {
        return error;
    }
    /* Without a pool of its own memory comes from where the kernel takes it. */
    error = of_reserved_mem_device_init(&device->dev);
    if (error && error != -ENODEV && error != -EINVAL && error != -ENOSYS) {
        return error;
    }
    irq = platform_get_irq_optional(device, 0);
    if (irq == -EPROBE_DEFER) {
        of_reserved_mem_device_release(&device->dev);
        return irq;
    }
    kernel = weft_kernel_add(&device->dev, registers, irq);
    if (IS_ERR(kernel)) {
        of_reserved_mem_device_release(&device->dev);
        return PTR_ERR(kernel);
    }
    platform_set_drvdata(device, kernel);
    return 0;
}

static int remove(struct platform_device *device) {
    weft_kernel_remove(platform_get_drvdata(device));
    of_reserved_mem_device_release(&device->dev);
    return 0;
}

static const struct of_device_id device_tree[] = {{.compatible = "weft,accelerator-v3"}, {}};
MODULE_DEVICE_TABLE(of, device_tree);

static struct platform_driver driver = {
    .probe = probe,
    .remove = remove,
    .driver = {.name = "weft", .of_match_table = device_tree},
};

int weft_platform_register(void) {
    return platform_driver_register(&driver);
}

void weft_platform_unregister(void) {
    platform_driver_unregister(&driver);
}
