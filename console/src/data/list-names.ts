import { locale } from '../language/language.ts'
import { t } from '../language/words.ts'
import { makeTitle } from './campaign-progress.ts'
import { pb } from './client.ts'

/** An account has fewer views, answers and hooks. */
const MOST = 200

const listFormat = new Intl.ListFormat(locale)

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
