import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import { findDelivery } from './due.ts'
import { isOwn, type Owner } from './hook.ts'
import type { OtherForms } from './other-forms.ts'
import { webhookRefusal } from './refusals.ts'

/** What a delivery sends. */
export const DELIVERY_REQUEST = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .describe('Of the last attempt, with its signature; empty before the first. No secret is among them.'),
    body: z
      .string()
      .describe('The same at every attempt. It has no text any more once that of the message is deleted.'),
  })
  .meta({ id: 'DeliveryRequest' })
/** The same as a type. */
export type DeliveryRequest = Readonly<z.output<typeof DELIVERY_REQUEST>>

const HEADERS = `
select p.headers::text from webhook_deliveries d join webhook_payloads p on p.delivery = d.id
where d.id = $1 and ${isOwn('d', 2)}`

/** What a delivery of the owner sends, rendered from the stored event as for an attempt. Throws 404. */
export async function readDeliveryRequest(
  store: Store,
  owner: Owner,
  delivery: string,
  { bodyForm, bodyOf }: OtherForms,
): Promise<DeliveryRequest> {
  const { rows } = await store.db.query(HEADERS, [delivery, owner], 'webhook headers')
  const found = rows[0] && (await findDelivery(store, delivery, bodyForm))
  if (!found) throw webhookRefusal('delivery_not_found')
  return {
    headers: textsOf(JSON.parse(String(rows[0]![0] ?? '{}'))),
    body: found.format === '' ? found.body : bodyOf(found),
  }
}

const textsOf = (headers: Readonly<Record<string, string | number>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
