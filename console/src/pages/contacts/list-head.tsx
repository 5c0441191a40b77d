import type { ComponentChildren } from 'preact'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import type { Label } from '../../data/labels.ts'
import { defaultCountry } from '../../data/phone/default-country.ts'
import type { Contact, ContactField, ContactGroup } from '../../data/record-types.ts'
import { writeContactFilter } from '../../data/search/filters.ts'
import { isPhone } from '../../data/use/media-queries.ts'
import { t, tn } from '../../language/words.ts'
import { Options, SelectField } from '../../parts/form/field.tsx'
import { Menu } from '../../parts/list/menu.tsx'
import { SearchField } from '../../parts/list/search-field.tsx'
import { BY_NAME } from './columns.tsx'
import { ChooseColumns } from './field-columns.tsx'
import { AskFieldCondition } from './field-condition.tsx'
import { type FieldCondition, nameSort, SIGNS, writeFieldFilter } from './field-filter.ts'

const OPTED_OUT = 'opted-out'
/** Before the id of a label in the choice of what is shown. */
const LABEL = 'label:'

/** The question of the list in the page's address, as text. */
export interface Asked {
  /** The id of a group, `opted-out`, or a label's id after `label:`. */
  readonly group: string
  readonly sort: string
  /** The id of a field, with a comparison and a value. */
  readonly field: string
  readonly sign: string
  readonly value: string
}

export function findCondition(
  { field: id, sign, value }: Asked,
  fields: readonly ContactField[],
): FieldCondition | undefined {
  const field = fields.find((one) => one.id === id)
  if (!field) return undefined
  const signs = SIGNS[field.type].map(([one]) => one)
  return { field, sign: signs.find((one) => one === sign) ?? signs[0]!, value }
}

export function makeContactsFilter(
  text: string,
  chosen: string,
  condition: FieldCondition | undefined,
): string {
  const parts: string[] = []
  if (text) parts.push(`(${writeContactFilter(text, defaultCountry.value)})`)
  if (chosen === OPTED_OUT) parts.push('opted_out = true')
  else if (chosen.startsWith(LABEL))
    parts.push(pb.filter('labels:each ?= {:id}', { id: chosen.slice(LABEL.length) }))
  else if (chosen) parts.push(pb.filter('groups.id ?= {:chosen}', { chosen }))
  if (condition) parts.push(writeFieldFilter(condition))
  return parts.filter(Boolean).join(' && ')
}

/**
 * The one bar above the list: the box of all, the search, what the list shows, and a menu with its order, its
 * columns and `more`. On a phone the field that filters is in the menu, too.
 */
export function ListHead({
  all,
  text,
  onText,
  asked,
  condition,
  onAsk,
  groups,
  labels,
  fields,
  columns,
  more,
}: {
  all: ComponentChildren
  text: string
  onText: (text: string) => void
  asked: Asked
  condition: FieldCondition | undefined
  onAsk: (change: Partial<Asked>) => void
  groups: readonly ContactGroup[]
  labels: readonly Label[]
  fields: readonly ContactField[]
  /** The fields that are columns, by which the list can be sorted. */
  columns: readonly ContactField[]
  more: ComponentChildren
}) {
  const byField = fields.length > 0 && (
    <select
      aria-label={t('Filter by a field')}
      value={condition?.field.id ?? ''}
      onChange={(event) => onAsk({ field: event.currentTarget.value, sign: '', value: '' })}
    >
      <option value="">{t('Filter by a field')}</option>
      <Options choices={nameChoices(fields)} />
    </select>
  )
  return (
    <div class="contacts-bar">
      <SearchField label={t('Name or number')} value={text} onValue={onText} />
      {all}
      <select
        aria-label={t('Show')}
        value={asked.group}
        onChange={(event) => onAsk({ group: event.currentTarget.value })}
      >
        <option value="">{t('All contacts')}</option>
        <option value={OPTED_OUT}>{t('Opted out#people')}</option>
        <Options choices={nameChoices(groups)} />
        {labels.length > 0 && (
          <optgroup label={t('Labels')}>
            <Options choices={labels.map(({ id, name }) => [LABEL + id, name] as const)} />
          </optgroup>
        )}
      </select>
      {!isPhone.value && byField}
      <Menu words={t('Order and columns')} icon="settings" iconOnly>
        {() => (
          <div class="contacts-view">
            <SelectField
              label={t('Order')}
              name="order"
              value={asked.sort}
              onValue={(sort) => onAsk({ sort })}
              choices={listOrders(columns)}
            />
            {isPhone.value && byField}
            {fields.length > 0 && <ChooseColumns fields={fields} />}
            {more}
          </div>
        )}
      </Menu>
      {condition && (
        <AskFieldCondition
          condition={condition}
          onChange={onAsk}
          onClose={() => onAsk({ field: '', sign: '', value: '' })}
        />
      )}
    </div>
  )
}

const listOrders = (columns: readonly ContactField[]) => [
  [BY_NAME, t('Name, A to Z')] as const,
  ['-name', t('Name, Z to A')] as const,
  ['phone', t('By number')] as const,
  ...columns.flatMap((field) => {
    const sort = nameSort(field)
    return sort ? [[sort, t('By {field}', { field: field.name })] as const] : []
  }),
  ['-opted_out', t('Opted out first')] as const,
  ['-created', t('Newest first')] as const,
]

/** A box that chooses the contacts of the list, or none, with the count of all that were found. */
export function ChooseShown({
  shown,
  picked,
  total,
  onPick,
}: {
  shown: readonly Contact[]
  picked: readonly Contact[]
  total: number
  onPick: (contacts: readonly Contact[]) => void
}) {
  const isAll = picked.length >= shown.length
  return (
    <label class="contacts-all">
      <input
        type="checkbox"
        aria-label={t('Choose all contacts of the list')}
        checked={isAll}
        indeterminate={picked.length > 0 && !isAll}
        onChange={() => onPick(isAll ? [] : shown)}
      />
      <span>{tn('1 contact', '{count} contacts', total)}</span>
    </label>
  )
}
