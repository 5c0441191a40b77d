/** A message that is to go out. `sim` 0: any. */
export interface OutgoingText {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  readonly sim: number
}

/**
 * What became of handing a message to the radio. `notSent`: it certainly did not go out, another try is safe.
 */
export type SendResult =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'failed'; readonly error: string; readonly notSent: boolean }

/** A text that came in. `sim` 0: unknown. */
export interface IncomingText {
  readonly from: string
  readonly body: string
  readonly sim: number
}

/** What a driver has to tell besides the results of `send`. Instants are those of the driver's clock. */
export interface DriverEvents {
  /** The network says that a message arrived, or, with `error`, that it never will. */
  delivered(text: Pick<OutgoingText, 'id' | 'attempt'>, at: Date, error?: string): void
  received(text: IncomingText, at: Date): void
}

/** A SIM card; `slot` from 1. */
export interface Sim {
  readonly slot: number
  /** In E.164. */
  readonly number?: string
  readonly carrier?: string
  /** ISO 3166, two letters. */
  readonly country?: string
}

/** A phone or modem, as the agent sees it. One file a driver. */
export interface Driver {
  /** How many messages it can take at once. */
  readonly parallel: number
  /** Its SIM cards, if it can tell them apart; known once it has started. */
  readonly sims?: readonly Sim[]
  start(events: DriverEvents): Promise<void>
  /** Hands one message to the radio. Called once for each attempt, whatever happens. Never throws. */
  send(text: OutgoingText): Promise<SendResult>
  /** Its clock, by which results are reported. */
  now(): Date
  stop(): Promise<void>
}
