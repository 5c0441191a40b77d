import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import type { Db } from '../db/open.ts'
import { anyOf, queries, tryLock } from '../db/queries.ts'
import { indexStates } from '../db/schema/trigrams.ts'
import { deleteRecords } from '../records/cascade.ts'
import type { Extensions } from '../records/extension.ts'
import { clearLastTexts } from './conversations/inbox.ts'

type Mode = Config['retention']['mode']

const ENDED = `status not in ('pending', 'assigned', 'sending')`

/** SQL: a message has content to remove. Leaves out the status: indexing that would prevent HOT updates. */
export const HAS_CONTENT_SQL: Readonly<Record<Mode, string>> = {
  redact: `body <> ''`,
  delete: `(client_ref = '' or "to" <> '')`,
}

/** Creates the index that retention uses, concurrently. False while another node builds it. */
export async function makeRetentionIndex(db: Db, mode: Mode): Promise<boolean> {
  const drop = (name: string) => db.unhurried(`drop index concurrently if exists ${name}`)
  const name = `sms_messages_to_${mode}`
  const other = `sms_messages_to_${mode === 'redact' ? 'delete' : 'redact'}`
  const states = await indexStates(db, [name, other])
  if (states.get(other) !== 'missing') await drop(other)
  const state = states.get(name)
  if (state === 'ready' || state === 'building') return state === 'ready'
  const definition = `on sms_messages (created) where ${HAS_CONTENT_SQL[mode]}`
  if (state === 'partial') await drop(name)
  // `if not exists`: a second node waits for the first, then finds the index
  await db.unhurried(`create index concurrently if not exists ${name} ${definition}`)
  return true
}

/** Messages per transaction: it takes 50 ms to redact them, 90 ms to delete them. */
const BATCH = 1_000
const PAUSE_MS = 50

/**
 * Redacts or deletes (`mode`) messages that ended more than `days` days ago; none if `days` is 0. Works in
 * batches until done or `signal` aborts. Keeps usage counts and does not notify subscribers. Returns the
 * number of messages, 0 also while another node does it.
 */
export async function endOldMessages(
  store: Store,
  extensions: Extensions,
  { mode, days }: Config['retention'],
  signal?: AbortSignal,
): Promise<number> {
  if (days === 0 || !(await makeRetentionIndex(store.db, mode))) return 0
  await redactCampaigns(store.db, days)
  let total = 0
  while (!signal?.aborted) {
    const count = await store.db.transaction(async (db) => {
      const isOurs = await tryLock(db, LOCKS.retention)
      const inside = { db, catalog: store.catalog }
      const end = mode === 'redact' ? () => redact(db, days) : () => remove(inside, extensions, days)
      const taken = isOurs ? await end() : 0
      // do not send subscribers an event for each removed record
      await queries(db).deleteFrom('_changes').where('xid', '=', sql<string>`pg_current_xact_id()`).execute()
      return taken
    })
    total += count
    if (count < BATCH) break
    await sleep(PAUSE_MS)
  }
  return total
}

const daysAgo = (days: number) => sql<string>`pb_text(now() - make_interval(days => ${days}))`

/** Removes texts and phone numbers from campaigns that ended more than `days` days ago. */
const redactCampaigns = (db: Db, days: number) =>
  queries(db)
    .updateTable('campaigns')
    .set({ body: '', variables: 'null', recipients: '[]' })
    .where('status', 'in', ['done', 'canceled', 'failed'])
    .where('updated', '<', daysAgo(days))
    .where(sql<boolean>`(body <> '' or recipients::text <> '[]')`)
    .execute()

/** The oldest messages to take. Messages that were changed in these days are kept, however old they are. */
const selectOldest = (db: Db, mode: Mode, days: number) =>
  queries(db)
    .selectFrom('sms_messages')
    .select('id')
    .where('created', '<', daysAgo(days))
    .where('updated', '<', daysAgo(days))
    .where(sql<boolean>`${sql.raw(ENDED)} and ${sql.raw(HAS_CONTENT_SQL[mode])}`)
    .orderBy('created')
    .limit(sql.lit(BATCH))
    .forUpdate()
    .skipLocked()

async function redact(db: Db, days: number) {
  const redacted = await queries(db)
    .with('old', () => selectOldest(db, 'redact', days))
    .updateTable('sms_messages as m')
    .from('old')
    .set({ body: '', attachments: [] })
    .whereRef('m.id', '=', 'old.id')
    .returning('m.id')
    .execute()
  const ids = redacted.map(({ id }) => id)
  await redactCopies(db, ids)
  return ids.length
}

/** Blanks messages with a `client_ref`, which must stay unique, instead of deleting them. */
const blank = (db: Db, messages: readonly string[]) =>
  queries(db)
    .updateTable('sms_messages')
    .set({ body: '', to: '', from: '', attachments: [] })
    .where('id', '=', anyOf(messages))
    .where('client_ref', '<>', sql.lit(''))
    .returning('id')
    .execute()

async function remove(store: Store, extensions: Extensions, days: number) {
  const { db, catalog } = store
  const old = (await selectOldest(db, 'delete', days).execute()).map(({ id }) => id)
  if (old.length === 0) return 0
  const blanked = new Set((await blank(db, old)).map(({ id }) => id))
  await redactCopies(db, [...blanked], { to: '', from: '' })
  const gone = old.filter((id) => !blanked.has(id))
  await deleteRecords(store, extensions, catalog.find('sms_messages')!, gone)
  return old.length
}

/**
 * Blanks the texts of messages in conversations, and texts and attachments in webhook deliveries. There, sets
 * the fields of `more`, too. Returns the ids of changed conversations.
 */
export async function redactCopies(db: Db, messages: readonly string[], more = {}): Promise<string[]> {
  const fields = JSON.stringify({ body: '', attachments: [], ...more })
  await queries(db)
    .with('cleared', (query) =>
      query
        .updateTable('webhook_deliveries')
        .set({ response_body: '' })
        .where('message', '=', anyOf(messages))
        .returning('id'),
    )
    .updateTable('webhook_payloads as p')
    .from('cleared')
    .set({ image: sql`p.image::jsonb || ${fields}::jsonb` })
    .whereRef('p.delivery', '=', 'cleared.id')
    .execute()
  return clearLastTexts(db, messages)
}
