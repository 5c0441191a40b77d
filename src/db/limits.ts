/** PocketBase gives a query that long, then answers 400. */
export const STATEMENT_TIMEOUT_MS = 30_000
