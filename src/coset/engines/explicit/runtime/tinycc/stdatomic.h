/* A program of the quick tier has one thread: atomic operations are plain ones. */
#ifndef STDATOMIC_H
#define STDATOMIC_H

#define _Atomic

#define atomic_load(at) (*(at))
#define atomic_store(at, value) ((void)(*(at) = (value)))
#define atomic_load_explicit(at, order) atomic_load(at)
#define atomic_store_explicit(at, value, order) atomic_store(at, value)
#define atomic_exchange(at, value)                                                                                     \
  ({                                                                                                                   \
    __typeof__(*(at)) old_ = *(at);                                                                                    \
    *(at) = (value);                                                                                                   \
    old_;                                                                                                              \
  })
#define atomic_fetch_add(at, value)                                                                                    \
  ({                                                                                                                   \
    __typeof__(*(at)) old_ = *(at);                                                                                    \
    *(at) = old_ + (value);                                                                                            \
    old_;                                                                                                              \
  })
#define atomic_fetch_add_explicit(at, value, order) atomic_fetch_add(at, value)
#define atomic_fetch_or_explicit(at, value, order)                                                                     \
  ({                                                                                                                   \
    __typeof__(*(at)) old_ = *(at);                                                                                    \
    *(at) = old_ | (value);                                                                                            \
    old_;                                                                                                              \
  })
#define atomic_compare_exchange_strong(at, expected, value)                                                            \
  ({                                                                                                                   \
    int same_ = *(at) == *(expected);                                                                                  \
    if (same_) *(at) = (value);                                                                                        \
    else *(expected) = *(at);                                                                                          \
    same_;                                                                                                             \
  })
#define atomic_compare_exchange_strong_explicit(at, expected, value, success, failure)                                 \
  atomic_compare_exchange_strong(at, expected, value)
#define __atomic_compare_exchange_n(at, expected, value, weak, success, failure)                                       \
  atomic_compare_exchange_strong(at, expected, value)

typedef int atomic_flag;
#define atomic_flag_clear(at) ((void)(*(at) = 0))
#define atomic_flag_test_and_set(at) atomic_exchange(at, 1)

#endif
