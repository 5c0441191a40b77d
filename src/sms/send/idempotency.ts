import { createHash } from 'node:crypto'
import type { Store } from '../../collections/catalog.ts'
import { runForRow, sql, statement, type Texts, tables } from '../../db/statements/statement.ts'
import { gatewayRefusal, invalid } from './refusal.ts'

/** Maximum length of a key. */
const MAX_KEY_LENGTH = 255
/** Printable ASCII: what a header can carry safely. */
const KEY = /^[\x21-\x7e][\x20-\x7e]*$/

/** Identifies a request, so that a repeat is not sent twice. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

/** Keys in use by this process, as `<user> <key>`. Another node waits for the user's row. */
const running = new Set<string>()

/** The Idempotency-Key header; null without one. Throws 400 for an invalid one. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= MAX_KEY_LENGTH) return header
  throw invalid(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`)
}

/**
 * The key of the Idempotency-Key header and a hash of the request; null without one. Throws 400 for an
 * invalid key.
 */
export function readIdempotency(header: string | undefined, endpoint: string, body: unknown) {
  const key = readIdempotencyKey(header)
  if (key === null) return null
  const hash = createHash('sha256').update(`${endpoint} ${canonical(body)}`)
  return { key, fingerprint: hash.digest('base64url') }
}

/** JSON with sorted keys: equal for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** Runs the request of a key. Throws 409 while another one with the same key runs. */
export async function whileRunning<T>(user: string, key: string | undefined, work: () => Promise<T>) {
  if (key === undefined) return work()
  const name = `${user} ${key}`
  if (running.has(name)) throw gatewayRefusal('idempotency_key_in_use')
  running.add(name)
  try {
    return await work()
  } finally {
    running.delete(name)
  }
}

const FIRST_ANSWER = statement('sms first answer', ({ user, key }: Texts<'user' | 'key'>) =>
  tables
    .selectFrom('sms_idempotency')
    .select(['fingerprint', 'answer'])
    .where(({ and }) => and({ user, key }))
    .where(sql<boolean>`created > now() - interval '24 hours'`),
)

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

/** Deletes answers after a day. Call it now and then. */
export async function deleteOldAnswers(store: Store): Promise<void> {
  await store.db.query(`delete from sms_idempotency where created <= now() - interval '24 hours'`)
}
