import type { CarrierService } from '../gateway/lines/carrier-schemas.ts'
import type { Sending } from '../gateway/messages/send/make-user-sending.ts'
import type { HasPersonalData } from '../gateway/people/personal-tables.ts'
import type { OtherForms } from '../gateway/webhooks/call-webhook.ts'
import type { Route } from '../http/make-routes.ts'
import type { Api, Services } from '../http/request-context.ts'

/** The services of other products' APIs and of all routes of the gateway. */
export interface GatewayServices extends Services, HasPersonalData {
  readonly sending: Sending
  readonly carriers: CarrierService
  readonly otherForms: OtherForms
}

/** The API of another product. */
export interface Protocol extends Api {
  readonly rows: readonly Route<GatewayServices>[]
}
