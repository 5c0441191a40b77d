import type { Collection } from '../../collections/collection.ts'
import type { Field, Value } from '../../fields/field.ts'
import { generateText } from '../../fields/types/autogenerate.ts'
import { type ChoiceField, choiceTexts, choiceValue, chosenTexts } from '../../fields/types/choice.ts'
import { fieldType } from '../../fields/types/field-types.ts'
import { toNumber, toText, toTexts } from '../../fields/values/cast.ts'
import { memoize } from '../../tools/memoize.ts'

/** The effect of a body's key on a field. */
export interface Setter {
  readonly field: Field
  /** The result depends on the present value. */
  readonly needsOld: boolean
  set(old: Value, raw: unknown): Value
}

type Change = Omit<Setter, 'field'>

const choices = (field: ChoiceField): Record<string, Change> => ({
  [`${field.name}+`]: {
    needsOld: true,
    set: (old, raw) => choiceValue(field, toTexts([...chosenTexts(old), ...choiceTexts(field, raw)])),
  },
  [`+${field.name}`]: {
    needsOld: true,
    set: (old, raw) => choiceValue(field, toTexts([...choiceTexts(field, raw), ...chosenTexts(old)])),
  },
  [`${field.name}-`]: {
    needsOld: true,
    set(old, raw) {
      const removed = choiceTexts(field, raw)
      const kept = chosenTexts(old).filter((text) => !removed.includes(text))
      return choiceValue(field, kept)
    },
  },
})

/** Modifier keys of a field. PocketBase: FindSetter of each field type; contract 4.3 */
function modifiers(field: Field): Record<string, Change> {
  if (field.type === 'select' || field.type === 'relation' || field.type === 'file') return choices(field)
  if (field.type === 'number') {
    return {
      [`${field.name}+`]: { needsOld: true, set: (old, raw) => (old as number) + toNumber(raw) },
      [`${field.name}-`]: { needsOld: true, set: (old, raw) => (old as number) - toNumber(raw) },
    }
  }
  if (field.type !== 'text') return {}
  const { autogeneratePattern: pattern } = field
  const set = (_: Value, raw: unknown) => toText(raw) + (pattern ? generateText(pattern) : '')
  return { [`${field.name}:autogenerate`]: { needsOld: false, set } }
}

/** An autodate cannot be set. */
function plain(field: Field): Change {
  if (field.type === 'autodate') return { needsOld: true, set: (old) => old }
  const type = fieldType(field)
  return { needsOld: false, set: (_, raw) => type.fromInput(field, raw) }
}

/** The effect of a body's key on a record; undefined for an unknown key. */
export const setterOf = (collection: Collection, key: string): Setter | undefined =>
  settersOf(collection).get(key)

const settersOf = memoize((collection: Collection): ReadonlyMap<string, Setter> => {
  const setters = new Map<string, Setter>()
  for (const field of collection.fields) {
    const changes = { [field.name]: plain(field), ...modifiers(field) }
    for (const [key, change] of Object.entries(changes)) setters.set(key, { field, ...change })
  }
  return setters
})
