/* Is this built with AddressSanitizer? It reserves terabytes of addresses, which take no memory, so
 * that a limit on the address space of a process would end it. */
#ifndef WEFT_BASE_SANITIZER_H
#define WEFT_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_LIMITS_ADDRESSES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_LIMITS_ADDRESSES 0
#endif
#endif
#ifndef WEFT_LIMITS_ADDRESSES
#define WEFT_LIMITS_ADDRESSES 1
#endif

#endif
