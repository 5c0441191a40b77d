import { type Contact, fieldsOf } from '../records.ts'
import { uniqueNames } from '../text/placeholders.ts'
import { useList } from './use-list.ts'

/** Reads the names from the contacts that changed last. */
const SAMPLE = 200
const MOST_NAMES = 12
/** A name that a variable can have. */
const USABLE = /^[^{}|]*[^{}|\s][^{}|]*$/

/** Names of the own fields of the user's contacts. */
export function useFieldNames(): readonly string[] {
  const options = { fields: 'id,data', sort: '-updated', perPage: SAMPLE, live: false }
  const { items } = useList<Contact>('contacts', options)
  const names = items.flatMap((contact) => fieldsOf(contact).map(([name]) => name.trim()))
  return uniqueNames(names.filter((name) => USABLE.test(name))).slice(0, MOST_NAMES)
}
