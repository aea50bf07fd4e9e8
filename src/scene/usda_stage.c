/* The text of a USD stage, gone through once for prims and for the attributes that are wanted of them. */
#include "scene/usda_stage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SK_USD_ATTRIBUTES] = {
    "points",      "curveVertexCounts",   "widths",      "faceVertexCounts", "faceVertexIndices",
    "primvars:st", "primvars:st:indices", "orientation", "xformOpOrder",     NULL};

/* ---- Words ---- */

static skein_status damaged(const sk_usd_stage *s, const char *what)
{
  return sk_fail(SKEIN_BAD_INPUT, "%s, %zu bytes before its end", what, (size_t)(s->from.end - s->from.at));
}

/* White space, commas, semicolons, comments. */
static void skip_space(sk_text *t)
{
  while (t->at < t->end) {
    if (*t->at == '#') {
      const char *line = memchr(t->at, '\n', (size_t)(t->end - t->at));
      t->at = line ? line : t->end;
    } else if (isspace((unsigned char)*t->at) || *t->at == ',' || *t->at == ';') t->at++;
    else return;
  }
}

bool sk_text_starts(const sk_text *t, const char *word)
{
  size_t n = strlen(word);
  return (size_t)(t->end - t->at) >= n && !memcmp(t->at, word, n);
}

bool sk_text_is(sk_text t, const char *word)
{
  return (size_t)(t.end - t.at) == strlen(word) && sk_text_starts(&t, word);
}

/* Over a string: "...", '...', or three of these; also paths <...> and assets @...@. false: it does not end. */
bool sk_text_skip_quoted(sk_text *t)
{
  char quote = *t->at == '<' ? '>' : *t->at;
  bool three = quote != '>' && t->end - t->at >= 3 && t->at[1] == quote && t->at[2] == quote;
  for (t->at += three ? 3 : 1; t->at < t->end; t->at++) {
    if (*t->at == '\\' && t->at + 1 < t->end) t->at++;
    else if (*t->at == quote && (!three || (t->end - t->at >= 3 && t->at[1] == quote && t->at[2] == quote)))
      return t->at += three ? 3 : 1, true;
  }
  return false;
}

bool sk_text_quote(char c)
{
  return c == '"' || c == '\'' || c == '<' || c == '@';
}

/* Over one value: to the bracket that closes the one it begins with, or to the end of a word. */
static bool skip_value(sk_text *t)
{
  int depth = 0;
  do {
    skip_space(t);
    if (t->at >= t->end) return false;
    if (sk_text_quote(*t->at)) {
      if (!sk_text_skip_quoted(t)) return false;
    } else if (strchr("([{", *t->at)) depth++, t->at++;
    else if (strchr(")]}", *t->at)) {
      if (--depth < 0) return false;
      t->at++;
    } else
      while (t->at < t->end && !isspace((unsigned char)*t->at) && !strchr("()[]{},;#\"'", *t->at)) t->at++;
  } while (depth > 0);
  return true;
}

/* A word of a name or a type: what ends it is space or a bracket that does not belong to it ("float[]" is one word). */
static sk_text take_word(sk_text *t)
{
  sk_text word = {t->at, t->at};
  while (t->at < t->end && !isspace((unsigned char)*t->at) && !strchr("(){}=\"'", *t->at)) t->at++;
  word.end = t->at;
  return word;
}

static double number_at(sk_text t)
{
  char word[64];
  size_t n = SK_MIN((size_t)(t.end - t.at), sizeof word - 1);
  memcpy(word, t.at, n), word[n] = 0;
  return strtod(word, NULL);
}

/* ---- Attributes ---- */

static bool wanted(sk_text name, sk_usd_attribute *what)
{
  for (int k = 0; k < SK_USD_XFORM_OP; k++)
    if (sk_text_is(name, names[k])) return *what = (sk_usd_attribute)k, true;
  *what = SK_USD_XFORM_OP;
  return sk_text_starts(&name, "xformOp:");
}

