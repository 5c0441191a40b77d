import type { Collection } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'
import { checkValue } from '../fields/field-types.ts'
import { urlFault } from '../outgoing/send.ts'

/**
 * Why the API would refuse a record's values, in the order of the collection's fields; undefined if it would
 * not. Does not look at passwords, which may be hashes.
 */
export function rowFault({ name, fields }: Collection, row: readonly Value[]): string | undefined {
  for (const [i, field] of fields.entries()) {
    const fault = field.type === 'password' ? undefined : checkValue(field, row[i]!)
    if (fault) return `${field.name}: ${fault.message}`
    if (
      name === 'webhooks' &&
      field.name === 'url' &&
      !isMail(String(row[i])) &&
      urlFault(String(row[i]), true)
    )
      return 'url: Must be an address that begins with https:// or http://.'
  }
  return undefined
}

const isMail = (url: string) => url.startsWith('mailto:')
