import { Budget } from './budget.ts'
import { EventLoopSlices } from './event-loop-slices.ts'
import { BYTES, LIMITS, PASSWORDS, RATES, SIGN_INS } from './limits.ts'
import { Places } from './places.ts'
import { Rates } from './rates.ts'

/** Limits that all clients of this process share. Each database has its own database time: see `db/open`. */
export const admission = {
  requests: new Places(LIMITS.requests),
  /** For requests whose body is large or still arriving. */
  bodies: new Places(LIMITS.requests),
  /** Sign-ins from networks from which the account was opened before; `signIns`: all others. */
  knownSignIns: new Places(SIGN_INS),
  signIns: new Places(SIGN_INS),
  passwords: new Places(PASSWORDS),
  claimsAndReads: new Places(LIMITS.claimsAndReads),
  wakeUps: new Places(LIMITS.wakeUps),
  heavyWork: new Places(LIMITS.heavyWork),
  memory: new Budget(BYTES.memory),
  temporaryFiles: new Budget(BYTES.temporaryFiles),
  realtimeMemory: new Budget(BYTES.realtimeMemory),
  bodyBytes: new Rates(RATES.bodyBytes),
  subscriptions: new Rates(RATES.subscriptions),
  optedOut: new Rates(RATES.optedOut),
  filterShapes: new Rates(RATES.filterShapes),
  /** For parsing of large bodies: after each, the event loop is free as long as it took, at most 100 ms. */
  bodySlices: new EventLoopSlices(100),
  deliverySlices: new EventLoopSlices(),
} as const
