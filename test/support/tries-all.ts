/** Whether a test tries all of many alike cases, as by night. A landing tries some of each kind. */
export const TRIES_ALL = Boolean(process.env.ALL_CASES)

/**
 * Whether a test tries a case of a table of alike cases: on a landing every other one of each row and of each
 * column, the same on each landing.
 */
export const isTried = (row: number, column: number): boolean =>
  TRIES_ALL || (row + column) % 2 === 0
