import { type RawBuilder, sql } from 'kysely'
import { toSnakeCase } from '../../engine/files/stored-name.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { MESSAGE_COLLECTION, WITH_FILES } from '../base/message-files.ts'
import { updateRecords } from '../base/message-status.ts'
import type { Person } from '../base/personal-data.ts'

/** Texts whose files one transaction renames. */
const MAX_TEXTS = 200
/** A shorter name may be a part of other words. */
const MIN_NAME = 4
const RANDOM_LENGTH = 10
/** A name that `makeBlankName` makes. */
const BLANK = '^file_[a-z0-9]{10}(?:[.]\\w{1,10})?$'

/** A regular expression of Postgres for a person's name in the name of a stored file; undefined for none. */
function writeNamePattern(name: string): string | undefined {
  // stored names have only digits and letters of ASCII: see `makeStoredName`
  const parts = toSnakeCase(name).split('_').filter(Boolean)
  const letters = parts.join('')
  if (letters === '') return undefined
  const orders = [parts, parts.toReversed()].map((order) => order.join(' ?')).join('|')
  if (letters.length >= MIN_NAME) return `(?:${orders})`
  // random characters follow a base of one or two: see `makeStoredName`
  return `(?<![a-z0-9])(?:${orders})${letters.length < 3 ? '(?:[a-z0-9]{10})?' : ''}(?![a-z0-9])`
}

interface NamedFile {
  readonly record: string
  readonly name: string
}

type WithFiles = (typeof WITH_FILES)[number]

/** Files of records of the account whose names contain the number or the name of a person. */
const findNamedFiles = (
  db: Db,
  collection: WithFiles,
  { user, spellings }: Person,
  name: string,
): Promise<NamedFile[]> => {
  const words = sql`replace(f.name, '_', ' ')`
  const called = writeNamePattern(name)
  const matches = called
    ? sql`(${words} ~ ${spellings} or ${words} ~* ${called})`
    : sql`${words} ~ ${spellings}`
  return queries(db)
    .selectFrom([
      `${collection} as m`,
      sql<{ name: string }>`unnest(m.attachments)`.as<'f'>(sql`f(name)`),
    ])
    .select(['m.id as record', 'f.name'])
    .where('m.user', '=', user)
    .where(sql<boolean>`m.attachments <> '{}'`)
    .where(sql<boolean>`f.name !~ ${BLANK}`)
    .where(sql<boolean>`${matches}`)
    .limit(sql.lit(MAX_TEXTS))
    .execute()
}

/** A name that says nothing, with the extension of the old one. */
const makeBlankName = (name: string): string =>
  `file_${makeRandomId(RANDOM_LENGTH)}${/\.\w{1,10}$/.exec(name)?.[0] ?? ''}`

/**
 * Renames files of texts, campaigns, answers and templates whose names contain the number or the name of a
 * person, wherever the names are. Returns how many, at most MAX_TEXTS of each. `db`: a transaction.
 */
export async function hideFileNames(db: Db, person: Person, name: string): Promise<number> {
  let renamed = 0
  for (const collection of WITH_FILES) {
    const named = await findNamedFiles(db, collection, person, name)
    for (const file of named) await renameFile(db, collection, file, makeBlankName(file.name))
    renamed += named.length
  }
  return renamed
}

async function renameFile(
  db: Db,
  collection: WithFiles,
  { record, name: old }: NamedFile,
  next: string,
): Promise<void> {
  await queries(db)
    .updateTable('_files')
    .set({ name: next })
    .where('collection', '=', collection)
    .where('record', '=', record)
    .where('name', '=', old)
    .execute()
  if (collection === MESSAGE_COLLECTION) return renameInMessage(db, record, old, next)
  await updateRecords(db, collection, (update) =>
    update
      .set({ attachments: sql`array_replace(attachments, ${old}, ${next})` })
      .where('id', '=', record),
  )
  await renameInChanges(db, old, next)
}

async function renameInMessage(db: Db, message: string, old: string, next: string): Promise<void> {
  const renamed = <T>(text: RawBuilder<unknown>) => sql<T>`replace(${text}, ${old}, ${next})`
  // the text of an MMS without words names its files
  await queries(db)
    .updateTable('sms_messages')
    .set({
      attachments: sql`array_replace(attachments, ${old}, ${next})`,
      body: renamed(sql.ref('body')),
      updated: NOW,
    })
    .where('id', '=', message)
    .execute()
  await updateRecords(db, 'conversations', (update) =>
    update
      .set({ last_text: renamed(sql.ref('last_text')) })
      .where('last_message', '=', message)
      .where(sql<boolean>`strpos(last_text, ${old}) > 0`),
  )
  await queries(db)
    .updateTable('webhook_payloads')
    .set({ image: sql`${renamed(sql`image::text`)}::json` })
    .where('delivery', 'in', ({ selectFrom }) =>
      selectFrom('webhook_deliveries').select('id').where('message', '=', message),
    )
    .where(sql<boolean>`strpos(image::text, ${old}) > 0`)
    .execute()
  await renameInChanges(db, old, next)
}

const renameInChanges = (db: Db, old: string, next: string) =>
  queries(db)
    .updateTable('_changes')
    .set({
      image: sql`replace(image::text, ${old}, ${next})::json`,
      former: sql`replace(former::text, ${old}, ${next})::json`,
    })
    .where(sql<boolean>`strpos(concat(image, former), ${old}) > 0`)
    .execute()
