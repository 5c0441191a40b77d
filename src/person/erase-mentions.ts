import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { anyOf, NOW, queries } from '../db/queries.ts'
import { updateRecords } from '../sms/status.ts'
import type { Person } from './person.ts'

/** Texts of the account that one transaction looks through. */
const PAGE = 5_000
/** A shorter name may be part of other words. */
const MIN_NAME = 4

/** What stands instead of the number and the name. */
const HIDDEN = '…'

/** SQL: a text without the number of a person, in any spelling, and without the name. */
function hide(text: RawBuilder<unknown>, { spellings }: Person, name: string): RawBuilder<string> {
  const without = sql<string>`regexp_replace(${text}, ${spellings}, ${HIDDEN}, 'g')`
  return [...name].length < MIN_NAME ? without : sql`replace(${without}, ${name}, ${HIDDEN})`
}

/**
 * Hides the number of a person, and beside it the name, in texts to others and in notes and drafts of other
 * conversations: an alert may contain the number of a customer. Returns how many it has changed.
 */
export async function eraseMentions(db: Db, person: Person, signal: AbortSignal): Promise<number> {
  const name = await nameOf(db, person)
  let changed = 0
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const page = await readPage(db, person.user, after)
    const last = page.at(-1)
    if (last === undefined) break
    changed += await hideInTexts(db, person, name, after, last)
    if (page.length < PAGE) break
    after = last
  }
  for (const table of ['conversation_notes', 'conversation_drafts'] as const)
    changed += (
      await updateRecords(db, table, (update) =>
        update
          .set({ text: hide(sql.ref('text'), person, name) })
          .where('user', '=', person.user)
          .where(sql<boolean>`text ~ ${person.spellings}`),
      )
    ).length
  return changed
}

async function nameOf(db: Db, { user, number }: Person): Promise<string> {
  const found = await queries(db)
    .selectFrom('contacts')
    .select('name')
    .where('user', '=', user)
    .where('phone', '=', number)
    .executeTakeFirst()
  return found?.name ?? ''
}

async function readPage(db: Db, user: string, after: number): Promise<number[]> {
  const page = await queries(db)
    .selectFrom('sms_messages')
    .select('_rowid')
    .where('user', '=', user)
    .where('_rowid', '>', after)
    .orderBy('_rowid')
    .limit(sql.lit(PAGE))
    .execute()
  return page.map(({ _rowid }) => Number(_rowid))
}

/** Hides the number in a page of texts, and in the copies of these texts. */
const hideInTexts = (db: Db, person: Person, name: string, after: number, last: number) =>
  db.transaction(async (inside) => {
    const found = await queries(inside)
      .updateTable('sms_messages')
      .set({ body: hide(sql.ref('body'), person, name), updated: NOW })
      .where('user', '=', person.user)
      .where('_rowid', '>', after)
      .where('_rowid', '<=', last)
      .where(sql<boolean>`body ~ ${person.spellings}`)
      .returning('id')
      .execute()
    const ids = found.map(({ id }) => id)
    if (ids.length === 0) return 0
    await updateRecords(inside, 'conversations', (update) =>
      update
        .set({ last_text: hide(sql.ref('last_text'), person, name) })
        .where('last_message', '=', anyOf(ids))
        .where('last_message', '<>', sql.lit('')),
    )
    const image = sql<string>`(image::jsonb || jsonb_build_object('body', ${hide(sql`image ->> 'body'`, person, name)}))::json`
    await queries(inside)
      .updateTable('webhook_payloads')
      .set({ image })
      .where('delivery', 'in', ({ selectFrom }) =>
        selectFrom('webhook_deliveries').select('id').where('message', '=', anyOf(ids)),
      )
      .execute()
    await queries(inside)
      .updateTable('_changes')
      .set({ image })
      .where('collection', '=', 'sms_messages')
      .where('record', '=', anyOf(ids))
      .execute()
    return ids.length
  })
