/* Energies of a state. */
#include "world/world.h"

/* Of rods, block by block in their order: the same bits on any number of threads. */
static void rod_energies(const sk_model *m, const sk_live *live, const sk_state *s, int threads, skein_step_info *info)
{
  int blocks = (m->rod_count + SK_ROD_BLOCK - 1) / SK_ROD_BLOCK;
  for (int first = 0; first < blocks; first += SK_ROD_BLOCK) {
    int count = SK_MIN(blocks - first, (int)SK_ROD_BLOCK);
    skein_rod_energy sum[SK_ROD_BLOCK] = {{0}};
#pragma omp parallel for num_threads(SK_MAX(1, SK_MIN(threads, count / 2))) schedule(dynamic, 1)
    for (int b = 0; b < count; b++) {
      int begin = (first + b) * SK_ROD_BLOCK;
      for (int i = begin; i < SK_MIN(begin + (int)SK_ROD_BLOCK, m->rod_count); i++) {
        const sk_model_rod *rod = m->rods + i;
        sk_rod_drive drive = {0};
        sk_rod_stay(s->x + rod->x, &drive);
        sk_rod_input in = sk_rod_input_make(&drive, &live->env, true, false);
        skein_rod_energy e = rod->rod->ops->energy(rod->rod, s->x + rod->x, s->v + rod->v, &in);
        sum[b].kinetic += e.kinetic, sum[b].elastic += e.elastic, sum[b].gravity += e.gravity;
      }
    }
    for (int b = 0; b < count; b++)
      info->kinetic += sum[b].kinetic, info->elastic += sum[b].elastic, info->gravity += sum[b].gravity;
  }
}

void sk_energies(const sk_model *m, const sk_live *live, const sk_state *s, int threads, skein_step_info *info)
{
  info->kinetic = info->elastic = info->gravity = 0;
  rod_energies(m, live, s, threads, info);
  for (int i = 0; i < m->scene->body_count; i++) {
    const sk_body_state *b = s->body + i;
    const sk_scene_body *body = m->scene->bodies + i;
    if (body->mode != SK_DYNAMIC) continue;
    sk_mat3 I = sk_body_inertia(m, i, &b->pose);
    info->kinetic += 0.5 * body->mass * sk_dot(b->v, b->v) + 0.5 * sk_dot(b->w, sk_apply(I, b->w));
    info->gravity -= body->mass * sk_dot(sk_load3(live->env.gravity), b->pose.r);
  }
}
