import type { RenderedRecord } from '../../records/render/render.ts'
import { AnswerMeter } from '../../request/answer-meter.ts'

/** Records in an event (a repeated one counts again), and characters of their texts. */
const MAX_RECORDS = 1_000
const MAX_CHARACTERS = 1 << 20

/** Refuses an expand that reads more than an event may contain. */
export const eventMeter = () => new AnswerMeter(undefined, 0, MAX_CHARACTERS, MAX_RECORDS)

/** Whether the expanded records are within the limits of an event. Stops counting at the limits. */
export function isSmall(rendered: RenderedRecord): boolean {
  const left = { records: MAX_RECORDS, characters: MAX_CHARACTERS }
  return takesRoom(rendered, left)
}

function takesRoom({ expand }: RenderedRecord, left: { records: number; characters: number }): boolean {
  for (const value of expand?.values() ?? []) {
    for (const record of 'row' in value ? [value] : value) {
      left.records--
      left.characters -= charactersOf(record.row)
      if (left.records < 0 || left.characters < 0 || !takesRoom(record, left)) return false
    }
  }
  return true
}

/** Characters of the texts in a row. Other values count as 8. */
export const charactersOf = (row: readonly unknown[]): number =>
  row.reduce<number>((sum, value) => sum + sizeOf(value), 0)

const sizeOf = (value: unknown): number =>
  typeof value === 'string' ? value.length : Array.isArray(value) ? charactersOf(value) : 8
