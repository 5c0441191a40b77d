import { readContactFieldValue } from '#portable/contact-field-value.ts'
import { accountLocale } from '../../data/account-locale.ts'
import type { Choices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { findValueFault } from '../../data/contact-field-words.ts'
import { nameMember } from '../../data/contact-fields.ts'
import type { ContactField } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'

export type Sign = 'has' | 'is' | 'from' | 'to' | 'none'

/** The value that contacts of the list must have in a field. */
export interface FieldCondition {
  readonly field: ContactField
  readonly sign: Sign
  /** As typed, or as a choice is stored. '' finds all contacts, unless `sign` is `none`. */
  readonly value: string
}

const NONE = ['none', t('has no value')] as const

/** The comparisons that a field of this type can have, the first by default. */
export const SIGNS: Readonly<Record<ContactField['type'], Choices<Sign>>> = {
  text: [['has', t('contains')], NONE],
  number: [['from', t('is at least')], ['to', t('is at most')], ['is', t('is exactly')], NONE],
  date: [['from', t('from')], ['to', t('until')], ['is', t('on')], NONE],
  choice: [['is', t('is')], NONE],
}

const NOBODY = 'id = ""'

/** The server's limit of a name in `sort`; an encoded byte counts once. */
const MAX_SORT_BYTES = 255

/** The sort of contacts by a field; undefined if the name of its key is too long. */
export function nameSort({ key }: ContactField): string | undefined {
  const name = nameMember(key)
  return name.replace(/%../g, '_').length > MAX_SORT_BYTES ? undefined : name
}

/** A filter for contacts; '' while there is no value. A value that does not fit the field finds nobody. */
export function writeFieldFilter({ field, sign, value: typed }: FieldCondition): string {
  const name = nameMember(field.key)
  if (sign === 'none') return `(${name} = null || ${name} = "")`
  const kind = { ...field, choices: field.choices ?? [] }
  const reading = readContactFieldValue(kind, typed.trim(), accountLocale())
  if (reading.fault) return NOBODY
  if (reading.value === '') return ''
  const { value } = reading
  const compare = (comparison: string) => pb.filter(`${name} ${comparison} {:value}`, { value })
  if (sign === 'has') return compare('~')
  if (sign === 'is') return compare('=')
  // values from before the field had its type: in filters, texts are greater than all numbers
  const isTyped = field.type === 'number' ? `${name} < ""` : `${name} > ""`
  return `${compare(sign === 'from' ? '>=' : '<=')} && ${isTyped}`
}

/** Why a typed value is no value of the field; undefined if it is. */
export const findConditionFault = ({ field, sign, value }: FieldCondition): string | undefined =>
  sign === 'none' ? undefined : findValueFault(field, value.trim())
