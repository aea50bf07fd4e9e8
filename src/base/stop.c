#include "base/base.h"

bool sk_stop_asked(sk_stop *s)
{
  if (!s || !s->by.ask) return false;
  if (__atomic_load_n(&s->said, __ATOMIC_RELAXED)) return true;
  if (!s->by.ask(s->by.user)) return false;
  __atomic_store_n(&s->said, true, __ATOMIC_RELAXED);
  return true;
}

skein_status sk_stopped(void)
{
  return sk_fail(SKEIN_STOPPED, "stopped");
}

skein_status sk_unless_stopped(skein_status s, sk_stop *stop)
{
  return s.code == SKEIN_OK && sk_stop_asked(stop) ? sk_stopped() : s;
}
