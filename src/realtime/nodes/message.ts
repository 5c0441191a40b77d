/** What is for one client alone, and not of a change. */
export interface Message {
  readonly clientId: string
  /** Where whoever brings it comes from: the client must, too. */
  readonly ip: string
  /** The client must be subscribed to it. */
  readonly topic: string
  /** JSON text. */
  readonly data: string
}
