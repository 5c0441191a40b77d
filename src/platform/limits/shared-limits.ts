import { BYTES, LIMITS, PASSWORDS, RATES, SIGN_INS } from './admission-limits.ts'
import { Budget } from './byte-budget.ts'
import { EventLoopSlices } from './event-loop-slices.ts'
import { PictureTime } from './picture-time.ts'
import { Rates } from './rates.ts'
import { Places } from './waiting-places.ts'

/**
 * Limits that all clients of this process share. For the limit of database time see
 * `platform/db/open`.
 */
export const admission = {
  requests: new Places(LIMITS.requests),
  /** For requests whose body is large (over 64 KiB) or still arriving. */
  bodies: new Places(LIMITS.requests),
  /** Sign-ins from networks that have signed in to the account before. All other sign-ins use `signIns`. */
  knownSignIns: new Places(SIGN_INS),
  signIns: new Places(SIGN_INS),
  passwords: new Places(PASSWORDS),
  claimsAndReads: new Places(LIMITS.claimsAndReads),
  fetchedFiles: new Places(LIMITS.fetchedFiles),
  wakeUps: new Places(LIMITS.wakeUps),
  heavyWork: new Places(LIMITS.heavyWork),
  pictures: new PictureTime(),
  memory: new Budget(BYTES.memory),
  temporaryFiles: new Budget(BYTES.temporaryFiles),
  realtimeMemory: new Budget(BYTES.realtimeMemory),
  bodyBytes: new Rates(RATES.bodyBytes),
  subscriptions: new Rates(RATES.subscriptions),
  optedOut: new Rates(RATES.optedOut),
  filterShapes: new Rates(RATES.filterShapes),
  /**
   * For parsing large bodies, `fields` of lists, deliveries of events, and many recipients: reading a number
   * takes up to 50 µs, counting a long text 300 µs.
   */
  slices: new EventLoopSlices(),
} as const
