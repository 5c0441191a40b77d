import { lookUp } from './catalogue.ts'
import { locale } from './language.ts'

/** Values of placeholders. Numbers are formatted for the locale: 1,000 or 1.000. */
type Values = Readonly<Record<string, string | number>>

const number = new Intl.NumberFormat(locale)
const plural = new Intl.PluralRules(locale)
/** Matches `{name}`, but not `{{name}}` as in templates of messages. */
const PLACEHOLDER = /(?<!\{)\{(\w+)\}(?!\})/

export const formatNumber = (value: number): string => number.format(value)

/** An English text in the user's language, with its placeholders filled: `t('To {name}', { name })`. */
export function t(english: string, values: Values = {}): string {
  return splitSentence(english, values).join('')
}

/** `t` with singular and plural: `tn('One text', '{count} texts', count)`. */
export function tn(one: string, many: string, count: number, values: Values = {}): string {
  return t(plural.select(count) === 'one' ? one : many, { count, ...values })
}

/** `t` with elements in the sentence: `tx('Read {help} first.', { help: <a …>{t('the help')}</a> })`. */
export const tx = <Part>(
  english: string,
  values: Readonly<Record<string, Part>>,
): (string | Part)[] => splitSentence(english, values)

function splitSentence<Value>(
  english: string,
  values: Readonly<Record<string, Value>>,
): (string | Value)[] {
  return lookUp(english)
    .split(PLACEHOLDER)
    .map((part, at) => (at % 2 === 0 ? part : fillPart(part, values)))
}

function fillPart<Value>(name: string, values: Readonly<Record<string, Value>>): string | Value {
  const value = values[name]
  if (value === undefined) return `{${name}}`
  return typeof value === 'number' ? formatNumber(value) : value
}
