/** Counts since the start of this process, added by all rooms and read by `metrics`. */
export const counts = {
  filter: { hit: 0, miss: 0 },
  /** Lists, views and exports by the database that they read; statements repeated on the primary. */
  replica: { reads: { replica: 0, primary: 0 }, repeated: 0 },
  overLimits: {} as Record<string, number>,
  accepted: { messages: 0, commits: 0 },
  refused: {} as Record<string, number>,
  claims: { asked: 0, messages: 0 },
  reports: { applied: 0, unchanged: 0, not_found: 0 },
  jobFailures: {} as Record<string, number>,
  wakes: { stream: 0, long_poll: 0, push: 0 },
  logs: { written: 0, dropped: 0 },
  events: { sent: 0 },
}

/** Adds one under a name. The names must be few: each stays in the metrics for ever. */
export function increment(names: Record<string, number>, name: string): void {
  names[name] = (names[name] ?? 0) + 1
}
