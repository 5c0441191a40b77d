import { DAYS, dayName, type Hours, hoursFaults } from '../../data/hours.ts'
import { lineWords, useLines } from '../../data/use/use-lines.ts'
import { CheckList } from '../form/field.tsx'
import type { FieldRow, FormRow } from './rows.ts'
import type { Value, Values } from './values.ts'

type Names = Readonly<Record<'from' | 'to', string>> & { readonly days?: string }

/** Fields for hours, and for the days on which they begin. */
export function hoursRows(names: Names, labels: Names): readonly FormRow[] {
  const faults = (values: Values) =>
    hoursFaults({
      from: String(values[names.from]),
      to: String(values[names.to]),
      days: names.days ? (values[names.days] as Hours['days']) : [],
    })
  const end = (which: 'from' | 'to'): FieldRow => ({
    ...{ name: names[which], label: labels[which], kind: 'time' },
    error: (_, values) => faults(values)[which],
  })
  const days: FieldRow = {
    ...{ name: names.days ?? '', label: labels.days ?? '', kind: 'checks' },
    choices: DAYS.map((day) => [day, dayName(day)]),
  }
  return [[end('from'), end('to')], ...(names.days ? [days] : [])]
}

/** Some of the user's lines; nothing to choose with one line. */
export const linesRow = (label: string): FieldRow => ({
  ...{ name: 'lines', label, kind: 'checks' },
  input: (row, value, onValue) => <Lines {...{ row, value, onValue }} />,
})

function Lines(props: { row: FieldRow; value: Value; onValue: (value: Value) => void }) {
  const lines = useLines()
  if (lines.length < 2) return null
  return (
    <CheckList
      class="checks one-column"
      legend={props.row.label}
      name="line"
      choices={lines.map((line) => [line.id, lineWords(line)] as const)}
      chosen={props.value as readonly string[]}
      onChosen={props.onValue}
    />
  )
}
