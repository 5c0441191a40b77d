interface Flushed {
  flush(): void
}

const SLICE_MS = 5

/** Writes clients' events when a run of the event loop ends, for SLICE_MS at a time. */
export function makeEventFlusher() {
  const due = new Set<Flushed>()
  let isScheduled = false

  function schedule(): void {
    if (!isScheduled) setImmediate(run)
    isScheduled = true
  }

  function run(): void {
    isScheduled = false
    const endMs = performance.now() + SLICE_MS
    for (const client of due) {
      due.delete(client)
      client.flush()
      if (performance.now() > endMs) break
    }
    if (due.size > 0) schedule()
  }

  return {
    add(client: Flushed): void {
      due.add(client)
      schedule()
    },
    forget: (client: Flushed): void => void due.delete(client),
  }
}
