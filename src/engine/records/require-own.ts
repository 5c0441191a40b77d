import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import type { Store } from '../collections/catalog.ts'
import type { Value } from '../fields/field.ts'

/** Fields with ids of devices, lines (SIMs) or labels: the table, and what error messages call them. */
const FIELDS = {
  device: ['devices', 'a device'],
  line: ['lines', 'a line'],
  lines: ['lines', 'lines'],
  label: ['labels', 'a label'],
  labels: ['labels', 'labels'],
} as const

type Values = Readonly<Record<string, Value>>

/** Throws 400 for records of another user. Skips ids in `old`: they may be deleted by now. */
export async function requireOwnRecord(
  { db }: Store,
  field: keyof typeof FIELDS,
  values: Values,
  old: Values = {},
): Promise<void> {
  const [table, what] = FIELDS[field]
  const [named, stored] = [values, old].map((of) => [of[field] ?? ''].flat().map(String))
  const ids = new Set(named!.filter((id) => id !== '' && !stored!.includes(id)))
  if (ids.size === 0) return
  const own = await queries(db)
    .selectFrom(table)
    .where('id', '=', matchAny([...ids]))
    .where('user', '=', String(values.user))
    .execute()
  if (own.length === ids.size) return
  throw invalidFields({
    [field]: makeFieldError(`validation_invalid_${field}`, `Must be ${what} of the user.`),
  })
}
