import { templateRefusal } from './refusal.ts'

/** What a contact gives to a text. Variables of a request cannot override it. */
export interface Person {
  readonly name: string
  readonly phone: string
}

/** A template cut at its placeholders: text, variable, text, variable, … text. */
export type Template = readonly string[]

/** `{{variable}}`: anything but braces between them, not only spaces. */
const PLACEHOLDER = /\{\{(\s*[^{}\s][^{}]*)\}\}/

/**
 * Cuts a template once, so that each recipient's text is a join. Never fails: what is no placeholder is text.
 */
export function parseTemplate(body: string): Template {
  return body.split(PLACEHOLDER).map((part, i) => (i % 2 === 1 ? part.trim() : part))
}

const isVariable = (_: string, i: number) => i % 2 === 1

/**
 * Puts the request's variables in: what is left to fill is of the person. Throws `Missing variable: <name>.`
 * for the first that has no value. Values are text, whatever braces are in them.
 */
export function fillVariables(template: Template, variables: Readonly<Record<string, string>>): Filled {
  const missing = template
    .filter(isVariable)
    .find((name) => !isOfPerson(name) && !Object.hasOwn(variables, name))
  if (missing !== undefined) throw templateRefusal(`Missing variable: ${missing}.`)
  return template.map((part, i) => {
    if (i % 2 === 0) return part
    return isOfPerson(part) ? { of: part } : variables[part]!
  })
}

/** A template with its variables in; only the person's own values are open. */
export type Filled = readonly (string | { readonly of: keyof Person })[]

const isOfPerson = (name: string): name is keyof Person => name === 'name' || name === 'phone'

/** The text for one recipient. */
export function renderFor(filled: Filled, person: Person): string {
  let text = ''
  for (const part of filled) text += typeof part === 'string' ? part : person[part.of]
  return text
}
