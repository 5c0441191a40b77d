import { lookUp } from './catalogue.ts'
import { language, locale } from './language.ts'

/** Values of placeholders. Numbers are formatted for the locale: 1,000 or 1.000. */
type Values = Readonly<Record<string, string | number>>

const number = new Intl.NumberFormat(locale)
const plural = new Intl.PluralRules(language)
/** Matches `{name}`, but not `{{name}}` as in templates of messages. */
const PLACEHOLDER = /(?<!\{)\{(\w+)\}(?!\})/

/** Matches the place at the end of a key: `From#day` is the word `From` before a day. */
const PLACE = /#[a-z]+$/

/** The English text of a key, without the place. */
export const cutPlace = (key: string): string => key.replace(PLACE, '')

export const formatNumber = (value: number): string => number.format(value)

/**
 * An English text in the user's language, with its placeholders filled: `t('To {name}', { name })`. A text
 * that has other words at another place has the place at its end: `t('From#day')`.
 */
export const t = (english: string, values: Values = {}): string =>
  fillText(lookUp(english) ?? cutPlace(english), values).join('')

/**
 * `t` with a count: `tn('One text', '{count} texts', count)`. A catalogue has all forms of its language under
 * the second text.
 */
export function tn(one: string, other: string, count: number, values: Values = {}): string {
  const form = plural.select(count)
  const text = lookUp(other, form) ?? (form === 'one' ? one : cutPlace(other))
  return fillText(text, { count, ...values }).join('')
}

/** `t` with elements in the sentence: `tx('Read {help} first.', { help: <a …>{t('the help')}</a> })`. */
export const tx = <Part>(
  english: string,
  values: Readonly<Record<string, Part>>,
): (string | Part)[] => fillText(lookUp(english) ?? cutPlace(english), values)

function fillText<Value>(
  text: string,
  values: Readonly<Record<string, Value>>,
): (string | Value)[] {
  return text.split(PLACEHOLDER).map((part, at) => (at % 2 === 0 ? part : fillPart(part, values)))
}

function fillPart<Value>(name: string, values: Readonly<Record<string, Value>>): string | Value {
  const value = values[name]
  if (value === undefined) return `{${name}}`
  return typeof value === 'number' ? formatNumber(value) : value
}
