import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Person, Place } from '../base/personal-data.ts'
import { selectNewestTextIds } from './texts-of-person.ts'

/** The most rows of a place that are counted: 10,000 means 10,000 or more. */
const MAX_COUNT = 10_000

export const FOUND_DATA = z
  .object({
    number: z.string().describe('The number in E.164.'),
    name: z.string().describe('The name of the contact; empty without a contact.'),
    contact: z.string().describe('The id of the contact; empty without a contact.'),
    open_texts: z
      .int()
      .min(0)
      .describe('Texts to the person that wait or are being sent. An erasure cancels them first.'),
    linked: z
      .array(
        z.object({
          contact: z.string().describe('The id of the contact.'),
          number: z.string().describe('Its number.'),
          name: z.string(),
        }),
      )
      .describe(
        'Contacts with the same `person`: other numbers of this person, at most 20. An export or erasure of this number leaves them out.',
      ),
    stopped: z.boolean().describe('Whether the person was erased before and gets no texts.'),
    places: z
      .array(
        z.object({
          place: z.string().describe('The table.'),
          title: z.string(),
          count: z.int().min(1).max(MAX_COUNT).describe('Rows; 10,000 stands for 10,000 or more.'),
        }),
      )
      .describe(
        'The places with data of the person. Places that belong to texts are counted for the newest 10,000 texts each way.',
      ),
  })
  .meta({ id: 'FoundData' })

/**
 * Counts what an account stores about a person, and names linked contacts. Changes nothing. Of a person with
 * more than 10,000 texts, it counts the newest ones, and what belongs to them.
 */
export async function countData(
  db: Db,
  person: Person,
  all: readonly Place[],
): Promise<z.output<typeof FOUND_DATA>> {
  const { user, number } = person
  // the cast makes it an array: without it, `any` would compare with rows
  const texts = sql<string[]>`(select found.ids from found)::text[]`
  const count = (rows: RawBuilder<unknown>) =>
    sql<number>`(select count(*) from (${rows} limit ${sql.lit(MAX_COUNT)}) counted)`
  const counts = all.map(({ table, rows }) =>
    count(sql`select from ${sql.table(table)} t where ${rows(person, texts)}`).as(table),
  )
  const open = count(sql`select from sms_dispatch d where d.message = any(${texts})`)
  const found = await queries(db, 'shaped')
    .with('found', (query) => query.selectNoFrom(selectNewestTextIds(person, MAX_COUNT).as('ids')))
    .selectFrom(sql<object>`(select)`.as('one'))
    .leftJoin('contacts as c', (join) => join.on('c.user', '=', user).on('c.phone', '=', number))
    .select(['c.id as contact id', 'c.name as contact name', open.as('open texts'), ...counts])
    .select(sql<boolean>`person_stopped(${user}, array[${number}]) <> '{}'`.as('is stopped'))
    .executeTakeFirstOrThrow()
  const places = all.map(({ table, title }) => ({
    place: String(table),
    title,
    count: (found as unknown as Record<string, number>)[table]!,
  }))
  return {
    number,
    name: found['contact name'] ?? '',
    contact: found['contact id'] ?? '',
    open_texts: found['open texts'],
    linked: await loadLinked(db, user, found['contact id'] ?? ''),
    stopped: found['is stopped'],
    places: places.filter((place) => place.count > 0),
  }
}

const MAX_LINKED = 20

/** The other contacts of the person of a contact. */
const loadLinked = (db: Db, user: string, contact: string) =>
  queries(db)
    .selectFrom('contacts as c')
    .innerJoin('contacts as o', (join) =>
      join.onRef('o.user', '=', 'c.user').onRef('o.person', '=', 'c.person'),
    )
    .select(['o.id as contact', 'o.phone as number', 'o.name'])
    .where('c.id', '=', contact)
    .where('c.user', '=', user)
    .where('c.person', '<>', '')
    .whereRef('o.id', '<>', 'c.id')
    .orderBy('o.phone')
    .limit(sql.lit(MAX_LINKED))
    .execute()
