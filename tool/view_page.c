/* The page that the build made of viewer/, as bytes inside the tool. VIEW_PAGE is its path. */
#include "view.h"

#include <string.h>

__asm__(".section .rodata\n"
        "view_page_begin:\n"
        ".incbin \"" VIEW_PAGE "\"\n"
        "view_page_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char view_page_begin[] __attribute__((visibility("hidden")));
extern const char view_page_end[] __attribute__((visibility("hidden")));

void view_page(const char **head, size_t *head_size, const char **tail, size_t *tail_size)
{
  static const char mark[] = "<!--DATA-->"; /* the build checked that it is there, once */
  const char *at = strstr(view_page_begin, mark);
  *head = view_page_begin;
  *head_size = (size_t)(at - view_page_begin);
  *tail = at + strlen(mark);
  *tail_size = (size_t)(view_page_end - *tail);
}

bool view_page_live(view_bytes *out)
{
  const char *head, *tail;
  size_t head_size, tail_size;
  view_page(&head, &head_size, &tail, &tail_size);
  return view_bytes_add(out, head, head_size) &&
         view_bytes_text(out, "<script type=\"application/json\" id=\"skein-live\">{\"api\": \"api\"}</script>") &&
         view_bytes_add(out, tail, tail_size);
}
