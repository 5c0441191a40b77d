import { makeTemplateError } from '../../base/gateway-errors.ts'

/** A person's values for a text. Variables of a request override only custom fields. */
export interface PersonValues {
  readonly name: string
  readonly phone: string
  /** The address of the page by which the person ends the texts. */
  readonly stopLink?: string | undefined
  /** The contact's custom fields (`contacts.data`), by their names in the template. */
  readonly fields?: ReadonlyMap<string, string>
}

/** `{{name}}` or `{{name|fallback}}`; the fallback replaces an empty or missing value. Case is ignored. */
interface Placeholder {
  readonly name: string
  readonly fallback: string | undefined
  /** The value of the request; only kept if it is empty. */
  readonly given?: string
}

/** Makes the text for a variable without a default whose value is absent (undefined) or empty. */
export type Missing = (name: string, empty: string | undefined) => string

type Template = readonly (string | Placeholder)[]

/** Matches `{{variable}}`: no braces inside, and a name before the first `|`. */
const PLACEHOLDER = /\{\{(\s*[^{}\s|][^{}]*)\}\}/

/** Parses a template once for all recipients: rendering is then a join. Never fails. */
export function parseTextTemplate(body: string): Template {
  return body.split(PLACEHOLDER).map((part, i) => (i % 2 === 1 ? parsePlaceholder(part) : part))
}

function parsePlaceholder(text: string): Placeholder {
  const at = text.indexOf('|')
  if (at < 0) return { name: text.trim(), fallback: undefined }
  return { name: text.slice(0, at).trim(), fallback: text.slice(at + 1).trim() }
}

/** Fills in the request's variables, not those of each person. Braces in values are not read as variables. */
export function fillVariables(
  template: Template,
  variables: Readonly<Record<string, string>>,
): Template {
  const find = makeValueFinder(Object.entries(variables))
  return template.map((part) => {
    if (typeof part === 'string' || findPersonField(part.name)) return part
    const given = find(part.name)
    if (given === undefined) return part
    return given.trim() === '' ? (part.fallback ?? { ...part, given }) : given
  })
}

/** Returns a function that finds a value by its exact name, else ignoring upper and lower case. */
export function makeValueFinder(given: readonly (readonly [name: string, value: string])[]) {
  const exact = new Map(given)
  const lower = new Map(given.map(([name, value]) => [name.toLowerCase(), value]))
  return (name: string): string | undefined => exact.get(name) ?? lower.get(name.toLowerCase())
}

/** The variables that requests cannot set, in lower case. */
const PERSON_FIELDS: Readonly<Record<string, 'name' | 'phone' | 'stopLink'>> = {
  name: 'name',
  phone: 'phone',
  stop_link: 'stopLink',
}

function findPersonField(name: string) {
  const lower = name.toLowerCase()
  return Object.hasOwn(PERSON_FIELDS, lower) ? PERSON_FIELDS[lower] : undefined
}

export const hasStopLink = (template: Template): boolean =>
  template.some((part) => typeof part !== 'string' && findPersonField(part.name) === 'stopLink')

/** The names of placeholders that only contacts' custom fields can fill, each once. */
export const listFieldNames = (filled: Template): string[] => {
  const names = filled.flatMap((part) =>
    typeof part === 'string' || part.given !== undefined ? [] : [part.name],
  )
  return [...new Set(names)].filter((name) => !findPersonField(name))
}

/** Throws 400 for a variable without a value. An empty value is a value. */
export const refuseMissingVariable: Missing = (name, empty) => {
  if (empty === undefined) throw makeTemplateError(`Missing variable: ${name}.`)
  return empty
}

/** Throws 400 for a variable without a value, or with an empty one. */
export const refuseEmptyVariable: Missing = (name) => refuseMissingVariable(name, undefined)

export function renderForPerson(
  filled: Template,
  person: PersonValues,
  missing = refuseMissingVariable,
): string {
  let text = ''
  for (const part of filled) {
    if (typeof part === 'string') text += part
    else {
      const value = findPlaceholderValue(part, person)
      text += value?.trim() ? value : (part.fallback ?? missing(part.name, value))
    }
  }
  return text
}

function findPlaceholderValue(
  { name, given }: Placeholder,
  person: PersonValues,
): string | undefined {
  const field = findPersonField(name)
  return field ? person[field] : (given ?? person.fields?.get(name))
}
