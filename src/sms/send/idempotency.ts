import { createHash } from 'node:crypto'
import type { Store } from '../../collections/catalog.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import { gatewayRefusal, invalid } from './shape.ts'

/** Identifies a request, so that a repeat is not sent twice. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

const MAX_KEY_LENGTH = 255
/** Printable ASCII: what a header can carry safely. */
const KEY = /^[\x21-\x7e][\x20-\x7e]*$/

/** The Idempotency-Key header; null without one. Throws 400 for an invalid one. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= MAX_KEY_LENGTH) return header
  throw invalid(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`)
}

/** The Idempotency-Key header and a hash of the request. Throws 400 for an invalid key. */
export function readIdempotency(header: string | undefined, endpoint: string, body: unknown) {
  const key = readIdempotencyKey(header)
  if (key === null) return null
  const hash = createHash('sha256').update(`${endpoint} ${canonical(body)}`)
  return { key, fingerprint: hash.digest('base64url') }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

const FIRST_ANSWER = statement('sms first answer', { fingerprint: 'string', answer: 'string' })`
select fingerprint, answer from sms_idempotency
where "user" = ${text('user')} and key = ${text('key')} and created > now() - interval '24 hours'`

/** The key's first answer within 24 hours, or undefined. Throws 422 if it was another request. */
export async function firstAnswer(store: Store, user: string, { key, fingerprint }: Idempotency) {
  const first = await runForRow(store.db, FIRST_ANSWER, { user, key })
  if (first && first.fingerprint !== fingerprint) throw gatewayRefusal('idempotency_key_reused')
  return first?.answer
}

/** Stores a key's first answer if no accepted send stored it. */
export async function keepAnswer(
  store: Store,
  user: string,
  { key, fingerprint }: Idempotency,
  answer: string,
): Promise<void> {
  await store.db.query(
    `insert into sms_idempotency as i ("user", key, fingerprint, answer) values ($1, $2, $3, $4)
      on conflict ("user", key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created
      where i.created <= now() - interval '24 hours'`,
    [user, key, fingerprint, answer],
    'sms keep answer',
  )
}

export const deleteOldAnswers = ({ db }: Store) =>
  db.query(`delete from sms_idempotency where created <= now() - interval '24 hours'`)