static skein_status take_samples(sk_usd_stage *s)
{
  s->from.at++; /* { */
  for (skip_space(&s->from); s->from.at < s->from.end && *s->from.at != '}'; skip_space(&s->from)) {
    const char *colon = memchr(s->from.at, ':', (size_t)(s->from.end - s->from.at));
    if (!colon) return damaged(s, "time samples do not end");
    sk_usd_sample one = {.time = number_at((sk_text){s->from.at, colon})};
    s->from.at = colon + 1;
    skip_space(&s->from);
    one.value.at = s->from.at;
    if (!skip_value(&s->from)) return damaged(s, "a time sample does not end");
    one.value.end = s->from.at;
    if (!sk_list_push(&s->samples, &one, 1, sizeof one)) return sk_no_memory();
  }
  if (s->from.at >= s->from.end) return damaged(s, "time samples do not end");
  s->from.at++;
  return sk_ok();
}

/* What stands behind the name of an attribute: "= value", "= { samples }", "(metadata)". */
static skein_status take_attribute(sk_usd_stage *s, sk_text name, int in)
{
  const char *dot = memchr(name.at, '.', (size_t)(name.end - name.at));
  bool sampled = dot && sk_text_is((sk_text){dot, name.end}, ".timeSamples");
  sk_usd_found f = {.name = {name.at, sampled ? dot : name.end}, .first = (int)s->samples.count};
  bool keep = in >= 0 && (sampled || !dot) && wanted(f.name, &f.what);
  skein_status status = sk_ok();
  skip_space(&s->from);
  if (s->from.at < s->from.end && *s->from.at == '=') {
    s->from.at++, skip_space(&s->from);
    if (keep && sampled && s->from.at < s->from.end && *s->from.at == '{') status = take_samples(s);
    else {
      sk_usd_sample one = {.time = -INFINITY, .value = {s->from.at, s->from.at}};
      if (!skip_value(&s->from)) return damaged(s, "a value does not end");
      one.value.end = s->from.at;
      if (keep && !sk_list_push(&s->samples, &one, 1, sizeof one)) status = sk_no_memory();
    }
    f.count = (int)s->samples.count - f.first;
    if (status.code == SKEIN_OK && keep && f.count > 0) {
      sk_usd_prim *p = (sk_usd_prim *)s->prims.data + in;
      f.before = p->last, p->last = (int)s->founds.count;
      if (!sk_list_push(&s->founds, &f, 1, sizeof f)) status = sk_no_memory();
    }
    skip_space(&s->from);
  }
  if (status.code == SKEIN_OK && s->from.at < s->from.end && *s->from.at == '(' && !skip_value(&s->from))
    return damaged(s, "metadata do not end");
  return status;
}

/* ---- Prims ---- */

static skein_status take_body(sk_usd_stage *s, int in, int depth);

/* "def", "over" or "class", behind that word; only what is defined is taken. */
static skein_status take_prim(sk_usd_stage *s, int parent, int depth, bool defined)
{
  sk_usd_prim p = {.parent = parent, .last = -1};
  skip_space(&s->from);
  if (s->from.at < s->from.end && *s->from.at != '"') p.type = take_word(&s->from), skip_space(&s->from);
  if (s->from.at >= s->from.end || *s->from.at != '"' || !sk_text_skip_quoted(&s->from))
    return damaged(s, "a prim has no name");
  skip_space(&s->from);
  if (s->from.at < s->from.end && *s->from.at == '(' && !skip_value(&s->from)) return damaged(s, "metadata do not end");
  skip_space(&s->from);
  if (s->from.at >= s->from.end || *s->from.at != '{') return damaged(s, "a prim has no '{'");
  if (!defined) return skip_value(&s->from) ? sk_ok() : damaged(s, "a prim does not end");
  s->from.at++;
  if (!sk_list_push(&s->prims, &p, 1, sizeof p)) return sk_no_memory();
  return take_body(s, (int)s->prims.count - 1, depth + 1);
}

