// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* The driver's logic in the kernel: what it asks of the system, interrupts, and /dev/weftN. */
#include "weft_kernel.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "isa/registers.h"
#include "weft_client.h"

static bool polling;
module_param(polling, bool, 0444);
MODULE_PARM_DESC(polling, "poll, even where there is an interrupt");

static unsigned int most_megabytes = 256;
module_param(most_megabytes, uint, 0444);
MODULE_PARM_DESC(most_megabytes, "MiB of buffers and programs that an open file may have");

static unsigned int most_milliseconds = 10000;
module_param(most_milliseconds, uint, 0444);
MODULE_PARM_DESC(most_milliseconds, "that a job may run");

struct weft_kernel {
    struct weft_accelerator accelerator;
    struct device *device;
    void __iomem *registers;
    int irq; /* 0: none */
    struct mutex lock;
    wait_queue_head_t wait;
    atomic_t wakes;
    struct delayed_work poll;
    struct miscdevice node;
    int number;
    char name[16];
};

static DEFINE_IDA(numbers);

static struct weft_kernel *kernel_of(struct weft_accelerator *accelerator) {
    return container_of(accelerator, struct weft_kernel, accelerator);
}

/* ---- weft_system.h ---- */

u32 weft_system_read32(struct weft_accelerator *accelerator, u32 offset) {
    return readl(kernel_of(accelerator)->registers + offset);
}

void weft_system_write32(struct weft_accelerator *accelerator, u32 offset, u32 value) {
    writel(value, kernel_of(accelerator)->registers + offset);
}

u64 weft_system_now(struct weft_accelerator *accelerator) {
    return ktime_get_ns();
}

void weft_system_lock(struct weft_accelerator *accelerator) {
    mutex_lock(&kernel_of(accelerator)->lock);
}

void weft_system_unlock(struct weft_accelerator *accelerator) {
    mutex_unlock(&kernel_of(accelerator)->lock);
}

int weft_system_sleep(struct weft_accelerator *accelerator, u64 until) {
    struct weft_kernel *kernel = kernel_of(accelerator);
    int wakes = atomic_read(&kernel->wakes);
    u64 now = weft_system_now(accelerator);
    /* Without an interrupt the sleeper is who polls; runs take microseconds. */
    u64 most = accelerator->has_interrupt ? NSEC_PER_SEC : 50 * NSEC_PER_USEC;
    u64 time = until > now ? until - now : 0;
    long result;

    weft_system_unlock(accelerator);
    result = wait_event_interruptible_hrtimeout(kernel->wait, atomic_read(&kernel->wakes) != wakes,
                                                ns_to_ktime(min(time, most)));
    weft_system_lock(accelerator);
    return result == -ERESTARTSYS ? -EINTR : 0;
}

void weft_system_wake(struct weft_accelerator *accelerator) {
    struct weft_kernel *kernel = kernel_of(accelerator);

    atomic_inc(&kernel->wakes);
    wake_up_all(&kernel->wait);
}

void weft_system_poll_at(struct weft_accelerator *accelerator, u64 time) {
    u64 now = weft_system_now(accelerator);
    unsigned long delay = time > now ? nsecs_to_jiffies(time - now) + 1 : 0;

    mod_delayed_work(system_wq, &kernel_of(accelerator)->poll, delay);
}

void *weft_system_allocate(size_t bytes) {
    return kzalloc(bytes, GFP_KERNEL_ACCOUNT);
}

void weft_system_free(void *memory) {
    kfree(memory);
}

void *weft_system_allocate_shared(struct weft_accelerator *accelerator, u64 bytes, u64 *bus) {
    dma_addr_t address = 0;
    void *memory = NULL;

    if (bytes <= SIZE_MAX) {
        memory = dma_alloc_coherent(kernel_of(accelerator)->device, bytes, &address,
                                    GFP_KERNEL | __GFP_NOWARN);
    }
    *bus = address;
    return memory;
}

void weft_system_free_shared(struct weft_accelerator *accelerator, u64 bytes, void *memory,
                             u64 bus) {
    dma_free_coherent(kernel_of(accelerator)->device, bytes, memory, bus);
}

