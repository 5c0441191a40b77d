import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { anyOf, NOW, queries } from '../db/queries.ts'
import { updateRecords } from '../sms/status.ts'
import { hide } from './hide.ts'
import type { Person } from './person.ts'

/** Texts of the account that one transaction looks through. */
const PAGE = 5_000

/**
 * Hides the number of a person, and beside it the name, in the next texts to others after a `_rowid`: an
 * alert may contain the number of a customer. Returns the last `_rowid`, or undefined without further texts.
 */
export async function eraseMentions(
  db: Db,
  person: Person,
  name: string,
  after: number,
): Promise<number | undefined> {
  const { last } = await queries(db)
    .selectFrom((from) =>
      from
        .selectFrom('sms_messages')
        .select('_rowid')
        .where('user', '=', person.user)
        .where('_rowid', '>', after)
        .orderBy('_rowid')
        .limit(sql.lit(PAGE))
        .as('page'),
    )
    .select(({ fn }) => fn.max('_rowid').as('last'))
    .executeTakeFirstOrThrow()
  if (last === null) return
  await hideInTexts(db, person, name, after, Number(last))
  return Number(last)
}

/** Hides the number and the name in notes and drafts of conversations with others. */
export async function eraseMentionsOfTeam(db: Db, person: Person, name: string): Promise<void> {
  for (const table of ['conversation_notes', 'conversation_drafts'] as const)
    await updateRecords(db, table, (update) =>
      update
        .set({ text: hide(sql.ref('text'), person, name) })
        .where('user', '=', person.user)
        .where(sql<boolean>`text ~ ${person.spellings}`),
    )
}

/** The `_rowid` of the newest text of an account; 0 without texts. */
export async function newestText(db: Db, user: string): Promise<number> {
  const { newest } = await queries(db)
    .selectFrom('sms_messages')
    .select(({ fn }) => fn.max('_rowid').as('newest'))
    .where('user', '=', user)
    .executeTakeFirstOrThrow()
  return Number(newest ?? 0)
}

/** Hides the number in a page of texts, and in the copies of these texts. */
async function hideInTexts(db: Db, person: Person, name: string, after: number, last: number): Promise<void> {
  const found = await queries(db)
    .updateTable('sms_messages')
    .set({ body: hide(sql.ref('body'), person, name), updated: NOW })
    .where('user', '=', person.user)
    .where('_rowid', '>', after)
    .where('_rowid', '<=', last)
    .where(sql<boolean>`body ~ ${person.spellings}`)
    .returning('id')
    .execute()
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return
  await updateRecords(db, 'conversations', (update) =>
    update
      .set({ last_text: hide(sql.ref('last_text'), person, name) })
      .where('last_message', '=', anyOf(ids))
      .where('last_message', '<>', sql.lit('')),
  )
  const image = sql<string>`(image::jsonb || jsonb_build_object('body', ${hide(sql`image ->> 'body'`, person, name)}))::json`
  await queries(db)
    .updateTable('webhook_payloads')
    .set({ image })
    .where('delivery', 'in', ({ selectFrom }) =>
      selectFrom('webhook_deliveries').select('id').where('message', '=', anyOf(ids)),
    )
    .execute()
  await queries(db)
    .updateTable('_changes')
    .set({ image })
    .where('collection', '=', 'sms_messages')
    .where('record', '=', anyOf(ids))
    .execute()
}
