import type { AuthRecord } from '../../request/request.ts'
import type { Topic } from '../clients/topic.ts'

/** A request for subscriptions of a client. */
export interface SubscriptionRequest {
  readonly clientId: string
  /** Address and auth record of the request. */
  readonly ip: string
  readonly auth: AuthRecord | null
  readonly topics: readonly Topic[]
}
