import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { isInsertionOrdered } from '../../engine/collections/own-indexes.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { containsName, writePersonHideSql } from '../base/hide-person.ts'
import { updateRecords } from '../base/message-status.ts'
import { containsNumber, type Mention, type Person, type RowRange } from '../base/personal-data.ts'
import { ANSWER_DELETED } from '../retention/end-messages.ts'
import { type Erasing, overwriteRows } from './erase-table-rows.ts'
import { addFieldsToMentionSteps } from './find-mentions.ts'
import type { HasPersonalData } from './personal-tables.ts'

/** Rows that one transaction looks through. */
const PAGE = 5_000

/** Where the search for mentions continues: an index of `addFieldsToMentionSteps`, and a `_rowid`. */
export interface MentionsAt {
  readonly mention: number
  readonly seen: number
}

/**
 * Hides the number of a person, and beside it the name, in the next words of the account about others: an
 * alert may contain the number of a customer. Returns where to continue; undefined at the end.
 */
export async function eraseMentions(
  { store, person, name, personalData }: Omit<Erasing, 'texts'> & HasPersonalData,
  { mention, seen }: MentionsAt,
): Promise<MentionsAt | undefined> {
  const steps = addFieldsToMentionSteps(store.catalog, personalData.mentions)
  if (mention >= steps.length) return
  const at = { mention, seen }
  for (let rows = 0; rows < PAGE && at.mention < steps.length; ) {
    const { paged, mentions } = steps[at.mention]!
    const { last, count } = await findMentionPage(store.db, paged, person.user, at.seen)
    const page = { user: person.user, after: at.seen, last }
    for (const one of mentions) await hideInRows(store, person, name, one, page)
    rows += count
    at.seen = count < PAGE ? 0 : last
    if (count < PAGE) at.mention++
  }
  return at
}

/** The last `_rowid` of the account's next rows in a table, and their number. */
async function findMentionPage(db: Db, table: string | undefined, user: string, after: number) {
  if (!table) return { last: 0, count: 0 }
  const { last, count } = await queries(db)
    .selectFrom(
      sql<{ _rowid: number }>`(select t._rowid from ${sql.table(table)} t
        where t."user" = ${user} and t._rowid > ${after}
        order by t._rowid ${isInsertionOrdered(table) ? sql`nulls first` : sql``} limit ${sql.lit(PAGE)})`.as(
        'page',
      ),
    )
    .select(({ fn }) => [fn.max('_rowid').as('last'), fn.countAll<number>().as('count')])
    .executeTakeFirstOrThrow()
  return { last: Number(last ?? 0), count: Number(count) }
}

async function hideInRows(
  store: Store,
  person: Person,
  name: string,
  mention: Mention,
  page: RowRange,
) {
  const { table, columns, unique, key, rows, byName } = mention
  const values = columns.map((column): [string, RawBuilder<unknown>] => {
    const [old, hidden] = [
      sql.ref(`t.${column}`),
      writePersonHideSql(sql.ref(`t.${column}`), person, name),
    ]
    if (column !== unique) return [column, hidden]
    const withKey = sql`${hidden} || ' ' || ${sql.ref(`t.${key}`)}`
    return [
      column,
      sql`case when ${containsNumber(person, column)} then ${withKey} else ${old} end`,
    ]
  })
  const named = byName ? containsName(name, columns) : sql`false`
  const where = sql<boolean>`${rows(page)} and (${containsNumber(person, ...columns)} or ${named})`
  const { db, catalog } = store
  const changed = await overwriteRows(
    db,
    mention,
    Object.fromEntries(values),
    where,
    catalog.find(table),
  )
  if (table === 'webhook_payloads')
    await queries(db)
      .updateTable('webhook_deliveries')
      .set({ response_body: ANSWER_DELETED })
      .where('id', '=', matchAny(changed))
      .execute()
}

/** Hides the name in names of campaigns with these texts. A campaign of one text loses its own text, too. */
export async function eraseCampaigns(
  db: Db,
  person: Person,
  name: string,
  texts: readonly string[],
) {
  const senders = sql<string>`any(array(select m.sent_by from sms_messages m where m.id = any(${texts}::text[])))`
  const hidden = writePersonHideSql(sql.ref('name'), person, name) as RawBuilder<string>
  await updateRecords(db, 'campaigns', (update) =>
    update
      .set({ name: sql`case when recipients_count <= 1 then '' else ${hidden} end` })
      .set({ body: sql`case when recipients_count <= 1 then '' else body end` })
      .set({ variables: sql`case when recipients_count <= 1 then 'null' else variables end` })
      .where('id', '=', senders)
      .where(sql<boolean>`(recipients_count <= 1 or name <> ${hidden})`),
  )
  // of a deleted campaign, its sender stays
  await queries(db)
    .updateTable('senders')
    .set({ name: hidden })
    .where('id', '=', senders)
    .where('kind', '=', 'campaign')
    .execute()
}

/** The `_rowid` of the newest text of an account; 0 without texts. */
export async function findNewestText(db: Db, user: string): Promise<number> {
  const { newest } = await queries(db)
    .selectFrom('sms_messages')
    .select(({ fn }) => fn.max('_rowid').as('newest'))
    .where('user', '=', user)
    .executeTakeFirstOrThrow()
  return Number(newest ?? 0)
}
