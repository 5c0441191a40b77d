import type { Store } from '../../collections/catalog.ts'
import { checkDevice } from '../send/prepare-offer.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import type { NewCampaign } from './body.ts'

const NAMED = `select line from sms_named_lines($1, nullif($2, ''), nullif($3, ''), nullif($4, ''), $5) limit 2`

/** The id of the line that a campaign names, '' for any. Throws 404, 409 as a send does. */
export async function namedLine(
  store: Store,
  user: string,
  { options: { device, sim }, line: { id, number } }: NewCampaign,
): Promise<string> {
  if (device !== '') await checkDevice(store, user, device)
  if (id === '' && number === '') return ''
  const { rows } = await store.db.query(NAMED, [user, id, number, device, sim], 'sms named line')
  if (!rows[0]) throw gatewayRefusal('line_not_found')
  if (rows.length > 1) throw gatewayRefusal('line_ambiguous')
  return String(rows[0][0])
}
