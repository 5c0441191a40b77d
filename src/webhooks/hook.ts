import type { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { part, runForRow, statement, text, textOrNull, unindexed } from '../db/statement.ts'
import { GatewayError } from '../errors.ts'
import { changeLogCte } from '../records/record-sql.ts'
import type { AuthRecord } from '../request/request.ts'
import { type NEW_SECRET, newSecret } from './secrets.ts'

/** Refused requests about webhooks, by their `error`. */
export const WEBHOOK_REFUSALS = {
  unauthorized: [401, 'Authentication required'],
  forbidden: [403, 'Only users and superusers may do this'],
  webhook_not_found: [404, 'Webhook not found'],
  delivery_not_found: [404, 'Delivery not found'],
  webhook_disabled: [409, 'The webhook is disabled. Enable it first.'],
  invalid_request: [400, 'The body must be a JSON object with a date `since`'],
  request_too_large: [413, 'The body must have at most 10000 bytes'],
} as const satisfies Record<string, readonly [status: number, message: string]>

/** The answer `{"error","message"}` of a refused request about webhooks. */
export function webhookRefusal(error: keyof typeof WEBHOOK_REFUSALS): GatewayError {
  const [status, message] = WEBHOOK_REFUSALS[error]
  return new GatewayError(status, { error, message })
}

/** The user whose webhooks may be used; null: all. Every statement is bound to it. */
export type Owner = string | null

/** The user whose webhooks the caller may use; null for a superuser: all. Throws 401, 403. */
export function ownerOf(auth: AuthRecord | null): Owner {
  if (!auth) throw webhookRefusal('unauthorized')
  if (auth.isSuperuser) return null
  if (auth.collection.name !== 'users') throw webhookRefusal('forbidden')
  return auth.id
}

const OWNER = textOrNull('owner')
/** SQL: a row with a column "user" that was found by its id, or its webhook's, is the `owner`'s. */
export const isOwn = (alias: string) =>
  part`(${OWNER}::text is null or ${unindexed(`${alias}."user"`)} = ${OWNER})`

const openFor = (lock: 'share' | 'no key update') =>
  statement(`webhook open, ${lock}`, { user: 'string', enabled: 'boolean' })`
select w."user", w.enabled from webhooks w where w.id = ${text('webhook')} and ${isOwn('w')} for ${lock}`
const OPEN = { share: openFor('share'), 'no key update': openFor('no key update') }

/** Locks a webhook and returns its user. Throws 404, 409 for a disabled one. */
export async function requireOpen(db: Db, owner: Owner, webhook: string, lock: keyof typeof OPEN = 'share') {
  const found = await runForRow(db, OPEN[lock], { webhook, owner })
  if (!found) throw webhookRefusal('webhook_not_found')
  if (!found.enabled) throw webhookRefusal('webhook_disabled')
  return found.user
}

/** How long the previous secret stays valid. */
const ROTATION = `interval '24 hours'`

const ROTATE = statement('webhook rotate', { id: 'string' })`
with written as (
  update webhooks w set previous_secret = w.secret, secret = ${text('secret')}, updated = pb_text(now())
  where w.id = ${text('webhook')} and ${isOwn('w')} returning *
), kept as (
  insert into webhook_rotations (webhook, until) select id, now() + ${ROTATION} from written
  on conflict (webhook) do update set until = excluded.until
), ${changeLogCte('written', 'update', 'webhooks', 'noted', true)}
select id from written`

/** Replaces a webhook's secret and returns it. For 24 hours the old one also signs. Throws 404. */
export async function rotateSecret({ db }: Store, owner: Owner, webhook: string) {
  const secret = newSecret()
  if (!(await runForRow(db, ROTATE, { webhook, owner, secret }))) throw webhookRefusal('webhook_not_found')
  return { secret } satisfies z.output<typeof NEW_SECRET>
}
