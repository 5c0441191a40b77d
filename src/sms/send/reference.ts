import type { Store } from '../../collections/catalog.ts'
import type { Offer } from './offer-shape.ts'
import { gatewayRefusal } from './refusal.ts'

/**
 * What retention has blanked is equal to anything, and so is the text of a message that was changed after the
 * send: the send that is asked again is the one before the change.
 */
const OTHER = `select 1 from sms_messages m where m.id = $1 and not (
  (m."to" = $2 or m."to" = '') and (m.body = $3 or m.body = '' or exists (
    select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`

/**
 * Checks an offer whose `client_ref` has its message already. Throws 422 `client_ref_reused` when that one
 * went to another number or has another text: what is offered now was never sent.
 */
export async function checkClientRef({ db }: Store, message: string, offer: Offer): Promise<void> {
  const { to, body } = offer.messages[0]!
  const { rows } = await db.query(OTHER, [message, to, body ?? offer.body], 'sms reference')
  if (rows[0]) throw gatewayRefusal('client_ref_reused')
}