/* One thing in a prim: another prim, a block in braces that is no prim (variants), or an attribute. */
static skein_status take_thing(sk_usd_stage *s, int in, int depth)
{
  sk_text word = take_word(&s->from);
  if (sk_text_is(word, "def") || sk_text_is(word, "over") || sk_text_is(word, "class"))
    return take_prim(s, in, depth, sk_text_is(word, "def"));
  if (word.at == word.end) return skip_value(&s->from) ? sk_ok() : damaged(s, "found a bracket that closes nothing");
  for (;;) { /* qualifiers, type, name: the last word before '=', '(' or the end of the line */
    while (s->from.at < s->from.end && (*s->from.at == ' ' || *s->from.at == '\t')) s->from.at++;
    if (s->from.at >= s->from.end || *s->from.at == '\n' || *s->from.at == '\r' || strchr("={(}\"'", *s->from.at))
      break;
    sk_text next = take_word(&s->from);
    if (next.at == next.end) break;
    word = next;
  }
  if (s->from.at < s->from.end && sk_text_quote(*s->from.at)) { /* variantSet "name" = { ... } */
    if (!sk_text_skip_quoted(&s->from)) return damaged(s, "a string does not end");
  }
  return take_attribute(s, word, in);
}

/* To the '}' of a prim, or to the end of the text. */
static skein_status take_body(sk_usd_stage *s, int in, int depth)
{
  skein_status status = sk_ok();
  if (depth > SK_USD_DEEPEST) return sk_fail(SKEIN_BAD_INPUT, "has prims in each other deeper than %d", SK_USD_DEEPEST);
  for (skip_space(&s->from); s->from.at < s->from.end && status.code == SKEIN_OK; skip_space(&s->from)) {
    if (*s->from.at == '}' && in >= 0) return s->from.at++, status;
    status = take_thing(s, in, depth);
  }
  if (status.code == SKEIN_OK && in >= 0) return damaged(s, "a prim does not end");
  return status;
}

/* "#usda 1.0 ( metersPerUnit = 0.01 ... )" */
static skein_status take_head(sk_usd_stage *s)
{
  if (sk_text_starts(&s->from, "PXR-USDC"))
    return sk_fail(SKEIN_BAD_INPUT, "is a binary stage, expected text: usdcat makes it of it");
  if (!sk_text_starts(&s->from, "#usda"))
    return sk_fail(SKEIN_BAD_INPUT, "does not start with #usda, expected a USD stage in text");
  skip_space(&s->from);
  sk_text t = s->from;
  if (t.at >= t.end || *t.at != '(') return sk_ok();
  if (!skip_value(&s->from)) return damaged(s, "metadata do not end");
  t.at++, t.end = s->from.at - 1;
  for (skip_space(&t); t.at < t.end; skip_space(&t)) {
    sk_text word = take_word(&t);
    skip_space(&t);
    if (t.at < t.end && *t.at == '=') t.at++, skip_space(&t);
    sk_text value = {t.at, t.at};
    if (t.at < t.end && !skip_value(&t)) return damaged(s, "metadata do not end");
    value.end = t.at;
    double x = number_at(value);
    if (sk_text_is(word, "metersPerUnit") && x > 1e-9 && x < 1e9) s->metres = x;
    if (sk_text_is(word, "timeCodesPerSecond") && x > 1e-6 && x < 1e9) s->codes = x;
    if (sk_text_is(word, "upAxis")) s->z_up = sk_text_is(value, "\"Z\"");
  }
  return sk_ok();
}

skein_status sk_usd_open(const char *bytes, size_t size, sk_usd_stage *s)
{
  *s = (sk_usd_stage){.from = {bytes, bytes + size}, .size = size, .metres = 0.01, .codes = 24};
  skein_status status = take_head(s);
  return status.code == SKEIN_OK ? take_body(s, -1, 0) : status;
}

void sk_usd_close(sk_usd_stage *s)
{
  free(s->prims.data), free(s->founds.data), free(s->samples.data);
}
