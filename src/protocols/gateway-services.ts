import type { Hono } from 'hono'
import type { CarrierService } from '../gateway/lines/carrier-body.ts'
import type { Sending } from '../gateway/messages/send/sending.ts'
import type { OtherForms } from '../gateway/webhooks/call-webhook.ts'
import type { Api, Env, Services } from '../http/context.ts'

/** What the APIs of other products use, and all routes of the gateway together. */
export interface GatewayServices extends Services {
  readonly sending: Sending
  readonly carriers: CarrierService
  readonly otherForms: OtherForms
}

/** The API of another product. */
export interface Protocol extends Api {
  readonly routes: (services: GatewayServices) => Hono<Env>
}
