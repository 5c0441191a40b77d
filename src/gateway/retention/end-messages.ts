import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, NOW, queries, writeUnindexed } from '../../platform/db/queries.ts'
import type { Sender } from '../base/make-sender.ts'
import { logChanged } from '../base/message-status.ts'
import { clearLastTexts } from '../messages/clear-last-texts.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import type { Mode } from './make-retention-index.ts'

/** Deletes the texts of messages (`redact`), or the messages. The transaction `store.db` has locked them. */
export async function endMessages(
  store: Store,
  extensions: Extensions,
  mode: Mode,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await endRows(store, extensions, mode, ids)
  await (mode === 'redact' ? redactMessages(store.db, ids) : deleteMessages(store, extensions, ids))
}

/** Ends the rows of lists with these texts, and those of the same lists that were left out. */
async function endRows(
  { db, catalog }: Store,
  extensions: Extensions,
  mode: Mode,
  messages: readonly string[],
) {
  const ofTexts = sql`campaign_recipients r where r.message <> '' and r.message = any(${messages}::text[])`
  const rows = sql<{ id: string }>`(select r.id from ${ofTexts}
    union select o.id from (select distinct r.campaign, r.created from ${ofTexts}) t
      join campaign_recipients o on o.campaign = t.campaign
      where o.message = '' and o.reason <> '' and o.created <= t.created)`
  const found = await queries(db)
    .selectFrom(rows.as<'ended'>(sql`ended(id)`))
    .select('ended.id')
    .execute()
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return
  if (mode === 'redact')
    await queries(db)
      .updateTable('campaign_recipients')
      .set({ values: '{}' })
      .where('id', '=', matchAny(ids))
      .execute()
  else await deleteRecords({ db, catalog }, extensions, catalog.find('campaign_recipients')!, ids)
}

async function redactMessages(db: Db, ids: readonly string[]) {
  await queries(db)
    .updateTable('sms_messages')
    .set({ body: '', subject: '', attachments: [] })
    .where('id', '=', matchAny(ids))
    .execute()
  await redactCopies(db, ids)
}

/** SQL: the message was sent or is in a final status. Only then may its text go before it. */
const IS_OVER = sql<boolean>`status || '' in ('sent', 'delivered', 'failed', 'received')`

const redactOver = (db: Db, id: string, user: string) =>
  queries(db)
    .updateTable('sms_messages')
    .set({ body: '', subject: '', attachments: [], updated: NOW })
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .where(IS_OVER)
    .returning('id')
    .executeTakeFirst()

const lockOver = (db: Db, id: string, user: string) =>
  queries(db)
    .selectFrom('sms_messages')
    .select('id')
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .where(IS_OVER)
    .forUpdate()
    .executeTakeFirst()

/**
 * Removes the text and files of a sender's message, and their copies in webhook deliveries. False for a
 * message that still waits.
 */
export const redactEndedMessage = ({ db }: Store, sender: Sender, id: string): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await redactOver(tx, id, sender.user))) return false
    await logChanged({ db: tx }, 'conversations', 'update', await redactCopies(tx, [id]))
    await auditAct(tx, { sender }, 'sms_messages', 'update', id, ['body'])
    return true
  })

/** Deletes a sender's message. False for a message that still waits. */
export const deleteEndedMessage = (
  { db, catalog }: Store,
  extensions: Extensions,
  sender: Sender,
  id: string,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await lockOver(tx, id, sender.user))) return false
    await deleteRecords({ db: tx, catalog }, extensions, catalog.find('sms_messages')!, [id])
    await auditAct(tx, { sender }, 'sms_messages', 'delete', id)
    return true
  })

/** Blanks messages with a `client_ref`, which must stay unique, instead of deleting them. */
const blankMessages = (db: Db, messages: readonly string[]) =>
  queries(db)
    .updateTable('sms_messages')
    .set({ body: '', subject: '', to: '', from: '', attachments: [] })
    .where('id', '=', matchAny(messages))
    .where('client_ref', '<>', sql.lit(''))
    .returning('id')
    .execute()

async function deleteMessages(store: Store, extensions: Extensions, ids: readonly string[]) {
  const { db, catalog } = store
  const blanked = new Set((await blankMessages(db, ids)).map(({ id }) => id))
  await redactCopies(db, [...blanked], { to: '', from: '' })
  const gone = ids.filter((id) => !blanked.has(id))
  await deleteRecords(store, extensions, catalog.find('sms_messages')!, gone)
}

/**
 * Blanks the texts of messages in conversations, and texts and attachments in webhook deliveries. There, sets
 * the fields of `more`, too. Returns the ids of changed conversations.
 */
export async function redactCopies(
  db: Db,
  messages: readonly string[],
  more = {},
): Promise<string[]> {
  await redactPayloads(db, messages, { body: '', subject: '', attachments: [], ...more })
  return clearLastTexts(db, messages)
}

/** Stands instead of a webhook's answer: `webhook_record` stores no later answer in its place. */
export const ANSWER_DELETED = 'Deleted with the text'

/** Sets fields of these messages in webhook deliveries, and forgets the answers of the webhooks. */
export async function redactPayloads(
  db: Db,
  messages: readonly string[],
  fields: object,
): Promise<void> {
  await queries(db)
    .with('cleared', (query) =>
      query
        .updateTable('webhook_deliveries')
        .set({ response_body: ANSWER_DELETED })
        .where('message', '=', matchAny(messages))
        .returning('id'),
    )
    .updateTable('webhook_payloads as p')
    .from('cleared')
    .set({ image: sql`p.image::jsonb || ${JSON.stringify(fields)}::jsonb` })
    .whereRef('p.delivery', '=', 'cleared.id')
    .execute()
}
