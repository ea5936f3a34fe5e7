/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* The kernel's types and error numbers, for files that tests compile outside of a kernel, too. */
#ifndef WEFT_TYPES_H
#define WEFT_TYPES_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;
/* An index that was checked, and that speculation cannot take past the array either. */
#define array_index_nospec(index, size) ((void)(size), (index))
#endif

#endif
