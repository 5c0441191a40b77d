import type { Store } from '../../engine/collections/catalog.ts'
import type { Field } from '../../engine/fields/field.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import { dropFormat } from '../../portable/field-formats.ts'
import { foldName } from '../../portable/fold-text.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { parseTextTemplate } from '../../portable/text-template.ts'
import { BY_PERSONS, readNumbers } from '../base/read-numbers.ts'
import { makeServerKey } from '../messages/send/idempotency.ts'
import { findRefused } from '../messages/send/refused-recipients.ts'
import type { Text } from '../messages/send/write-text-bodies.ts'
import type { Campaign, CampaignServices, CampaignText } from './campaign.ts'
import type { DatedRecord } from './find-reminder-records.ts'
import { writeRowTexts } from './list-texts.ts'
import type { Reminder } from './reminder-body.ts'
import { listShownFields, openReminderSource, type ReminderSource } from './reminder-source.ts'
import {
  type Calendar,
  findOccurrence,
  findTimeFault,
  type Occurrence,
  openCalendar,
  REMINDER_REASONS,
  writeLocalDate,
} from './reminder-times.ts'

/** A reminder with all that its texts are made from. */
export interface OpenReminder {
  readonly rule: Reminder
  readonly source: ReminderSource
  readonly calendar: Calendar
  readonly text: CampaignText
  /** The fields that the text names. */
  readonly fields: readonly Field[]
  readonly requiresConsent: boolean
}

/** Opens a reminder for its account. Throws 400 if its collection, a field or the list rule is gone. */
export async function openReminder(
  store: Store,
  user: string,
  rule: Reminder,
  text: CampaignText & Pick<Campaign, 'requiresConsent'>,
): Promise<OpenReminder> {
  const source = await openReminderSource(store, user, rule)
  const calendar = openCalendar(await callFunction(store.db, 'sms_time_zone', user))
  const named = new Set(
    parseTextTemplate(text.body).flatMap((part) =>
      typeof part === 'string' ? [] : [part.name, dropFormat(part.name)].map(foldName),
    ),
  )
  const shown = source.isOfContacts ? [] : listShownFields(source.collection)
  const fields = shown.filter(({ name }) => named.has(foldName(name)))
  return { rule, source, calendar, text, fields, requiresConsent: text.requiresConsent }
}

/** A text that is due before a record's date. */
export interface DueRecord extends Occurrence {
  readonly record: DatedRecord
}

/** Lists the texts that are due before the dates of records, without values that are no dates. */
export const listDueRecords = (
  { rule, calendar }: OpenReminder,
  records: readonly DatedRecord[],
  since: number,
): DueRecord[] =>
  records.flatMap((record) => {
    const found = findOccurrence(rule, calendar, record.date, since)
    return found ? [{ ...found, record }] : []
  })

/** The name of an occurrence in `campaign_recipients`. */
export const writeOccurrence = ({ record, key }: DueRecord): string => `${record.id} ${key}`

/**
 * The idempotency key of an occurrence's text. It outlives the row, which goes with the text or with the data
 * of its person, as long as the text could leave.
 */
export const makeReminderKey = (campaign: string, occurrence: string): string =>
  makeServerKey(`reminder:${campaign} ${occurrence}`)

/** A text before a date, or why there is none. */
export interface PlannedReminder extends DueRecord {
  /** The number in E.164; as it is written if it is none. */
  readonly to: string
  readonly values: Readonly<Record<string, unknown>>
  readonly text: Text | undefined
  readonly reason: string
}

/** Writes the texts that leave at `now`. Of those due up to `unknownUntil` nobody knows whether they left. */
export async function planReminders(
  { store, config }: CampaignServices,
  open: OpenReminder,
  due: readonly DueRecord[],
  now: number,
  unknownUntil = 0,
): Promise<PlannedReminder[]> {
  const { source, text, requiresConsent } = open
  const { user } = source
  const numbers = await readReminderNumbers(store, user, due)
  const scope = { template: text.template, groups: [], isRequired: requiresConsent }
  const phones = new Set(numbers.flatMap((phone) => phone ?? []))
  const refused = await findRefused(store, user, [...phones], scope)
  const rows = due.map((one, i) => {
    const phone = numbers[i]
    const reason =
      findTimeFault(one, now, unknownUntil) ||
      (phone === undefined ? REMINDER_REASONS.noNumber : (refused.get(phone) ?? ''))
    return { ...one, to: phone ?? one.record.phone, values: readValues(open, one), reason }
  })
  const leaving = rows.filter(({ reason }) => reason === '')
  const written = (await writeRowTexts(store, config, user, text, leaving)).values()
  return rows.map((row) => {
    const found = row.reason === '' ? written.next().value! : { reason: row.reason }
    return { ...row, text: found.text, reason: found.text ? '' : found.reason }
  })
}

/** The numbers of records in E.164; undefined for one that is none. */
export async function readReminderNumbers(
  store: Store,
  user: string,
  due: readonly DueRecord[],
): Promise<(string | undefined)[]> {
  const given = due.map(({ record }) => record.phone)
  const read = await readNumbers(store, user, given, BY_PERSONS)
  return read.map((phone) => (phone !== undefined && E164.test(phone) ? phone : undefined))
}

function readValues({ fields, source, rule, calendar }: OpenReminder, { record }: DueRecord) {
  const values = fields.map(({ name, type }, i) => {
    const value = record.values[i] ?? ''
    const isDate = (type === 'date' || type === 'autodate') && value !== ''
    const hasTime = name === source.date ? rule.has_time : true
    if (isDate) return [name, writeLocalDate(calendar, String(value), hasTime)]
    if (typeof value === 'number') return [name, value]
    return [name, Array.isArray(value) ? value.join(', ') : String(value)]
  })
  return Object.fromEntries(values) as Record<string, unknown>
}
