import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import { queries } from '../../../platform/db/queries.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import { requireFresh, writeIsStale } from './sending-permission.ts'

const MAX_KEY_LENGTH = 255
/** Printable ASCII, which an HTTP header can safely contain. */
const KEY = /^[\x21-\x7e][\x20-\x7e]*$/

/** The server keeps the answers of idempotency keys since then. */
const DAY_AGO = sql<Date>`now() - interval '24 hours'`

/** An idempotency key of the server itself. Begins with a space, so that no request can have the same. */
export const makeServerKey = (name: string): string => ` ${name}`

/** The Idempotency-Key header; null without one. Throws 400 for an invalid one. */
function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= MAX_KEY_LENGTH) return header
  throw invalidRequest(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`)
}

/** The Idempotency-Key header and a hash of the request; null without one. Throws 400 for an invalid key. */
export function readIdempotency(header: string | undefined, endpoint: string, body: unknown) {
  const key = readIdempotencyKey(header)
  if (key === null) return null
  const hash = createHash('sha256').update(`${endpoint} ${toCanonicalJson(body)}`)
  return { key, fingerprint: hash.digest('base64url') }
}

function toCanonicalJson(value: unknown) {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/**
 * The answer to the key's first request in 24 hours, or undefined. Throws 422 if that request differed, and
 * StaleAuth if the sender's credentials changed.
 */
export async function findFirstAnswer(
  store: Store,
  sender: Sender,
  { key, fingerprint }: Idempotency,
) {
  const first = await queries(store.db)
    .selectFrom('sms_idempotency')
    .select(['fingerprint', 'answer', writeIsStale(sender).as('isStale')])
    .where('user', '=', sender.user)
    .where('key', '=', key)
    .where('created', '>', DAY_AGO)
    .executeTakeFirst()
  requireFresh(first)
  if (first && first.fingerprint !== fingerprint) throw gatewayRefusal('idempotency_key_reused')
  return first?.answer
}

/** Stores the answer for an idempotency key, unless the key has one from the last 24 hours. */
export async function storeFirstAnswer(
  store: Store,
  user: string,
  { key, fingerprint }: Idempotency,
  answer: string,
) {
  await queries(store.db)
    .insertInto('sms_idempotency')
    .values({ user, key, fingerprint, answer })
    .onConflict((found) =>
      found
        .columns(['user', 'key'])
        .doUpdateSet(({ ref }) => ({
          fingerprint: ref('excluded.fingerprint'),
          answer: ref('excluded.answer'),
          created: ref('excluded.created'),
        }))
        .where('sms_idempotency.created', '<=', DAY_AGO),
    )
    .execute()
}

export const deleteOldAnswers = ({ db }: Store) =>
  queries(db).deleteFrom('sms_idempotency').where('created', '<=', DAY_AGO).execute()

/** Identifies a request, so that its messages are not sent twice if it is repeated. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}
