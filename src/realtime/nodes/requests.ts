import type { AuthRecord } from '../../request/request.ts'
import type { Topic } from '../clients/topic.ts'

/** A request for subscriptions of a client. The client must have the same address. */
export interface SubscriptionRequest {
  readonly clientId: string
  readonly ip: string
  readonly auth: AuthRecord | null
  readonly topics: readonly Topic[]
}

/** A message, as JSON text, for one client that is subscribed to the topic and has the same address. */
export interface Message {
  readonly clientId: string
  readonly ip: string
  readonly topic: string
  readonly data: string
}
