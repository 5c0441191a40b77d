import type { Store } from '../../collections/catalog.ts'
import type { Offer } from './offer-shape.ts'
import { gatewayRefusal } from './refusal.ts'

/** Blanked or changed texts count as equal: a repeated send is the one before. */
const OTHER = `select 1 from sms_messages m where m.id = $1 and not (
  (m."to" = $2 or m."to" = '') and (m.body = $3 or m.body = '' or exists (
    select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`

/** Throws 422 `client_ref_reused` if the message of this `client_ref` has another number or text. */
export async function checkClientRef({ db }: Store, message: string, offer: Offer): Promise<void> {
  const { to, body } = offer.messages[0]!
  const { rows } = await db.query(OTHER, [message, to, body ?? offer.body], 'sms reference')
  if (rows[0]) throw gatewayRefusal('client_ref_reused')
}
