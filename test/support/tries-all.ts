/** Whether a test tries all of many alike cases, as by night. A landing tries some of each kind. */
export const TRIES_ALL = Boolean(process.env.ALL_CASES)
