// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Machines on an FPGA card: registers in BAR 0. There is no vendor id for them, so whoever builds a
 * card says which it has: echo VENDOR DEVICE >/sys/bus/pci/drivers/weft/new_id */
#include "weft_kernel.h"

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "isa/registers.h"

static int map_registers(struct pci_dev *device) {
    int error = pcim_enable_device(device);

    if (error) {
        return error;
    }
    if (pci_resource_len(device, 0) < WEFT_REGISTER_BYTES) {
        dev_err(&device->dev, "BAR 0 has less than %d bytes\n", WEFT_REGISTER_BYTES);
        return -ENODEV;
    }
    error = pcim_iomap_regions(device, BIT(0), "weft");
    return error ? error : dma_set_mask_and_coherent(&device->dev, DMA_BIT_MASK(64));
}

static int probe(struct pci_dev *device, const struct pci_device_id *id) {
    struct weft_kernel *kernel;
    int irq = 0;
    int error = map_registers(device);

    if (error) {
        return error;
    }
    pci_set_master(device);
    if (pci_alloc_irq_vectors(device, 1, 1, PCI_IRQ_MSI | PCI_IRQ_MSIX) == 1) {
        irq = pci_irq_vector(device, 0);
    }
    kernel = weft_kernel_add(&device->dev, pcim_iomap_table(device)[0], irq);
    if (IS_ERR(kernel)) {
        pci_free_irq_vectors(device);
        return PTR_ERR(kernel);
    }
    pci_set_drvdata(device, kernel);
    return 0;
}

static void remove(struct pci_dev *device) {
    weft_kernel_remove(pci_get_drvdata(device));
    pci_free_irq_vectors(device);
    pci_clear_master(device);
}

static struct pci_driver driver = {
    .name = "weft", /* no table: an empty one would let nobody name a card, either */
    .probe = probe,
    .remove = remove,
};

int weft_pci_register(void) {
    return pci_register_driver(&driver);
}

void weft_pci_unregister(void) {
    pci_unregister_driver(&driver);
}
