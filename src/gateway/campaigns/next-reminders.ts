import { sql } from 'kysely'
import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { formatDate, toDate } from '../../engine/fields/parse-date.ts'
import { FilterError } from '../../engine/filter/parse-filter.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { type CampaignServices, findCampaign } from './campaign.ts'
import { type DatedRecord, findReminderRecords } from './find-reminder-records.ts'
import {
  type DueRecord,
  listDueRecords,
  type OpenReminder,
  openReminder,
  type PlannedReminder,
  planReminders,
  writeOccurrence,
} from './plan-reminders.ts'
import { findDateWindow } from './reminder-times.ts'

const SHOWN = 20
const PAGE = 100
/** Maximum pages of dates. The later dates of a day with very many past ones may not be found. */
const MOST_PAGES = 20

export const NEXT_REMINDER = z
  .object({
    record: z.string().describe('The id of the record.'),
    to: z.string().describe('The number; as it is written if it is none.'),
    name: z.string().describe('The name of the contact with the number; empty without one.'),
    date: z.string().describe('The date of the record, as it is stored.'),
    leaves_at: INSTANT_OR_EMPTY.describe(
      'When the text leaves. A time that has passed: it leaves as soon as the reminder begins. Empty if the date has no time, and needs one.',
    ),
    body: z.string().describe('The text; empty without one.'),
    segments: z.int().min(0),
    reason: z.string().describe('Why no text would leave; else empty.'),
  })
  .meta({ id: 'NextReminder' })
type NextReminder = Readonly<z.output<typeof NEXT_REMINDER>>

export const NEXT_REMINDERS = z
  .object({ reminders: z.array(NEXT_REMINDER).max(SHOWN).describe('The soonest first.') })
  .meta({ id: 'NextReminders' })

/** The next texts of a reminder that begins at `begins`; `campaign`: without those that it has stored. */
export async function loadNextReminders(
  services: CampaignServices,
  open: OpenReminder,
  begins: string,
  campaign?: string,
): Promise<NextReminder[]> {
  const now = Math.max(Date.now(), toDate(begins)!.getTime())
  const due = await findNextRecords(services, open, now, campaign)
  const planned = await planReminders(services, open, due, now)
  const names = await loadNames(services, open, planned)
  return planned.map(({ record, to, due: at, text, reason }) => ({
    record: record.id,
    to,
    name: names.get(to) ?? '',
    date: record.date,
    leaves_at: at === undefined ? '' : formatDate(new Date(at)),
    body: text?.body ?? '',
    segments: text?.segments ?? 0,
    reason,
  }))
}

async function findNextRecords(
  { store }: CampaignServices,
  open: OpenReminder,
  now: number,
  campaign: string | undefined,
): Promise<DueRecord[]> {
  const { rule, calendar, source, fields } = open
  const within = findDateWindow(rule, calendar, now)
  const find = { within, fields, limit: PAGE, withoutRowOf: campaign }
  const order = rule.yearly ? ({ order: 'soonest' } as const) : {}
  const found: DueRecord[] = []
  let after: DatedRecord | undefined
  for (let pages = 0; pages < MOST_PAGES && found.length < SHOWN; pages++) {
    const records = await findReminderRecords(store, source, { ...find, ...order, after })
    const due = listDueRecords(open, records, now).filter(({ ends }) => ends > now)
    found.push(...(await leaveOutStored(store.db, due, campaign)))
    if (records.length < PAGE || rule.yearly) break
    after = records.at(-1)
  }
  return found.toSorted((a, b) => (a.due ?? a.ends) - (b.due ?? b.ends)).slice(0, SHOWN)
}

async function leaveOutStored(db: Db, due: readonly DueRecord[], campaign: string | undefined) {
  if (!campaign) return due
  const rows = await queries(db)
    .selectFrom('campaign_recipients')
    .select('occurrence')
    .where('campaign', '=', campaign)
    .where('occurrence', '=', matchAny(due.map(writeOccurrence)))
    .where('occurrence', '<>', sql.lit(''))
    .execute()
  const stored = new Set(rows.map(({ occurrence }) => occurrence))
  return due.filter((one) => !stored.has(writeOccurrence(one)))
}

async function loadNames(
  { store }: CampaignServices,
  { source }: OpenReminder,
  planned: readonly PlannedReminder[],
): Promise<ReadonlyMap<string, string>> {
  const found = await queries(store.db)
    .selectFrom('contacts')
    .select(['phone', 'name'])
    .where('user', '=', source.user)
    .where('phone', '=', matchAny(planned.map(({ to }) => to)))
    .execute()
  return new Map(found.map(({ phone, name }) => [phone, name]))
}

/** The next texts of a stored reminder. Throws 404 `campaign_not_found`, 400 if its collection is gone. */
export async function loadStoredReminders(services: CampaignServices, user: string, id: string) {
  const { store } = services
  const campaign = await findCampaign(store.db, user, id)
  if (!campaign.reminder) throw invalidRequest('this campaign is no reminder')
  const open = await openReminder(store, user, campaign.reminder, campaign)
  return {
    reminders: await explainFilter(loadNextReminders(services, open, campaign.scheduledAt, id)),
  }
}

/** Answers 400 for a filter that is not valid. */
export const explainFilter = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (error instanceof FilterError) throw invalidRequest(`reminder.filter: ${error.message}`)
    throw error
  })
