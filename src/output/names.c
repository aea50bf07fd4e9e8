/* Names of the objects of a scene in a run, once: readers need not parse the scene again. Rods that were cut off others
 * have the names of these. */
#include "output/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { longest_name = 200 }; /* bytes; the rest is left out, between two characters of UTF-8 */

/* Names are shown on terminals. */
static void make_plain(char *name)
{
  for (unsigned char *c = (unsigned char *)name; *c; c++)
    if (*c < ' ' || *c == 127) *c = '?';
}

static size_t length_of(const char *name)
{
  size_t length = name ? strlen(name) : 0;
  if (length <= longest_name) return length;
  for (length = longest_name; length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80; length--) {}
  return length;
}

static bool fill(sk_name_list *list, const char *const *name, int count)
{
  list->count = count, list->size = 1;
  for (int k = 0; k < count; k++) list->size = SK_MAX(list->size, length_of(name[k]) + 1);
  list->text = sk_calloc((size_t)count, list->size);
  if (!list->text) return false;
  for (int k = 0; k < count; k++) {
    char *to = list->text + list->size * (size_t)k;
    if (name[k]) memcpy(to, name[k], length_of(name[k])), make_plain(to);
  }
  return true;
}

bool sk_names_make(sk_names *names, const skein_manifest *m)
{
  if (!m->name) return true;
  return fill(&names->rod, m->name, m->rods) && fill(&names->body, m->name + m->rods, m->bodies);
}

void sk_names_free(sk_names *names)
{
  free(names->rod.text), free(names->body.text), free(names->source);
  *names = (sk_names){0};
}

bool sk_names_see(sk_names *names, const int *source, int rods)
{
  if (!names->rod.text || rods <= names->sources || rods <= names->rod.count) return true;
  int *grown = realloc(names->source, sizeof *grown * (size_t)rods);
  if (!grown) return false;
  memcpy(grown, source, sizeof *grown * (size_t)rods);
  names->source = grown, names->sources = rods;
  return true;
}

const char *sk_names_find(const sk_names *names, int rods, int object)
{
  bool body = object >= rods;
  const sk_name_list *list = body ? &names->body : &names->rod;
  int at = body ? object - rods : object;
  if (object < 0 || rods < 0) return NULL;
  if (!body && at < names->sources) at = names->source[at];
  return list->text && at >= 0 && at < list->count ? list->text + list->size * (size_t)at : NULL;
}

void sk_names_put(sk_h5 *h, const sk_names *names)
{
  if (!names->rod.text) return; /* of a run that was made without */
  hid_t group = sk_h5_put_group(h, h->file, "names", 2);
  sk_h5_put_texts(h, group, "rods", names->rod.text, names->rod.size, names->rod.count);
  sk_h5_put_texts(h, group, "bodies", names->body.text, names->body.size, names->body.count);
  sk_h5_end(group);
}

/* As close together as `fill` has them: a run that goes on is written with the same bytes. */
static skein_status get(const sk_h5 *h, hid_t group, const char *name, sk_name_list *list)
{
  size_t size;
  skein_status s = sk_h5_get_texts(h, group, name, &list->text, &size, &list->count);
  list->size = 1;
  for (int k = 0; k < list->count; k++) {
    char *text = list->text + size * (size_t)k;
    make_plain(text), list->size = SK_MAX(list->size, strlen(text) + 1);
  }
  for (int k = 0; k < list->count; k++)
    memmove(list->text + list->size * (size_t)k, list->text + size * (size_t)k, list->size);
  return s;
}

skein_status sk_names_get(const sk_h5 *h, sk_names *names)
{
  hid_t group;
  if (H5Lexists(h->file, "names", H5P_DEFAULT) == 0) return sk_ok();
  skein_status s = sk_h5_get_group(h->file, "names", &group);
  if (s.code == SKEIN_OK) s = get(h, group, "rods", &names->rod);
  if (s.code == SKEIN_OK) s = get(h, group, "bodies", &names->body);
  sk_h5_end(group);
  return sk_status_prefix(s, "names");
}
