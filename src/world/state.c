/* A state: memory, copies, and the contacts that it keeps. */
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

skein_status sk_state_create(const sk_model *m, sk_state *s)
{
  *s = (sk_state){.growth = 1};
  s->x = sk_calloc(m->nx, sizeof *s->x), s->v = sk_calloc(m->nv, sizeof *s->v);
  s->body = sk_calloc((size_t)m->scene->body_count, sizeof *s->body);
  s->rest = sk_calloc((size_t)m->object_count, sizeof *s->rest);
  s->look = sk_calloc((size_t)m->rod_count, sizeof *s->look);
  return s->x && s->v && s->body && s->rest && s->look ? sk_ok() : sk_no_memory();
}

void sk_state_destroy(sk_state *s)
{
  free(s->x), free(s->v), free(s->body), free(s->rest), free(s->look);
  sk_arena_free(&s->kept);
  *s = (sk_state){0};
}

static void copy(void *to, const void *from, size_t count, size_t size)
{
  if (count > 0) memcpy(to, from, count * size);
}

void sk_state_copy(const sk_model *m, const sk_state *from, sk_state *to)
{
  sk_state mine = *to;
  *to = *from;
  to->x = mine.x, to->v = mine.v, to->body = mine.body, to->rest = mine.rest, to->look = mine.look;
  to->contacts = mine.contacts, to->kept = mine.kept;
  copy(to->x, from->x, m->nx, sizeof *to->x), copy(to->v, from->v, m->nv, sizeof *to->v);
  copy(to->body, from->body, (size_t)m->scene->body_count, sizeof *to->body);
  copy(to->rest, from->rest, (size_t)m->object_count, sizeof *to->rest);
  copy(to->look, from->look, (size_t)m->rod_count, sizeof *to->look);
}

skein_status sk_state_keep(sk_state *s, const sk_contact *contacts, int count)
{
  sk_arena_reset(&s->kept);
  s->contacts = (sk_contacts){SK_NEW_RAW(&s->kept, count, sk_contact), 0};
  if (s->kept.failed) return sk_no_memory();
  copy(s->contacts.at, contacts, (size_t)count, sizeof *contacts);
  s->contacts.count = count;
  return sk_ok();
}
