import type { CollectionModel } from 'pocketbase'
import { type Collections, findField, followRelations } from '../../data/schema.ts'
import type { Completions } from '../../parts/form/use-completion.tsx'

const MOST = 20
const PATH = /[\w.@]*$/
/** A field that is compared with a text whose end is still typed: `status = "fai`. */
const VALUE = /([\w.]+)\s*\??!?[=~]\s*"(\w*)$/
const MACROS = [
  '@now',
  '@todayStart',
  '@todayEnd',
  '@monthStart',
  '@monthEnd',
  '@yearStart',
  '@yearEnd',
]

type Row = readonly [name: string, note: string]

/** Completes the path at the end of a text: with fields, and relations back (`COLLECTION_via_FIELD`). */
export function completePath(
  all: Collections,
  from: CollectionModel,
  before: string,
  isExpand = false,
): Completions {
  const steps = PATH.exec(before)![0].split('.')
  const typed = steps.pop()!
  const at = followRelations(all, from, steps)
  if (!at || (typed === '' && steps.length === 0)) return { at: 0, found: [] }
  const target = (id: string) => all.find((one) => one.id === id)?.name ?? ''
  const fields = at.fields
    .filter(({ type }) => !isExpand || type === 'relation')
    .map(
      ({ name, type, collectionId }): Row => [
        name,
        collectionId ? `→ ${target(collectionId)}` : type,
      ],
    )
  const back = all.flatMap(({ name, fields }) =>
    fields
      .filter(({ collectionId }) => collectionId === at.id)
      .map((field): Row => [`${name}_via_${field.name}`, `→ ${name}`]),
  )
  const macros = isExpand || steps.length > 0 ? [] : MACROS.map((name): Row => [name, ''])
  return chooseCompletions([...fields, ...back, ...macros], typed, before)
}

/** Completes a filter: the path at its end, or a value of a select field. */
export function completeFilter(
  all: Collections,
  from: CollectionModel,
  before: string,
): Completions {
  const isInText = (before.match(/"/g) ?? []).length % 2 === 1
  if (!isInText) return completePath(all, from, before)
  const [, path = '', typed = ''] = VALUE.exec(before) ?? []
  const steps = path.split('.')
  const name = steps.pop()!
  const values: readonly string[] = findField(followRelations(all, from, steps), name)?.values ?? []
  return chooseCompletions(
    values.map((value): Row => [value, '']),
    typed,
    before,
    '"',
  )
}

/** The rows that contain what is typed, those that begin with it first. */
function chooseCompletions(
  rows: readonly Row[],
  typed: string,
  before: string,
  end = '',
): Completions {
  const wanted = typed.toLowerCase()
  const placed = rows.map((row) => [row, row[0].toLowerCase().indexOf(wanted)] as const)
  const found = placed
    .filter(([[name], place]) => place >= 0 && name !== typed)
    .sort(([, a], [, b]) => a - b)
    .slice(0, MOST)
    .map(([[name, note]]) => ({ id: name, title: name, note, text: name + end }))
  return { at: before.length - typed.length, found }
}
