/* The dictionaries of components by themselves: whoever adds a value, it is unpacked as it was packed.

   All values belong to the same place, so that threads that add different ones look for the same free place. */
#define _GNU_SOURCE
#include "component_dictionary.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define VALUES 12
#define ROUNDS 20000

static const u64 whole[] = {~(u64)0};
const struct component model_components[] = {{0, 1, whole}};

void dictionary_added(struct component_dictionary *c, int component, u64 number, const u8 *state) {
  (void)c, (void)component, (void)number, (void)state;
}

static struct component_dictionary dictionary;
static u64 values[THREADS][VALUES];
static pthread_barrier_t barrier;
static _Atomic u64 failures;

static void *add_values(void *argument) {
  u64 own = (u64)(size_t)argument;
  for (int round = 0; round < ROUNDS; round++) {
    if (own == 0 && !dictionary_open(&dictionary, &(struct bit_field){0, 0, 0xFFFF})) abort();
    pthread_barrier_wait(&barrier);
    for (u64 n = 0; n < VALUES; n++) {
      u64 value = values[own][n], packed, found;
      if (dictionary_pack(&dictionary, (const u8 *)&value, NULL, NULL, (u8 *)&packed) != DICTIONARY_FITS) abort();
      dictionary_unpack(&dictionary, (const u8 *)&packed, (u8 *)&found);
      failures += found != value;
    }
    pthread_barrier_wait(&barrier);
    if (own == 0) dictionary_close(&dictionary);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  u64 count = 0;
  for (u64 value = 1; count < THREADS * VALUES; value++)
    if ((hash_bytes((const u8 *)&value, sizeof value) & 127) == 0)
      values[count % THREADS][count / THREADS] = value, count++;
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (u64 k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, add_values, (void *)(size_t)k);
  for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
  if (failures) fprintf(stderr, "%llu values were taken for others\n", (unsigned long long)failures);
  return failures != 0;
}
