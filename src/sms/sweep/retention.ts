import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/open.ts'
import { indexStates } from '../../db/schema/trigrams.ts'
import { textsOf } from '../../db/statement.ts'
import { deleteRecords } from '../../records/delete.ts'
import type { Extensions } from '../../records/extension.ts'
import { clearLastTexts } from '../conversations/incoming-texts.ts'

type Mode = Config['retention']['mode']

const ENDED = `status not in ('pending', 'assigned', 'sending')`

/** SQL: a message still has content to remove. Omits the status: an index on it would end HOT updates. */
export const HAS_CONTENT_SQL: Readonly<Record<Mode, string>> = {
  redact: `body <> ''`,
  delete: `(client_ref = '' or "to" <> '')`,
}

const NAMES: Readonly<Record<Mode, string>> = {
  redact: 'sms_messages_to_redact',
  delete: 'sms_messages_to_delete',
}

/** Creates the index for retention concurrently. False while another node does it. */
export async function makeRetentionIndex(db: Db, mode: Mode): Promise<boolean> {
  const drop = (name: string) => db.unhurried(`drop index concurrently if exists ${name}`)
  const name = NAMES[mode]
  const other = NAMES[mode === 'redact' ? 'delete' : 'redact']
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

/** Messages per transaction, which takes 50 ms to redact them, 90 to delete. */
const BATCH = 1_000
/** Pause between two batches, for other work. */
const PAUSE_MS = 50

/**
 * Deletes texts, or messages, that ended more than this many days ago, in batches until done or `signal`
 * aborts; safe to kill. Open messages and usage counts stay; subscribers are not notified. Does nothing for 0
 * days or while another node does it.
 */
export async function endOldMessages(
  store: Store,
  extensions: Extensions,
  { mode, days }: Config['retention'],
  signal?: AbortSignal,
): Promise<number> {
  if (days === 0 || !(await makeRetentionIndex(store.db, mode))) return 0
  await store.db.query(CAMPAIGNS, [days])
  let total = 0
  while (!signal?.aborted) {
    const count = await store.db.transaction(async (db) => {
      const { rows } = await db.query('select pg_try_advisory_xact_lock($1)', [LOCKS.retention])
      const inside = { db, catalog: store.catalog }
      const end = mode === 'redact' ? () => redact(db, days) : () => remove(inside, extensions, days)
      const taken = rows[0]![0] ? await end() : 0
      // subscribers get no event for each message, delivery and event
      await db.query('delete from _changes where xid = pg_current_xact_id()')
      return taken
    })
    total += count
    if (count < BATCH) break
    await sleep(PAUSE_MS)
  }
  return total
}

/** Deletes the text and numbers that ended campaigns still contain. */
const CAMPAIGNS = `
update campaigns set body = '', variables = 'null', recipients = '[]'
where status in ('done', 'canceled', 'failed') and updated < pb_text(now() - make_interval(days => $1))
  and (body <> '' or recipients::text <> '[]')`

/** SQL: the end of the period, as a PocketBase date. Messages changed after it are kept, however old. */
const END = 'pb_text(now() - make_interval(days => $1))'
const oldest = (mode: Mode) =>
  `select id from sms_messages where created < ${END} and updated < ${END} and ${ENDED} and ${HAS_CONTENT_SQL[mode]}
  order by created limit ${BATCH} for update skip locked`

const REDACT = `
with old as (${oldest('redact')})
update sms_messages m set body = '', attachments = '{}' from old where m.id = old.id returning m.id`

async function redact(db: Db, days: number): Promise<number> {
  const redacted = textsOf(await db.query(REDACT, [days]))
  await redactCopies(db, redacted)
  return redacted.length
}

/** Blanks messages with a `client_ref`, which must stay unique, instead of deleting them. */
const BLANK = `
update sms_messages set body = '', "to" = '', "from" = '', attachments = '{}' where id = any($1::text[]) and client_ref <> '' returning id`

async function remove(store: Store, extensions: Extensions, days: number): Promise<number> {
  const { db, catalog } = store
  const old = textsOf(await db.query(oldest('delete'), [days]))
  if (old.length === 0) return 0
  const blanked = new Set(textsOf(await db.query(BLANK, [old])))
  await redactCopies(db, [...blanked], { to: '', from: '' })
  const gone = old.filter((id) => !blanked.has(id))
  await deleteRecords(store, extensions, catalog.find('sms_messages')!, gone)
  return old.length
}

const REDACT_DELIVERIES = `
with cleared as (update webhook_deliveries set response_body = '' where message = any($1::text[]) returning id)
update webhook_payloads p set image = p.image::jsonb || $2::jsonb from cleared where p.delivery = cleared.id`

/** Removes messages' texts, files and `more` from deliveries and conversations. Returns the latter. */
export async function redactCopies(db: Db, messages: readonly string[], more = {}): Promise<string[]> {
  await db.query(REDACT_DELIVERIES, [messages, JSON.stringify({ body: '', attachments: [], ...more })])
  return clearLastTexts(db, messages)
}
