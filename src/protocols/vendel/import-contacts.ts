import { type StoredRow, textOf } from '../../engine/import/open-pocketbase.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { phoneOf } from './import-rows.ts'

/**
 * Joins Vendel's contacts of a user whose numbers are one number here. Returns a function that changes the
 * first of them, and returns undefined for the others.
 */
export function joinContacts(rows: Iterable<StoredRow>): (row: StoredRow) => StoredRow | undefined {
  const firsts = new Map<string, string>()
  const others = new Map<string, StoredRow[]>()
  const joined = new Set<string>()
  for (const row of rows) {
    const id = textOf(row.id)
    const key = `${textOf(row.user)} ${textOf(phoneOf(row.phone_number))}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, id)
    else {
      joined.add(id)
      others.set(first, [...(others.get(first) ?? []), row])
    }
  }
  return (row) => {
    const id = textOf(row.id)
    if (joined.has(id)) return undefined
    return (others.get(id) ?? []).reduce(join, row)
  }
}

const join = (row: StoredRow, other: StoredRow): StoredRow => ({
  ...row,
  name: textOf(row.name) || textOf(other.name),
  groups: JSON.stringify([...new Set([...idsIn(row.groups), ...idsIn(other.groups)])]),
  notes: [...new Set([textOf(row.notes), textOf(other.notes)])].filter(Boolean).join('\n'),
})

function idsIn(stored: StoredRow[string]): unknown[] {
  const ids = parseJson(textOf(stored))
  return Array.isArray(ids) ? ids : [textOf(stored)].filter(Boolean)
}
