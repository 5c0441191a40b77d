import { makeTitle } from '../../data/campaign-progress.ts'
import type { Campaign, Conversation } from '../../data/record-types.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { makeShortDate } from '../../data/text/relative-time.ts'
import { t } from '../../language/words.ts'
import { makeConversationPath, makePageHref } from '../../router.ts'
import type { LaterRun } from './later-runs.ts'
import { addDays, makeDayReader } from './periods.ts'
import type { ScheduledSend } from './use-scheduled.ts'

/** An entry that waits for its time: a send, a campaign, or the reminder of a conversation. */
export interface Entry {
  readonly id: string
  readonly at: string
  /** Undefined for a send of several texts, whose row opens in its place. */
  readonly href: string | undefined
  /** The number of the recipient, if there is only one. */
  readonly number: string
  /** The name of a campaign; '' for others. */
  readonly title: string
  readonly people: number
  readonly body: string
  readonly hasPicture: boolean
  readonly isReminder: boolean
  /** Whether the entry is a run of a repeating campaign after the next one. */
  readonly isLater: boolean
  /** Absent: another page changes it. */
  readonly send?: ScheduledSend
}

const PLAIN = {
  title: '',
  number: '',
  people: 1,
  hasPicture: false,
  isReminder: false,
  isLater: false,
} as const

export const makeSendEntry = (send: ScheduledSend): Entry => ({
  ...PLAIN,
  id: `${send.send}/${send.scheduled_at}`,
  at: send.scheduled_at,
  href: send.is_batch
    ? undefined
    : makePageHref(makeConversationPath(send.to), { at: `sms_messages/${send.message}` }),
  number: send.messages === 1 ? send.to : '',
  people: send.messages,
  body: send.body,
  hasPicture: send.attachments > 0,
  send,
})

export const makeCampaignEntry = (campaign: Campaign): Entry => ({
  ...PLAIN,
  id: campaign.id,
  at: campaign.scheduled_at,
  href: makePageHref(`/campaigns/${campaign.id}`),
  title: makeTitle(campaign),
  people: campaign.recipients_count,
  body: campaign.body,
  hasPicture: campaign.attachments.length > 0,
})

export const makeRunEntry = ({ campaign, at }: LaterRun): Entry => ({
  ...makeCampaignEntry(campaign),
  id: `${campaign.id}/${at}`,
  at,
  isLater: true,
})

export const makeReminderEntry = (conversation: Conversation): Entry => ({
  ...PLAIN,
  id: conversation.id,
  at: conversation.follow_up_at,
  href: makePageHref(makeConversationPath(conversation.number)),
  number: conversation.number,
  body: conversation.last_text,
  isReminder: true,
})

/** The entries of each day, with the day's title, such as `Tomorrow, Sunday, November 29`. */
export function groupByDay(
  entries: readonly Entry[],
  timeZone: string,
): [title: string, entries: Entry[]][] {
  const formatTitle = makeShortDate({ weekday: 'long', day: 'numeric', month: 'long', timeZone })
  const readDay = makeDayReader(timeZone)
  const today = readDay(readNowMs())
  const near = new Map([
    [today, t('Today')],
    [addDays(today, 1), t('Tomorrow')],
  ])
  return [...Map.groupBy(entries, ({ at }) => readDay(parseDate(at)))].map(([day, those]) => {
    const date = formatTitle(parseDate(those[0]!.at), readNowMs())
    const title = near.has(day) ? `${near.get(day)}, ${date}` : date
    return [title.charAt(0).toLocaleUpperCase() + title.slice(1), those]
  })
}
