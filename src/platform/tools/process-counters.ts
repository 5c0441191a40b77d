/** Counts since the start of this process. Any module adds to them; `http/metrics` shows them. */
export const counts = {
  filter: { hit: 0, miss: 0 },
  /** `reads`: lists, views and exports. `repeated`: reads that moved to the primary after an error. */
  replica: { reads: { replica: 0, primary: 0 }, repeated: 0 },
  overLimits: {} as Record<string, number>,
  accepted: { messages: 0, commits: 0 },
  refused: {} as Record<string, number>,
  claims: { asked: 0, messages: 0 },
  reports: { applied: 0, unchanged: 0, not_found: 0 },
  jobFailures: {} as Record<string, number>,
  carrierUnknownEvents: {} as Record<string, number>,
  wakes: { stream: 0, long_poll: 0, push: 0 },
  logs: { written: 0, dropped: 0 },
  events: { sent: 0 },
}

/** Adds to the count of a name. Names must be few: each stays in the metrics. */
export function incrementCount(names: Record<string, number>, name: string, by = 1): void {
  names[name] = (names[name] ?? 0) + by
}
