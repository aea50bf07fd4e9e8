/* Disjoint sets. The smallest member is the root, so that numbering does not depend on the order of joins. */
#include "sparse/sparse.h"

void sk_union_init(int *parent, int n)
{
  for (int i = 0; i < n; i++) parent[i] = i;
}

int sk_union_find(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void sk_union_join(int *parent, int i, int j)
{
  i = sk_union_find(parent, i), j = sk_union_find(parent, j);
  if (i < j) parent[j] = i;
  else parent[i] = j;
}
