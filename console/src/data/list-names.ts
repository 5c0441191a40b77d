import type { RecordModel } from 'pocketbase'
import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'
import { makeTitle } from './campaign-progress.ts'
import { pb } from './client.ts'

/** An account has fewer views, answers and hooks. */
const MOST = 200

export const listFormat = new Intl.ListFormat(locale)

/** A collection, a filter for its records that name an id, and a sentence with the names of those records. */
export type Use = readonly [collection: string, filter: string, write: (names: string) => string]

/** A sentence for each collection with records that name this id. */
export async function describeNamingRecords(uses: readonly Use[], id: string): Promise<string[]> {
  const sentences = uses.map(async ([collection, filter, write]) => {
    const names = await listNames(collection, pb.filter(filter, { id }))
    return names === '' ? [] : [write(names)]
  })
  return (await Promise.all(sentences)).flat()
}

/** The title of a record without a name, by its collection. */
const NAMELESS: Readonly<Record<string, (record: RecordModel) => string>> = {
  campaigns: ({ body }) => makeTitle({ name: '', body }),
  auto_answers: ({ value }) => value || t('Any text'),
}

/** The names of the records that a filter finds as one text; '' if there are none. */
export async function listNames(collection: string, filter: string): Promise<string> {
  const { items } = await pb
    .collection(collection)
    .getList(1, MOST, { filter, sort: 'name', fields: 'name,value,body', skipTotal: true })
  const nameOf = (record: RecordModel): string => record.name || NAMELESS[collection]?.(record)
  return listFormat.format(items.map(nameOf))
}
