/** A message to send. `sim` 0: any SIM. */
export interface OutgoingText {
  readonly id: string
  readonly attempt: number
  readonly to: string
  readonly body: string
  readonly sim: number
  /** The files of an MMS; absent for a text. Only a driver with `sendsMms` gets some. */
  readonly attachments?: readonly OutgoingFile[] | undefined
  readonly subject?: string | undefined
}

/** A file of an MMS. Its `url` needs no token. */
export interface OutgoingFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly url: string
}

/**
 * Result of handing a message to the radio. `notSent` true: it certainly was not sent, so a retry is safe.
 * `unknown`: it may have been sent. The agent reports nothing, and the server retries if the message's
 * `guarantee` allows that. `again`: it was not sent, and the agent calls `send` again after `ready`.
 */
export type SendResult =
  | { readonly outcome: 'sent' | 'unknown' | 'again' }
  | { readonly outcome: 'failed'; readonly error: string; readonly notSent: boolean }

/** Whether a text may still leave, for a driver that makes several requests for it or waits between them. */
export interface Recall {
  /** Aborts when the server wants the text back. */
  readonly signal: AbortSignal
  /**
   * Waits `ms` before a further request, then returns whether the text may still leave. False at once if the
   * server wants the text back or the agent stops. Never rejects.
   */
  mayLeaveAfter(ms: number): Promise<boolean>
}

/** An incoming text. `sim` 0: unknown. */
export interface IncomingText {
  readonly from: string
  readonly body: string
  /** The subject of an MMS. It is also the first line of `body`. */
  readonly subject?: string | undefined
  readonly sim: number
}

/** A text that the owner of a phone wrote and sent on the phone itself. `sim` 0: unknown. */
export interface TypedText {
  readonly to: string
  readonly body: string
  readonly sim: number
}

/** Callbacks for a driver's events. Dates are by its clock. Promises resolve when the event is on disk. */
export interface DriverEvents {
  /** Tells that the network delivered a text or, with `error`, that the delivery finally failed. */
  delivered(
    text: Pick<OutgoingText, 'id' | 'attempt'> & { readonly channel?: 'rcs' },
    at: Date,
    error?: string,
  ): Promise<void>
  received(text: IncomingText, at: Date): Promise<void>
  typed?(text: TypedText, at: Date): Promise<void>
  roomGrew(): void
  /** Tells why no text can be sent, such as no credit; '' once a text was sent again. */
  fault?(text: string): void
  /** Reports the names of the fields of an event that a carrier's preset lacks. */
  unknown?(names: readonly string[]): void
}

/** A SIM card. `slot` counts from 1. */
export interface Sim {
  readonly slot: number
  /** Its phone number in E.164, such as `+447700900123`. */
  readonly number?: string
  /** The sender of its texts, if that is a name or a short code instead of a phone number. */
  readonly sender?: string
  readonly carrier?: string
  /** ISO 3166 code, two letters. */
  readonly country?: string
}

export interface Driver {
  /** How many messages it can send at the same time; 0 while it has no connection. */
  readonly parallel: number
  /** Its SIM cards, if it can distinguish them. Set by `start`. */
  readonly sims?: readonly Sim[]
  readonly sendsMms?: boolean
  /** The API level of the phone's Android. Known after `start`. */
  readonly android?: number | undefined
  /** Whether an attempt without a result may be sent again after a restart: it is still sent only once. */
  readonly isRepeatable?: boolean
  start(events: DriverEvents): Promise<void>
  /**
   * Waits until `send` may be called. False if `untilMs` (monotonic clock) passes or `ended` aborts first.
   */
  ready?(untilMs: number, ended: AbortSignal): Promise<boolean>
  /** Why texts do not get ready, such as a refused account; '' without a reason. */
  readonly waitsFor?: string
  /** Ends the turn that `ready` has given, without a text. */
  skip?(): void
  /** Hands a message to the radio before `untilMs`. Never throws. Repeated only after the result `again`. */
  send(text: OutgoingText, untilMs: number, recall?: Recall): Promise<SendResult>
  /** The time by the driver's own clock, if it has one. Reports of results contain this time. */
  now?(): Date
  stop(): Promise<void>
}
