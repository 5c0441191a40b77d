import { describeLine } from '../../data/device/lines.ts'
import { DAYS, findHoursFaults, type Hours, nameDay } from '../../data/hours.ts'
import { useLines } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { CheckList } from '../form/choices.tsx'
import type { FieldRow, FormRow } from './form-row.ts'
import { readPrefixes } from './prefixes.ts'
import type { Value, Values } from './values.ts'

type Names = Readonly<Record<'from' | 'to', string>> & { readonly days?: string }

export function makeHoursRows(
  names: Names,
  labels: Names & { readonly hint?: string },
): readonly FormRow[] {
  const faults = (values: Values) =>
    findHoursFaults({
      from: String(values[names.from]),
      to: String(values[names.to]),
      days: names.days ? (values[names.days] as Hours['days']) : [],
    })
  const end = (which: 'from' | 'to'): FieldRow => ({
    name: names[which],
    label: labels[which],
    kind: 'time',
    ...(which === 'from' && { hint: labels.hint }),
    error: (_, values) => faults(values)[which],
  })
  const days: FieldRow = {
    name: names.days ?? '',
    label: labels.days ?? '',
    kind: 'checks',
    choices: DAYS.map((day) => [day, nameDay(day)]),
  }
  return [[end('from'), end('to')], ...(names.days ? [days] : [])]
}

export const makeLinesRow = (label: string): FieldRow => ({
  name: 'lines',
  label,
  kind: 'checks',
  input: (row, value, onValue) => <Lines row={row} value={value} onValue={onValue} />,
})

function Lines(props: { row: FieldRow; value: Value; onValue: (value: Value) => void }) {
  const lines = useLines()
  if (lines.length < 2) return null
  return (
    <CheckList
      class="checks one-column"
      legend={props.row.label}
      name="line"
      choices={lines.map((line) => [line.id, describeLine(line)] as const)}
      chosen={props.value as readonly string[]}
      onChosen={props.onValue}
    />
  )
}

export const makePrefixesRow = (
  name: string,
  label: string,
  hint: string,
  areSigned = false,
): FieldRow => ({
  name,
  label,
  hint,
  placeholder: areSigned ? '+43, +1, -+1876' : '+43, +4366',
  read: (prefixes) => String(prefixes ?? '').replaceAll(',', ', '),
  write: (typed) => readPrefixes(String(typed), areSigned),
  error: (typed) =>
    readPrefixes(String(typed), areSigned) === undefined
      ? t('Write first digits such as +43 or +4366, separated by commas.')
      : undefined,
})

export const makeAddressesRow = (label: string): FieldRow => ({
  name: 'addresses',
  label,
  hint: t(
    'IP addresses and networks such as 203.0.113.7 or 2001:db8::/32, separated by commas. Elsewhere access is refused, and the owner gets a mail if the server sends any. Empty: everywhere.',
  ),
  placeholder: '203.0.113.7, 198.51.100.0/24',
  spellcheck: false,
  read: (addresses) => String(addresses ?? '').replaceAll(',', ', '),
})

export const makeDestinationsRow = (): FieldRow =>
  makePrefixesRow(
    'destinations',
    t('Sends only to'),
    t(
      'First digits of numbers, such as +49; with a minus those to exclude, such as -+4990. Empty: all numbers.',
    ),
    true,
  )

/** A label that an automatic answer or a hook sets; nothing while the account has no labels. */
export const makeLabelRow = (
  labels: readonly { readonly id: string; readonly name: string }[],
  hint: string,
): FieldRow => ({
  name: 'label',
  label: t('Label'),
  kind: 'select',
  hint,
  shown: () => labels.length > 0,
  choices: [['', t('No label')], ...labels.map(({ id, name }) => [id, name] as const)],
})
