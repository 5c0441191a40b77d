import { type RawBuilder, sql } from 'kysely'
import { toSnakeCase } from '../../engine/files/stored-name.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { MESSAGES } from '../base/message-files.ts'
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
  readonly message: string
  readonly name: string
}

/** Files of texts of the account whose names contain the number or the name of a person. */
const findNamedFiles = (
  db: Db,
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
      'sms_messages as m',
      sql<{ name: string }>`unnest(m.attachments)`.as<'f'>(sql`f(name)`),
    ])
    .select(['m.id as message', 'f.name'])
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
 * Renames files of texts to others whose names contain the number or the name of a person, wherever the names
 * are. Returns how many, at most MAX_TEXTS. `db`: a transaction.
 */
export async function hideFileNames(db: Db, person: Person, name: string): Promise<number> {
  const named = await findNamedFiles(db, person, name)
  for (const { message, name: old } of named) await renameFile(db, message, old, makeBlankName(old))
  return named.length
}

async function renameFile(db: Db, message: string, old: string, next: string): Promise<void> {
  const renamed = <T>(text: RawBuilder<unknown>) => sql<T>`replace(${text}, ${old}, ${next})`
  await queries(db)
    .updateTable('_files')
    .set({ name: next })
    .where('collection', '=', MESSAGES)
    .where('record', '=', message)
    .where('name', '=', old)
    .execute()
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
  await queries(db)
    .updateTable('_changes')
    .set({ image: sql`${renamed(sql`image::text`)}::json` })
    .where(sql<boolean>`strpos(image::text, ${old}) > 0`)
    .execute()
}
