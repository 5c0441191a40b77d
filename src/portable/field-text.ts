import { type AccountLocale, makeLocaleTag } from './account-locale.ts'
import type { ContactFieldKind, ContactFieldType } from './contact-field-value.ts'
import { type FieldFormat, splitFormat } from './field-formats.ts'
import { readDay } from './read-day.ts'
import { makeValueFinder } from './text-template.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
/** A day with a time, by the clocks of the account. */
const MOMENT = /^(\d{4}-\d\d-\d\d) ((?:[01]\d|2[0-3]):[0-5]\d)$/
const IN_WORDS = { day: 'numeric', month: 'long', year: 'numeric' } as const
const IN_FIGURES = { day: 'numeric', month: 'numeric', year: 'numeric' } as const

/**
 * Writes a stored value for a text: a day and a number as the account's language and country do. The month is
 * in words in English, and where figures would be another day in the country. Numbers have no separators of
 * thousands: they may be those of customers. Other values stay, also those that are older than their type. A
 * day may have a time; the time of a day without one is empty.
 */
export function writeFieldValue(
  type: ContactFieldType,
  value: unknown,
  format: FieldFormat | undefined,
  locale: AccountLocale,
): string {
  const [, day, time] = (type === 'date' && MOMENT.exec(String(value))) || []
  if (day && time && format !== 'plain') return writeMoment(day, time, format, locale)
  const isDay = type === 'date' && typeof value === 'string' && DAY.test(value)
  const isNumber = type === 'number' && typeof value === 'number'
  if (format === 'plain' || !(isDay || isNumber)) return String(value)
  if (isDay && format === 'time') return ''
  const tag = makeLocaleTag(locale)
  if (isNumber) return formatFigures(tag, value)
  const date = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return String(value)
  const write = (parts: Intl.DateTimeFormatOptions) =>
    plainBlanks(new Intl.DateTimeFormat(tag, { ...parts, timeZone: 'UTC' }).format(date))
  if (format === 'weekday') return write({ ...IN_WORDS, weekday: 'long' })
  const figures = write(IN_FIGURES)
  const isPlain = !format || format === 'day'
  const isClear = isPlain && !tag.startsWith('en') && readDay(figures, locale) === value
  return isClear ? figures : write(IN_WORDS)
}

/** Writes a day and its time; in words, or as `day`, only the day. */
function writeMoment(
  day: string,
  time: string,
  format: FieldFormat | undefined,
  locale: AccountLocale,
): string {
  const at = new Date(`${day}T${time}Z`)
  if (Number.isNaN(at.getTime())) return `${day} ${time}`
  const look = format === 'day' || format === 'time' ? undefined : format
  const written = writeFieldValue('date', day, look, locale)
  if (format !== undefined && format !== 'time') return written
  const clock = new Intl.DateTimeFormat(makeLocaleTag(locale), {
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(at)
  return format === 'time' ? plainBlanks(clock) : `${written} ${plainBlanks(clock)}`
}

const formatFigures = (tag: string, value: number): string =>
  new Intl.NumberFormat(tag, { useGrouping: false, maximumFractionDigits: 20 }).format(value)

/** Other blanks would make a text Unicode, of 70 characters. */
const plainBlanks = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ')

interface NamedField extends Pick<ContactFieldKind, 'type'> {
  readonly name: string
  /** The member of `data`. */
  readonly key: string
  readonly former?: readonly string[] | null
}

/**
 * Returns a function that finds the text of a contact's value by a name in a template: a member of `data`, or
 * any name of a field. A name with a colon goes before a format.
 */
export function makeFieldTextFinder(
  data: unknown,
  fields: readonly NamedField[],
  locale: AccountLocale,
): (name: string) => string | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return () => undefined
  const types = new Map(fields.map(({ key, type }) => [key, type]))
  const members = new Map(
    Object.entries(data)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
      .map(([key, value]) => [key, { value, type: types.get(key) ?? ('text' as const) }]),
  )
  const renamed = fields.flatMap(({ name, key, former }) => {
    const member = members.get(key)
    return member ? [name, key, ...(former ?? [])].map((one) => [one, member] as const) : []
  })
  const find = makeValueFinder([...members, ...renamed])
  return (name) => {
    const exact = find(name)
    const split = exact ? undefined : splitFormat(name)
    const found = exact ?? (split && find(split.name))
    return found && writeFieldValue(found.type, found.value, split?.format, locale)
  }
}
