import type { AuthRecord } from '../../request/request.ts'
import type { Topic } from '../clients/topic.ts'

/** A client's subscriptions as they were asked for. */
export interface SubscriptionRequest {
  readonly clientId: string
  /** Where the request comes from, and who asks. */
  readonly ip: string
  /** What that address is counted as. */
  readonly network: string
  readonly auth: AuthRecord | null
  readonly topics: readonly Topic[]
}
