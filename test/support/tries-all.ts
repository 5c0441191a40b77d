/** Whether a test tries all of many alike cases, as by night (ALL_CASES=1). A landing tries some of a kind. */
export const TRIES_ALL = Boolean(process.env.ALL_CASES)
