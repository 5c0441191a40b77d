import type { Hono } from 'hono'
import type { Env, OtherApi, Services } from '../http/context.ts'
import type { OtherForms } from '../webhooks/call-webhook.ts'
import type { Sending } from './campaigns/campaign.ts'
import type { CarrierService } from './devices/carrier-body.ts'

/** What the gateway's routes and the APIs of other products use. */
export interface GatewayServices extends Services {
  readonly sending: Sending
  readonly carriers: CarrierService
  readonly otherForms: OtherForms
  readonly protocols: readonly Protocol[]
}

/** The API of another product. */
export interface Protocol extends OtherApi {
  readonly routes: (services: GatewayServices) => Hono<Env>
}
