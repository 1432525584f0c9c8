/* A search as a program of its own, for sanitizers and profilers:

       main INITIAL THREADS [MAX_STATES [STORAGE [ORDER]]]    all states, breadth first
       main INITIAL cycles FAIR Q...        cycles, from these initial states of the property's automaton, depth first
       main INITIAL product THREADS Q...    the same, on the recorded graph
       main INITIAL shortest FAIR Q...      a shortest lasso

   INITIAL is a file with the bytes of the initial state.  Prints what `struct result` says. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "component_dictionary.h"
#include "search.h"
#include "store.h"

struct cycles;
__attribute__((weak)) struct cycles *cycles_new(const struct request *request, struct result *result, int fair);
__attribute__((weak)) void cycles_run(struct cycles *c, int initial);
__attribute__((weak)) void cycles_free(struct cycles *c);

struct product;
__attribute__((weak)) struct product *product_new(const struct request *request, struct result *result);
__attribute__((weak)) void product_run(struct product *p, const int *initial, int count);
__attribute__((weak)) u64 product_lasso(struct product *p, u64 *out, u64 room, u64 *stem);
__attribute__((weak)) void product_free(struct product *p);

struct shortest;
__attribute__((weak)) struct shortest *shortest_new(const struct request *request, struct result *result, int fair);
__attribute__((weak)) void shortest_run(struct shortest *s, const int *initial, int count);
__attribute__((weak)) u64 shortest_lasso(struct shortest *s, u64 *out, u64 room, u64 *stem);
__attribute__((weak)) void shortest_free(struct shortest *s);
#define MOST_INITIAL 64

static void search_shortest(struct request *request, struct result *result, char **words, int count) {
  int initial[MOST_INITIAL] = {0};
  u64 stem = 0, out[1024];
  for (int k = 1; k < count && k <= MOST_INITIAL; k++) initial[k - 1] = atoi(words[k]);
  struct shortest *shortest = shortest_new(request, result, atoi(words[0]));
  if (!shortest) exit(2);
  shortest_run(shortest, initial, count - 1);
  if (result->stopped == STOP_ERROR && shortest_lasso(shortest, out, 1024, &stem) == 0) exit(2);
  shortest_free(shortest);
}

static void search_product(struct request *request, struct result *result, char **words, int count) {
  int initial[MOST_INITIAL] = {0};
  u64 stem;
  request->threads = atoi(words[0]);
  request->keep_parents = 1;
  for (int k = 1; k < count && k <= MOST_INITIAL; k++) initial[k - 1] = atoi(words[k]);
  struct product *product = product_new(request, result);
  if (!product) exit(2);
  product_run(product, initial, count - 1);
  if (result->stopped == STOP_ERROR && product_lasso(product, NULL, 0, &stem) == 0) exit(2);
  product_free(product);
}

#if MODEL_CACHES
extern const struct bit_field bit_fields[];
#endif

static struct result result;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(2);
}

int main(int count, char **words) {
  u8 initial[STATE_SIZE];
  if (count < 3) fail("main INITIAL THREADS | main INITIAL cycles FAIR Q...");
  FILE *file = fopen(words[1], "rb");
  if (!file || fread(initial, 1, STATE_SIZE, file) != STATE_SIZE) fail("no initial state");
  fclose(file);
  struct request request = {.initial = initial, .reserve = (u64)1 << 30, .threads = 1};
#if MODEL_CACHES
  request.bit_fields = bit_fields;
#endif
  if (strcmp(words[2], "cycles") == 0 && cycles_new) {
    request.stays = 1;
    struct cycles *cycles = cycles_new(&request, &result, count > 3 ? atoi(words[3]) : 0);
    if (!cycles) fail("no memory");
    for (int k = 4; k < count; k++) cycles_run(cycles, atoi(words[k]));
    cycles_free(cycles);
  } else if (strcmp(words[2], "product") == 0 && product_new && count > 4) {
    request.stays = 1;
    search_product(&request, &result, words + 3, count - 3);
  } else if (strcmp(words[2], "shortest") == 0 && shortest_new && count > 4) {
    request.stays = 1;
    search_shortest(&request, &result, words + 3, count - 3);
  } else {
    request.threads = atoi(words[2]);
    request.max_states = count > 3 ? strtoull(words[3], NULL, 10) : 0;
    request.storage = count > 4 ? atoi(words[4]) : 0;
    request.order = count > 5 ? atoi(words[5]) : 0;
    request.log_bits = 26;
    request.keep_parents = 1;
    char folder[] = "/tmp/coset-states-XXXXXX";
    if (request.storage == STORAGE_DISK) {
      request.disk = mkdtemp(folder);
      request.disk_memory = 60000;
    }
    struct search *search = search_new(&request, &result);
    if (!search) fail("no memory");
    search_run(search);
    search_free(search);
    if (request.disk) rmdir(folder);
  }
  printf("states %llu transitions %llu stopped %d assertions %llu ends %llu\n", (unsigned long long)result.states,
         (unsigned long long)result.transitions, result.stopped, (unsigned long long)result.errors[ERROR_ASSERTION],
         (unsigned long long)result.errors[ERROR_END]);
  return 0;
}
