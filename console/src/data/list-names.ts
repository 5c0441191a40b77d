import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'
import { makeTitle } from './campaign-progress.ts'
import { pb } from './client.ts'

/** An account has fewer views, answers and hooks. */
const MOST = 200

const listFormat = new Intl.ListFormat(locale)

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

/** The names of the records that a filter finds, or their words without a name, as one text; '' if none. */
export async function listNames(collection: string, filter: string): Promise<string> {
  const { items } = await pb
    .collection(collection)
    .getList(1, MOST, { filter, sort: 'name', fields: 'name,value,body', skipTotal: true })
  return listFormat.format(
    items.map(({ name, value, body }) =>
      collection === 'campaigns' ? makeTitle({ name, body }) : name || value || t('Any text'),
    ),
  )
}
