import type { Store } from '../../engine/collections/catalog.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { admission } from '../../platform/limits/shared-limits.ts'
import type { AccountLocale } from '../../portable/account-locale.ts'
import { type ContactFieldKind, readContactFieldValue } from '../../portable/contact-field-value.ts'
import { splitFormat } from '../../portable/field-formats.ts'
import { makeFieldTextFinder } from '../../portable/field-text.ts'
import { foldName } from '../../portable/fold-text.ts'
import { readMoment } from '../../portable/read-day.ts'
import {
  fillVariables,
  hasStopLink,
  isOfPerson,
  listFieldNames,
  type PersonValues,
  parseTextTemplate,
  renderForPerson,
  type TextTemplate,
} from '../../portable/text-template.ts'
import { loadFieldDefinitions, makeFieldFinder } from '../base/contact-fields.ts'
import { loadAccountLocale } from '../base/load-account-locale.ts'
import { type LinkConfig, makeStopLinks } from '../base/stop-link.ts'
import { loadContactFields, type Text, writeText } from '../messages/send/write-text-bodies.ts'
import type { CampaignText } from './campaign.ts'
import { LIST_REASONS, writeMissingReason } from './list-reasons.ts'

/** A row of a list or a reminder, whose number is in E.164. */
export interface RowValues {
  readonly to: string
  readonly values: Readonly<Record<string, unknown>>
}

/** A row's text, or why it has none. */
export type ListText =
  | { readonly text: Text }
  | { readonly text?: undefined; readonly reason: string }

class Gap extends Error {}

/**
 * Writes a text for each row, in their order. A row's value replaces a variable of the campaign and a field
 * of the contact; a contact keeps its own name. A row has no text if a variable of it has no value.
 * `hidesPeople`: for who may not read contacts, `{{name}}` stands for what a contact would give.
 */
export async function writeRowTexts(
  store: Store,
  config: LinkConfig,
  user: string,
  { body, variables }: CampaignText,
  rows: readonly RowValues[],
  hidesPeople = false,
): Promise<ListText[]> {
  const template = parseTextTemplate(body)
  const phones = [...new Set(rows.map(({ to }) => to))]
  const contacts = hidesPeople
    ? new Map<string, PersonValues>()
    : await loadContactFields(store, user, phones, listFieldNames(template))
  const find = await makeRowFinder(store, user, template)
  const linkFor = hasStopLink(template) ? await makeStopLinks(store.db, config, user) : undefined
  const write = ({ to, values }: RowValues): ListText => {
    const filledBy = { ...variables, ...find(values) }
    const filled = fillVariables(template, filledBy)
    const person = { ...(contacts.get(to) ?? { phone: to, name: '' }), stopLink: linkFor?.(to) }
    try {
      const written = renderForPerson(filled, person, (name, empty) => {
        if (hidesPeople && (empty === undefined || isOfPerson(name))) return `{{${name}}}`
        throw new Gap(name)
      })
      return { text: writeText(to, written, {}) }
    } catch (error) {
      if (error instanceof Gap) return { reason: writeMissingReason(error.message) }
      if (!(error instanceof GatewayError)) throw error
      const isLong = error.body.error === 'body_too_long'
      return { reason: isLong ? LIST_REASONS.tooLong : LIST_REASONS.noText }
    }
  }
  return admission.slices.map(rows, write)
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?$/

/**
 * Returns a function that finds the values of a row by the names in a template. Days and numbers are written
 * by the account's language if they are ISO 8601 or numbers of JSON, if their column is named as a field of
 * contacts, or if their variable has a format, as `{{Termin:weekday}}`. Other cells stay as they are.
 */
async function makeRowFinder({ db }: Store, user: string, template: TextTemplate) {
  const names = [
    ...new Set(template.flatMap((part) => (typeof part === 'string' ? [] : part.name))),
  ]
  const locale = await loadAccountLocale(db, user)
  const findField = makeFieldFinder(await loadFieldDefinitions(db, user))
  const formatted = new Set(names.flatMap((name) => splitFormat(name)?.name ?? []).map(foldName))
  const kinds = new Map<string, ContactFieldKind>()
  const kindOf = (title: string): ContactFieldKind => {
    const known = kinds.get(title)
    if (known) return known
    const isDate = formatted.has(foldName(title))
    const kind = findField(title) ?? { type: isDate ? 'date' : 'text', choices: [] }
    kinds.set(title, kind)
    return kind
  }
  return (values: RowValues['values']): Record<string, string> => {
    const read = Object.entries(values).map(([title, value]) =>
      readRowValue(title, value, kindOf(title), locale),
    )
    const data = Object.fromEntries(read.map(({ title, value }) => [title, value]))
    const fields = read.map(({ title, type }) => ({ name: title, key: title, type }))
    const findText = makeFieldTextFinder(data, fields, locale)
    const found = names.flatMap((name) => {
      const text = findText(name)
      return text === undefined ? [] : [[name, text] as const]
    })
    return Object.fromEntries(found)
  }
}

/** A value as a field of contacts stores it, where its column or its look say which type it has. */
function readRowValue(
  title: string,
  given: unknown,
  kind: ContactFieldKind,
  locale: AccountLocale,
) {
  if (typeof given === 'number') return { title, value: given, type: 'number' as const }
  const text = typeof given === 'string' ? given.trim() : given
  const mayBeDate = typeof text === 'string' && (kind.type === 'date' || ISO_DATE.test(text))
  const moment = mayBeDate && readMoment(text, locale)
  if (moment) return { title, value: moment, type: 'date' as const }
  const { value } = readContactFieldValue(kind, text, locale) as { readonly value?: unknown }
  return value === undefined
    ? { title, value: text, type: 'text' as const }
    : { title, value, type: kind.type }
}
