/**
 * Planner settings for short statements on data in memory. No parallel workers: they start slowly. Random
 * reads cost no more than sequential ones. No JIT: compilation alone took 700 ms of a count.
 */
export const SERVER_PLANNER = {
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1,
  jit: 'off',
  // with Postgres' 4 MB, a search in 10 million messages reads rows again and takes 18 s instead of 0.6
  work_mem: '32MB',
} as const

/**
 * Generic plans from the start: with old statistics, the first five executions would read all messages of a
 * user (250 ms). No sorts: Postgres could sort 30,000 messages (9 ms) instead of using an ordered index.
 */
export const LOOK_UP_PLANNER = {
  ...SERVER_PLANNER,
  plan_cache_mode: 'force_generic_plan',
  enable_sort: 'off',
} as const

export const optionsOf = (settings: Readonly<Record<string, string | number>>) =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
