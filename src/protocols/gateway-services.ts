import type { Hono } from 'hono'
import type { Env, OtherApi, Services } from '../http/context.ts'
import type { CarrierService } from '../sms/devices/carrier-body.ts'
import type { Sending } from '../sms/send/sending.ts'
import type { OtherForms } from '../webhooks/call-webhook.ts'

/** What the APIs of other products use, and all routes of the gateway together. */
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