u64 weft_system_page(void) {
    return PAGE_SIZE;
}

bool weft_system_copy_in(void *to, u64 address, u64 bytes) {
    return address <= ULONG_MAX && bytes <= SIZE_MAX &&
           copy_from_user(to, (const void __user *)(unsigned long)address, bytes) == 0;
}

bool weft_system_copy_out(u64 address, const void *from, u64 bytes) {
    return address <= ULONG_MAX && bytes <= SIZE_MAX &&
           copy_to_user((void __user *)(unsigned long)address, from, bytes) == 0;
}

/* ---- interrupts, and looking without one ---- */

static void poll_now(struct weft_kernel *kernel) {
    mutex_lock(&kernel->lock);
    weft_accelerator_poll(&kernel->accelerator);
    mutex_unlock(&kernel->lock);
}

/* In a thread; until it returns the line is masked. */
static irqreturn_t handle(int irq, void *context) {
    struct weft_kernel *kernel = context;

    if (!weft_accelerator_interrupt(&kernel->accelerator)) {
        return IRQ_NONE;
    }
    poll_now(kernel);
    return IRQ_HANDLED;
}

static void poll_work(struct work_struct *work) {
    poll_now(container_of(to_delayed_work(work), struct weft_kernel, poll));
}

/* ---- /dev/weftN ---- */

static int file_open(struct inode *inode, struct file *file) {
    struct miscdevice *node = file->private_data;
    struct weft_kernel *kernel = container_of(node, struct weft_kernel, node);
    struct weft_client *client = NULL;
    int error = weft_client_open(&kernel->accelerator, &client);

    file->private_data = client;
    return error;
}

static int file_release(struct inode *inode, struct file *file) {
    weft_client_close(file->private_data);
    return 0;
}

static long file_ioctl(struct file *file, unsigned int command, unsigned long address) {
    return weft_client_ioctl(file->private_data, command, address);
}

static void mapping_open(struct vm_area_struct *area) {
    weft_client_mapped(area->vm_private_data);
}

static void mapping_close(struct vm_area_struct *area) {
    weft_client_unmapped(area->vm_private_data);
}

static int mapping_split(struct vm_area_struct *area, unsigned long address) {
    return -EINVAL;
}

static const struct vm_operations_struct mapping_operations = {
    .open = mapping_open,
    .close = mapping_close,
    .may_split = mapping_split,
};

static int file_mmap(struct file *file, struct vm_area_struct *area) {
    struct weft_client *client = file->private_data;
    struct weft_kernel *kernel = kernel_of(client->owner->accelerator);
    struct weft_buffer *buffer = NULL;
    u64 handle = area->vm_pgoff;
    u64 bytes = area->vm_end - area->vm_start;
    int error;

    if (!(area->vm_flags & VM_SHARED)) {
        return -EINVAL;
    }
    error = weft_client_map(client, handle, bytes, &buffer);
    if (error) {
        return error;
    }
    area->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
    area->vm_pgoff = 0; /* of the buffer, which is mapped from its beginning */
    error = dma_mmap_coherent(kernel->device, area, buffer->memory, buffer->bus, buffer->bytes);
    area->vm_pgoff = handle;
    if (error) {
        weft_client_unmapped(buffer);
        return error;
    }
    area->vm_private_data = buffer;
    area->vm_ops = &mapping_operations;
    return 0;
}

static const struct file_operations file_operations = {
    .owner = THIS_MODULE,
    .open = file_open,
    .release = file_release,
    .unlocked_ioctl = file_ioctl,
    .compat_ioctl = compat_ptr_ioctl,
    .mmap = file_mmap,
};

/* ---- coming and going ---- */

static int take_interrupt(struct weft_kernel *kernel, int irq) {
    int error;

    if (irq <= 0 || polling) {
        return 0;
    }
    error = request_threaded_irq(irq, NULL, handle, IRQF_ONESHOT, dev_name(kernel->device), kernel);
    if (error) {
        dev_warn(kernel->device, "polling: interrupt %d cannot be had (%d)\n", irq, error);
        return error == -EPROBE_DEFER ? error : 0;
    }
    kernel->irq = irq;
    kernel->accelerator.has_interrupt = true;
    return 0;
}

