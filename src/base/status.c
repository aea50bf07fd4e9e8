/* Status messages. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

skein_status sk_fail(skein_code code, const char *format, ...)
{
  skein_status s = {.code = code};
  va_list args;
  va_start(args, format);
  vsnprintf(s.message, sizeof s.message, format, args);
  va_end(args);
  return s;
}

skein_status sk_no_memory(void)
{
  return sk_fail(SKEIN_NO_MEMORY, "out of memory");
}

skein_status sk_status_prefix(skein_status s, const char *prefix)
{
  if (s.code == SKEIN_OK) return s;
  char text[sizeof s.message];
  memcpy(text, s.message, sizeof text);
  snprintf(s.message, sizeof s.message, "%.200s: %.300s", prefix, text);
  return s;
}

const char *skein_version(void)
{
  return SKEIN_VERSION;
}
