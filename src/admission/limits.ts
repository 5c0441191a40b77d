/** What all holders together may use, and what one of them may. */
export interface Limit {
  /** How docs and refusals name it. */
  readonly name: string
  readonly total: number
  readonly share: number
}

/** A rate of one holder: units at once, and units gained per second. */
export interface Rate {
  readonly name: string
  readonly burst: number
  readonly perSecond: number
}

const MEBIBYTE = 1 << 20

/** How long work waits for its turn before it is refused. */
export const MAX_WAIT_MS = 10_000

/**
 * Every bound on the work of clients. A holder is an account, or the network of a guest. docs/security.md
 * shows this table; `test/admission/limits.test.ts` compares them.
 */
export const LIMITS = {
  /** Renders, decodes and plans on the event loop or its threads: each takes up to some seconds of a core. */
  heavyWork: { name: 'heavy work at once', total: 2, share: 1 },
  /** Device claims: each locks rows of the queue. */
  claims: { name: 'claims at once', total: 4, share: 4 },
  /** Reads of 64 KiB pieces: each takes the event loop for up to a millisecond. */
  fileReads: { name: 'reads of files at once', total: 4, share: 2 },
  /** Calls to push services that wake devices. */
  wakeUps: { name: 'wake-ups by push at once', total: 32, share: 4 },
  /** Exports and calls of assistants, too; event streams and claims that wait have MAX_STREAMS. */
  requests: { name: 'requests at once', total: 2_000, share: 200 },
  /**
   * Bodies and answers beyond 64 KiB each, from the first byte to the last. A holder may have as much as is
   * left free, so there is always room for another one.
   */
  memory: { name: 'memory', total: 192 * MEBIBYTE, share: 96 * MEBIBYTE },
  /** Uploads on their way to the database. The same rule. */
  temporaryFiles: { name: 'temporary files', total: 256 * MEBIBYTE, share: 128 * MEBIBYTE },
  /** Subscriptions, events that wait to be filtered and events that are not read. The same rule. */
  realtimeMemory: { name: 'memory of subscriptions', total: 64 * MEBIBYTE, share: 32 * MEBIBYTE },
} as const satisfies Record<string, Limit>

export const RATES = {
  /** Milliseconds of statements that a client shaped. A holder that used them up comes after all others. */
  databaseTime: { name: 'database time', burst: 1_000, perSecond: 100 },
  /** Bytes of bodies beyond 64 KiB each: parsing a mebibyte takes 10 ms. */
  bodyBytes: { name: 'bytes of bodies', burst: 4 * MEBIBYTE, perSecond: 2 * MEBIBYTE },
  /** Opted-out recipients of sends: they cost no quota, but store a message each. */
  optedOut: { name: 'opted-out recipients', burst: 2_000, perSecond: 2_000 / 60 },
  /** Characters of filters and sorts that are compiled for the first time: 200,000 take a second. */
  filterShapes: { name: 'new filters', burst: 200_000, perSecond: 10_000 },
  /** Subscribe requests: 20 each, and 1 for each topic. */
  subscriptions: { name: 'subscriptions', burst: 100_000, perSecond: 2_000 },
} as const satisfies Record<string, Rate>
