import type { Store } from '../../collections/catalog.ts'
import type { Offer } from './offer-shape.ts'

/** The parameters of sql/functions/sms/sms_accept_plain.sql, in its order. */
const ACCEPT_PLAIN = `select sms_accept_plain(${Array.from({ length: 16 }, (_, i) => `$${i + 1}`).join(', ')})`

/** Whether it is a text to one number, at once, by any device, that nothing names: what most requests are. */
export const isPlain = (offer: Offer): boolean =>
  offer.messages.length === 1 &&
  offer.messages[0]!.zone === undefined &&
  offer.idempotency === null &&
  offer.clientRef === '' &&
  offer.device === null &&
  offer.line === null &&
  offer.from === null &&
  offer.sim === 0 &&
  offer.batch === null &&
  offer.origin === null &&
  !offer.isBulk &&
  !offer.later

/** Stores a plain offer; undefined if `sms_accept` must decide. `terms`: the first parameters of both. */
export async function storePlain(
  { db }: Store,
  terms: readonly unknown[],
  offer: Offer,
): Promise<string | undefined> {
  const { user, version, key, keyVersion, messages, priority, expiresAt, guarantee } = offer
  const { id, to, body, segments } = messages[0]!
  const text = body ?? offer.body
  const { rows } = await db.query(
    ACCEPT_PLAIN,
    [
      ...[user, ...terms, version, key, keyVersion],
      ...[id, to, text, segments, priority, expiresAt, guarantee],
    ],
    'sms accept plain',
  )
  return (rows[0]![0] as string | null) ?? undefined
}
