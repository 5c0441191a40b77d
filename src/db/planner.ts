/**
 * What each session is told about planning. For many short statements at once, on data that is mostly in
 * memory: no helpers of parallel plans, whose start takes longer than most of our statements, and an index
 * where Postgres, thinking of turning disks, would read whole tables (messages of one status among 102,000:
 * 47 ms of processor, so 5); and no compiling, which cost 700 ms of a count.
 */
export const SERVER_PLANNER = {
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1,
  jit: 'off',
  // with Postgres' 4 MB the bitmap of a word among 10 million messages knows only pages: 9 million rows were
  // read again, 18 s instead of 0.6
  work_mem: '32MB',
} as const

/**
 * Look-ups are planned for all values, the first ones too: for a user whom Postgres has not counted yet it
 * would read all that is his, 250 ms for one message of 200,000, 5 times a connection. What they sort an
 * index has in order: where most users have little, a plan for all values would sort 30,000 messages of one
 * for a page of 30, 9 ms.
 */
export const LOOK_UP_PLANNER = {
  ...SERVER_PLANNER,
  plan_cache_mode: 'force_generic_plan',
  enable_sort: 'off',
} as const
