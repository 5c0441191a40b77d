import { availableParallelism } from 'node:os'
import { readMachineMemory } from '../tools/machine-memory.ts'

/** A limit on concurrent work: `total` for all holders together, `share` for one holder. */
export interface Limit {
  readonly name: string
  readonly total: number
  readonly share: number
}

export interface ByteLimit {
  readonly name: string
  readonly total: number
}

/** A rate for each holder: `burst` units immediately, then `perSecond` units a second. */
export interface Rate {
  readonly name: string
  readonly burst: number
  readonly perSecond: number
}

const MEBIBYTE = 1 << 20

export const MAX_WAIT_MS = 10_000

/**
 * Limits on clients' work in one process. A holder is an account or a guest's network. See
 * docs/internals/client-limits.md
 */
export const LIMITS = {
  /** Requests of any kind, until their answer is made. */
  requests: { name: 'requests at once', total: 1_000, share: 50 },
  /** Previews, calls of hooks, planning of campaigns: each may take seconds of a core. */
  heavyWork: { name: 'heavy work at once', total: 2, share: 1 },
  /** Pictures that are decoded, each for up to a second: other cores stay free for requests. */
  pictures: { name: 'pictures at once', total: 1, share: 1 },
  /**
   * Reads of files, and claims (requests for messages) by devices with a rate limit, or with one for a SIM.
   */
  claimsAndReads: { name: 'claims and reads of files at once', total: 4, share: 4 },
  /** Files of carriers' calls and of sends, while the server fetches these. */
  fetchedFiles: { name: 'files to fetch at once', total: 1_000, share: 4 },
  wakeUps: { name: 'wake-ups by push at once', total: 32, share: 4 },
} as const satisfies Record<string, Limit>

/**
 * Budgets on a machine with this memory in bytes; they no longer grow from 1.5 GB on. With 192 MiB, ten
 * users who attacked a container of 512 MB had it killed.
 */
export const makeByteLimits = (memoryBytes: number) =>
  ({
    /** Bodies and answers of more than 64 KiB each, from the first byte to the last. */
    memory: { name: 'memory', total: Math.min(memoryBytes / 8, 192 * MEBIBYTE) },
    temporaryFiles: { name: 'temporary files', total: 256 * MEBIBYTE },
    /** Subscriptions, changes not yet checked against their filters, and events not yet read. */
    realtimeMemory: {
      name: 'memory of subscriptions',
      total: Math.min(memoryBytes / 24, 64 * MEBIBYTE),
    },
  }) as const satisfies Record<string, ByteLimit>

export const BYTES = makeByteLimits(readMachineMemory())

/** Rates of each holder. Superusers are not charged for `bodyBytes` and `filterShapes`. */
export const RATES = {
  /**
   * Milliseconds that statements with clients' filters run. A holder that has none left waits for the others.
   */
  databaseTime: { name: 'database time', burst: 300, perSecond: 40 },
  /** Milliseconds of decoding pictures. A photo of a phone takes 100 to 300. */
  pictureTime: { name: 'time for pictures', burst: 10_000, perSecond: 300 },
  /** Bytes of request bodies of more than 64 KiB. Parsing a mebibyte takes 10 ms. */
  bodyBytes: { name: 'bytes of bodies', burst: 4 * MEBIBYTE, perSecond: 2 * MEBIBYTE },
  /** Characters of filters and sorts that are compiled for the first time: 200,000 characters in a second. */
  filterShapes: { name: 'new filters', burst: 200_000, perSecond: 10_000 },
  /** A subscribe request counts 20, plus 1 for each of its topics. A presence message counts 100. */
  subscriptions: { name: 'subscriptions', burst: 100_000, perSecond: 2_000 },
  /** Recipients who opted out, in sends to 20 or more. They use no quota, but each stores a message. */
  optedOut: { name: 'opted-out recipients', burst: 2_000, perSecond: 2_000 / 60 },
} as const satisfies Record<string, Rate>

/** Low, because a running sign-in counts as failed until it ends: many of them would block a correct one. */
export const SIGN_INS: Limit = { name: 'sign-ins at once', total: 4, share: 4 }

/** Hashing a password takes a core for 57 ms. One core and one of the 4 threads of Node's pool stay free. */
const hashes = Math.min(3, Math.max(1, availableParallelism() - 1))
export const PASSWORDS: Limit = { name: 'passwords to check', total: hashes, share: hashes }

/** Limits reads of lists (up to hundreds of KiB) on the database connection that also looks up tokens. */
export const FIRST_ROWS: Limit = { name: RATES.databaseTime.name, total: 8, share: 4 }
