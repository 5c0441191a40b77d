/** A message to send. `sim` 0: any SIM. */
export interface OutgoingText {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  readonly sim: number
}

/**
 * Result of handing a message to the radio. `notSent`: it certainly was not sent, so a retry is safe.
 * `unknown` is not reported: the server follows its `guarantee`. `again`: it was not sent, and `send` is
 * called again as soon as `ready` says so.
 */
export type SendResult =
  | { readonly outcome: 'sent' | 'unknown' | 'again' }
  | { readonly outcome: 'failed'; readonly error: string; readonly notSent: boolean }

/** An incoming text. `sim` 0: unknown. */
export interface IncomingText {
  readonly from: string
  readonly body: string
  readonly sim: number
}

/** Events of a driver besides results of `send`. Dates are by its clock. Promises: it is on the disk. */
export interface DriverEvents {
  /** The network reports delivery or, with `error`, final failure. */
  delivered(text: Pick<OutgoingText, 'id' | 'attempt'>, at: Date, error?: string): Promise<void>
  received(text: IncomingText, at: Date): Promise<void>
  roomGrew(): void
}

/** A SIM card; `slot` from 1. */
export interface Sim {
  readonly slot: number
  /** The number in E.164. */
  readonly number?: string
  /** A name or short code in place of a number. */
  readonly sender?: string
  readonly carrier?: string
  /** ISO 3166 code, two letters. */
  readonly country?: string
}

/** A phone or modem. One file per driver. */
export interface Driver {
  /** Messages that it accepts at once; 0 while it has no connection. */
  readonly parallel: number
  /** Its SIM cards, if it can tell them apart; known after `start`. */
  readonly sims?: readonly Sim[]
  start(events: DriverEvents): Promise<void>
  /** Waits until `send` can begin: false when `untilMs` (monotonic clock) or `ended` came first. */
  ready?(untilMs: number, ended: AbortSignal): Promise<boolean>
  /** Hands a message to the radio before `untilMs`, once per attempt except after `again`. Never throws. */
  send(text: OutgoingText, untilMs: number): Promise<SendResult>
  /** Its own clock, if it has one. Results are reported by it. */
  now?(): Date
  stop(): Promise<void>
}
