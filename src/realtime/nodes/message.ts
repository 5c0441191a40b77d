/** A message for one client. */
export interface Message {
  readonly clientId: string
  /** Address of the request that brings it. The client must have the same. */
  readonly ip: string
  /** The client must be subscribed to it. */
  readonly topic: string
  /** JSON text. */
  readonly data: string
}