static int make_node(struct weft_kernel *kernel) {
    int error;

    kernel->number = ida_alloc(&numbers, GFP_KERNEL);
    if (kernel->number < 0) {
        return kernel->number;
    }
    snprintf(kernel->name, sizeof(kernel->name), "weft%d", kernel->number);
    kernel->node = (struct miscdevice){.minor = MISC_DYNAMIC_MINOR,
                                       .name = kernel->name,
                                       .fops = &file_operations,
                                       .parent = kernel->device,
                                       .mode = 0600};
    error = misc_register(&kernel->node);
    if (error) {
        ida_free(&numbers, kernel->number);
    }
    return error;
}

static void stop_interrupt(struct weft_kernel *kernel) {
    if (kernel->irq) {
        free_irq(kernel->irq, kernel);
    }
    cancel_delayed_work_sync(&kernel->poll);
}

static int set_up(struct weft_kernel *kernel, int irq) {
    struct weft_accelerator *accelerator = &kernel->accelerator;
    int error;

    weft_system_lock(accelerator);
    error = weft_accelerator_identify(accelerator);
    weft_system_unlock(accelerator);
    if (error) {
        dev_err(kernel->device, "there is no machine with register map %d\n",
                WEFT_REGISTER_MAP_VERSION);
        return error;
    }
    error = take_interrupt(kernel, irq);
    if (!error) {
        error = make_node(kernel);
    }
    if (error) {
        stop_interrupt(kernel);
    }
    return error;
}

struct weft_kernel *weft_kernel_add(struct device *device, void __iomem *registers, int irq) {
    struct weft_kernel *kernel = kzalloc(sizeof(*kernel), GFP_KERNEL);
    int error;

    if (!kernel) {
        return ERR_PTR(-ENOMEM);
    }
    kernel->device = device;
    kernel->registers = registers;
    kernel->accelerator.most_bytes = (u64)most_megabytes << 20;
    kernel->accelerator.most_time = (u64)most_milliseconds * NSEC_PER_MSEC;
    mutex_init(&kernel->lock);
    init_waitqueue_head(&kernel->wait);
    INIT_DELAYED_WORK(&kernel->poll, poll_work);
    error = set_up(kernel, irq);
    if (error) {
        kfree(kernel);
        return ERR_PTR(error);
    }
    dev_info(device, "%s: configuration %016llx, %s\n", kernel->name,
             kernel->accelerator.configuration,
             kernel->accelerator.has_interrupt ? "interrupt" : "polling");
    return kernel;
}

static bool is_left(struct weft_kernel *kernel) {
    bool left;

    poll_now(kernel);
    mutex_lock(&kernel->lock);
    left = weft_accelerator_is_left(&kernel->accelerator);
    mutex_unlock(&kernel->lock);
    return left;
}

void weft_kernel_remove(struct weft_kernel *kernel) {
    misc_deregister(&kernel->node);
    ida_free(&numbers, kernel->number);
    weft_system_lock(&kernel->accelerator);
    weft_accelerator_remove(&kernel->accelerator);
    weft_system_unlock(&kernel->accelerator);
    while (!is_left(kernel)) {
        msleep(10);
    }
    stop_interrupt(kernel);
    if (kernel->accelerator.is_stuck) {
        dev_err(kernel->device, "the bus is stuck: memory of the last job is lost\n");
        return;
    }
    kfree(kernel);
}

/* ---- the module ---- */

static int __init weft_init(void) {
    int error = weft_platform_register();

    if (error) {
        return error;
    }
    error = weft_pci_register();
    if (error) {
        weft_platform_unregister();
    }
    return error;
}

static void __exit weft_exit(void) {
    weft_pci_unregister();
    weft_platform_unregister();
}

module_init(weft_init);
module_exit(weft_exit);
MODULE_DESCRIPTION("Weft tensor accelerator");
MODULE_AUTHOR("The authors of Weft");
MODULE_LICENSE("GPL"); /* or Apache-2.0, which the kernel has no word for */
