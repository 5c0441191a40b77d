import type { Store } from '../../engine/collections/catalog.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { countSegments } from '../../portable/segments.ts'
import type { Permit } from '../base/permissions.ts'
import { requiresConsent } from '../messages/send/consent-scope.ts'
import { makeFileAdder } from '../messages/send/preview-send.ts'
import { makeSubjectError } from '../messages/send/read-send.ts'
import { requireReach } from '../messages/send/sending-permission.ts'
import type { CampaignServices } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { findReminderRecords } from './find-reminder-records.ts'
import { explainFilter, loadNextReminders } from './next-reminders.ts'
import { findNamedLine, loadCampaignText } from './plan-campaign.ts'
import { openReminder } from './plan-reminders.ts'
import { type Reminder, readOffset, type WantedReminder } from './reminder-body.ts'
import { nameReminder, openReminderSource, type ReminderSource } from './reminder-source.ts'

/** How many records say whether the dates of a field have a time. */
const SAMPLE = 200

/** The reminder of a request as it is stored. Throws 400 that says what is wrong or missing. */
export async function completeReminder(
  store: Store,
  user: string,
  wanted: WantedReminder,
): Promise<Reminder> {
  const source = await openReminderSource(store, user, wanted)
  const offset = readOffset(wanted.offset)
  const hasTime = await explainFilter(findHasTime(store, source, wanted))
  if ('hours' in offset && (!hasTime || wanted.yearly))
    throw invalidRequest('reminder.offset.hours needs dates with a time, which are not yearly')
  if ('days' in offset && offset.at === '' && (!hasTime || wanted.yearly))
    throw invalidRequest('reminder.offset.at must be given, as the dates have no time')
  return nameReminder(source, wanted, offset, hasTime)
}

/** Whether the dates have a time. Always reads records, which shows whether the filter is valid. */
async function findHasTime(
  store: Store,
  source: ReminderSource,
  { has_time: given }: WantedReminder,
): Promise<boolean> {
  const records = await findReminderRecords(store, source, { limit: SAMPLE, order: 'latest' })
  if (source.isOfContacts) return false
  if (given != null) return given
  const hasTime = records.some(({ date }) => !date.endsWith(' 00:00:00.000Z'))
  return hasTime || records.length === 0
}

/** The line, text and dates of a new reminder. Throws as `planCampaign`. */
export async function planReminder(
  { store, config }: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  asked: WantedReminder,
) {
  const { user } = permit.sender
  const { files, orLink, requiresConsent: isRequired } = wanted.options
  if (wanted.subject !== '' && files === 0) throw makeSubjectError()
  const line = await findNamedLine(store, user, wanted)
  const { variables, ...text } = await loadCampaignText(store, user, wanted.text)
  const way = { ...wanted.options, line }
  await requireReach(store.db, permit, [], way)
  const named = { deviceId: wanted.options.device, line: { id: line, number: '' } }
  const addFiles = await makeFileAdder(store.db, config, user, { files, orLink }, named)
  const reminder = await completeReminder(store, user, asked)
  const scope = { template: text.template, groups: [], isRequired }
  return {
    line,
    // the text of a reminder has variables
    text: { ...text, variables: variables ?? {} },
    reminder,
    addFiles,
    requiresConsent: await requiresConsent(store.db, user, scope),
    audience: [],
    rows: [],
    segments: 0,
    withoutConsent: [],
  }
}

/** Shows the next texts of a new reminder, as `previewCampaign`. Stores nothing. */
export async function previewReminder(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  asked: WantedReminder,
) {
  const { store } = services
  const plan = await planReminder(services, permit, wanted, asked)
  const { text, reminder, requiresConsent, addFiles } = plan
  const open = await openReminder(store, permit.sender.user, reminder, { ...text, requiresConsent })
  const reminders = await loadNextReminders(services, open, wanted.scheduledAt)
  const leaving = reminders.filter(({ reason }) => reason === '')
  const [first] = leaving
  const { body, to } = first ?? { body: text.body, to: '' }
  const shown = addFiles({ to, body, ...countSegments(body) })
  return {
    recipients_count: leaving.length,
    segments: leaving.reduce((sum, one) => sum + one.segments, 0),
    first: shown,
    samples: first ? [shown] : [],
    left_out: { count: reminders.length - leaving.length, rows: [] },
    columns: [],
    reminders,
    last_leaves_at: '',
    estimate: null,
    without_consent: { count: 0, recipients: [] },
  }
}
