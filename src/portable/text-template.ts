// Values replace the variables of a text, in servers and browsers alike.

import { dropFormat } from './field-formats.ts'
import { foldName, isInvisible } from './fold-text.ts'

/**
 * A person's own values for a text. A given value replaces a custom field, and a name only where the person
 * has none.
 */
export interface PersonValues {
  readonly name: string
  readonly phone: string
  /** The address of the page by which the person ends the texts. */
  readonly stopLink?: string | undefined
  /** The contact's custom fields (`contacts.data`), by their names in the template. */
  readonly fields?: ReadonlyMap<string, string>
}

/** `{{name}}` or `{{name|fallback}}`; the fallback replaces an empty or missing value. See `foldName`. */
interface Placeholder {
  readonly name: string
  readonly fallback: string | undefined
  /** The given value: of a name, which the person's own replaces, or an empty one. */
  readonly given?: string
}

/** Makes the text for a variable without a default whose value is absent (undefined) or empty. */
export type Missing = (name: string, empty: string | undefined) => string

export type TextTemplate = readonly (string | Placeholder)[]

/** Matches `{{variable}}`: no braces inside, and a name before the first `|`. */
export const PLACEHOLDER = /\{\{(\s*[^{}\s|][^{}]*)\}\}/

/** Parses a template once for all recipients: rendering is then a join. Never fails. */
export function parseTextTemplate(body: string): TextTemplate {
  return body.split(PLACEHOLDER).map((part, i) => (i % 2 === 1 ? parsePlaceholder(part) : part))
}

function parsePlaceholder(text: string): Placeholder {
  const at = text.indexOf('|')
  if (at < 0) return { name: text.trim(), fallback: undefined }
  return { name: text.slice(0, at).trim(), fallback: text.slice(at + 1).trim() }
}

/**
 * Fills in the given variables, of a request or a row of a list, not those of each person. Braces in values
 * are not read as variables.
 */
export function fillVariables(
  template: TextTemplate,
  variables: Readonly<Record<string, string>>,
): TextTemplate {
  const find = makeValueFinder(Object.entries(variables))
  return template.map((part) => {
    if (typeof part === 'string') return part
    const field = findPersonField(part.name)
    const given =
      field && field !== 'name' ? undefined : (find(part.name) ?? find(dropFormat(part.name)))
    if (given === undefined) return part
    if (field) return { ...part, given }
    return isInvisible(given) ? (part.fallback ?? { ...part, given }) : given
  })
}

/** Returns a function that finds a value by its exact name, otherwise by one that is the same. */
export function makeValueFinder<Value>(given: readonly (readonly [name: string, value: Value])[]) {
  const exact = new Map(given)
  const same = new Map(given.map(([name, value]) => [foldName(name), value]))
  return (name: string): Value | undefined => exact.get(name) ?? same.get(foldName(name))
}

/** The variables that each person has, in lower case. Of these, only a name can be given, to fill a gap. */
const PERSON_FIELDS: Readonly<Record<string, 'name' | 'phone' | 'stopLink'>> = {
  name: 'name',
  phone: 'phone',
  stop_link: 'stopLink',
}

/** Whether each person has a variable: `name`, `phone` and `stop_link`, in any case of letters. */
export const isOfPerson = (name: string): boolean => findPersonField(name) !== undefined

function findPersonField(name: string) {
  const folded = foldName(name)
  return Object.hasOwn(PERSON_FIELDS, folded) ? PERSON_FIELDS[folded] : undefined
}

export const hasStopLink = (template: TextTemplate): boolean =>
  template.some((part) => typeof part !== 'string' && findPersonField(part.name) === 'stopLink')

/** The names of placeholders that only contacts' custom fields can fill, each once. */
export const listFieldNames = (filled: TextTemplate): string[] => {
  const names = filled.flatMap((part) =>
    typeof part === 'string' || part.given !== undefined ? [] : [part.name],
  )
  return [...new Set(names)].filter((name) => !isOfPerson(name))
}

export function renderForPerson(
  filled: TextTemplate,
  person: PersonValues,
  missing: Missing,
): string {
  let text = ''
  for (const part of filled) {
    if (typeof part === 'string') text += part
    else {
      const value = findPlaceholderValue(part, person)
      text += value && !isInvisible(value) ? value : (part.fallback ?? missing(part.name, value))
    }
  }
  return text
}

function findPlaceholderValue(
  { name, given }: Placeholder,
  person: PersonValues,
): string | undefined {
  const field = findPersonField(name)
  if (!field) return given ?? person.fields?.get(name)
  const own = person[field]
  return own && !isInvisible(own) ? own : (given ?? own)
}
