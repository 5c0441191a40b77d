/**
 * Planner settings for short statements on data in memory: no parallel workers, which start slowly; index
 * reads cost as much as table reads (5 ms of CPU instead of 47); no JIT compilation (700 ms of a count).
 */
export const SERVER_PLANNER = {
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1,
  jit: 'off',
  // with 4 MB, a search in 10 million messages reads rows again: 18 s instead of 0.6
  work_mem: '32MB',
} as const

/**
 * Generic plans from the start: with old statistics the first five executions would read all messages of a
 * user (250 ms). No sorting, as an index has the order: a plan could sort 30,000 messages for a page (9 ms).
 */
export const LOOK_UP_PLANNER = {
  ...SERVER_PLANNER,
  plan_cache_mode: 'force_generic_plan',
  enable_sort: 'off',
} as const
