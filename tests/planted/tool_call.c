/* As a file of the tool: what rooms say to each other does not leave the library.
 * like: skein_tool
 * expect: undefined reference to .sk_seconds */
double sk_seconds(void);

int main(void)
{
  return sk_seconds() > 0;
}
