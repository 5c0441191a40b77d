import type { Store } from '../../collections/catalog.ts'
import { changeLogCte } from '../../records/changes.ts'
import { failDeliveries, failPending } from '../../webhooks/record-outcome.ts'

/** The error of a delivery whose signing key was deleted. */
export const KEY_DELETED = 'The API key of this callback was deleted'

const CLEAR = `
with written as (
  update webhooks set enabled = false, api_key = '', updated = pb_text(now())
  where api_key = any($1::text[]) and api_key <> '' returning *
), ${changeLogCte('written', 'update', 2, 'noted', true)}
select id, "user" from written`

const CALLBACKS = `
select d.delivery from webhook_dispatch d where d.target ->> 'api_key' = any($1::text[])`

/** Fails callbacks that deleted API keys would sign, and disables their `SmsUrl`s. */
export async function forgetKeys({ db }: Store, keys: readonly string[]): Promise<void> {
  const { rows: hooks } = await db.query(CLEAR, [keys, 'webhooks'])
  for (const [hook, user] of hooks) await failPending(db, String(hook), String(user), KEY_DELETED)
  const { rows } = await db.query(CALLBACKS, [keys])
  await failDeliveries(
    db,
    rows.map(([delivery]) => String(delivery)),
    KEY_DELETED,
  )
}
