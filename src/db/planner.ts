/**
 * What each session is told about planning. For many short statements at once, on data that is mostly in memory: no
 * helpers of parallel plans, whose start takes longer than most of our statements, and an index where Postgres,
 * thinking of turning disks, would read whole tables (messages of one status among 102,000: 47 ms of processor, so 5);
 * and no compiling, which cost 700 ms of a count.
 */
export const PLANNER = {
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1,
  jit: 'off',
} as const
