import { type MailSender, readMailSender } from '../../engine/auth/auth-mails.ts'
import {
  escapeHtml,
  formatNameForMail,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Job, JobKind } from '../../platform/jobs/job-queue.ts'

/** Name of the jobs that send alarm mails. The payload is AlarmNews[], the key is part of the Message-ID. */
const ALARM_MAIL = 'alarm_mail'
/**
 * `last_seen` may be this many seconds old: servers write it no more often (gateway/base/device-record.ts).
 */
const SPARED_SECONDS = 30

/** Adds mail jobs about devices that fail, are low on battery, are silent or have returned. */
export async function checkSilentDevices(db: Db, alarmMinutes: number): Promise<void> {
  await callFunction(db, 'alarms_check', alarmMinutes * 60 + SPARED_SECONDS)
}

/** A mail that has waited longer than this is not sent any more. */
const MAX_AGE_MS = 86_400_000
/** A mail waits this many seconds at a time while an older mail of its account is unsent. */
const IN_ORDER_SECONDS = 60

/** The owner's address (null if deleted or unverified), and whether an older mail has to be sent first. */
const loadOwner = (db: Db, { id, holder }: Job) =>
  queries(db)
    .selectNoFrom(({ selectFrom, exists }) => [
      selectFrom('users')
        .select('email')
        .where('id', '=', holder)
        .where('verified', '=', true)
        .as('to'),
      exists(
        selectFrom('_jobs')
          .where('kind', '=', ALARM_MAIL)
          .where('holder', '=', holder)
          .where('id', '<', id)
          .where('dead_at', 'is', null),
      ).as('waits'),
    ])
    .executeTakeFirstOrThrow()

/** Jobs that send alarm mails, in order for each account. A retried mail has the same Message-ID. */
export const makeAlarmMailJobs = (
  storeOf: (user: string) => Store,
  post: MailServices,
): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // more than MAX_AGE_MS leaves time for
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'could not send an alarm mail within a day')
      return
    }
    const { to, waits } = await loadOwner(storeOf(job.holder).db, job)
    if (waits) return { inSeconds: IN_ORDER_SECONDS }
    const messageId = makeMessageId(post, job.key)
    if (to)
      await sendMail(post, {
        ...renderAlarmMail(job.payload as AlarmNews[], readMailSender(post)),
        messageId,
        to,
      })
  },
})

/** One item of an alarm mail, usually about a device. Its times are unchecked: an owner can edit them. */
export interface AlarmNews {
  readonly name: string
  /** True if the device is silent; false or absent for other news. */
  readonly isSilent?: boolean
  /** When messages of one of the device's lines began to fail. */
  readonly failingSince?: string
  /** Percent of a battery that is low and not charging. */
  readonly battery?: number
  /** A prefix such as `+49`: the verification service `name` sends no more codes to such phone numbers. */
  readonly stoppedCountry?: string
  /** Why a carrier sends nothing: its words when it refuses the account, or that it cannot be reached. */
  readonly fault?: string
  /** The monthly budget of a line, which is too small for another text. */
  readonly budget?: string
  /** An address at which `name` was used, although its list excludes that. */
  readonly refusedAddress?: string
  readonly refusedOf?: string
  readonly silentSince?: string
  readonly backSince?: string
  readonly waiting: number
  readonly moved?: number
}

/** Maximum devices that a mail lists in each part. The rest are counted. */
const MAX_LISTED = 100

export function renderAlarmMail(
  news: readonly AlarmNews[],
  sender: MailSender,
): { subject: string; html: string } {
  const failing = news.filter(({ failingSince }) => failingSince)
  const low = news.filter(({ battery }) => battery !== undefined)
  const silent = news.filter(({ isSilent }) => isSilent)
  const stopped = news.filter(({ stoppedCountry }) => stoppedCountry)
  const faulty = news.filter(({ fault }) => fault)
  const spent = news.filter(({ budget }) => budget)
  const refused = news.filter(({ refusedAddress }) => refusedAddress)
  const others = [failing, low, silent, stopped, faulty, spent, refused].flat()
  const back = news.filter((one) => !others.includes(one))
  const groups = [
    [silent, 'silent', describeSilence],
    [failing, 'failing', describeFailingLine],
    [low, 'low on battery', describeLowBattery],
    [faulty, 'unable to send', describeCarrierFault],
    [spent, 'at the monthly budget', describeSpentBudget],
    [back, 'back', describeReturn],
    [refused, 'refused at another address', describeRefusedAddress],
    [stopped, `sending no codes to ${stopped[0]?.stoppedCountry}`, describeStoppedCountry],
  ] as const
  const body = [
    'Hello,',
    ...groups.flatMap(([all, , line]) => renderSection(all, line)),
    ...(silent.length > 0
      ? ['Look whether it is switched on, has a network, and runs its app or agent.']
      : []),
  ].map((text) => `<p>${escapeHtml(text)}</p>`)
  body.push(
    `<p>${renderLink(`${sender.appUrl}/#/devices`, 'Your devices', 'btn')}</p>`,
    `<p>${escapeHtml(sender.appName)}</p>`,
  )
  const parts = groups.flatMap(([all, state]) => {
    if (all.length > 1) return `${all.length} devices are ${state}`
    return all.map((one) => `${writeDeviceName(one)} is ${state}`)
  })
  return { subject: parts.join(', '), html: renderMailLayout(body.join('\n')) }
}

function renderSection(news: readonly AlarmNews[], line: (one: AlarmNews) => string): string[] {
  const more = news.length - MAX_LISTED
  return [...news.slice(0, MAX_LISTED).map(line), ...(more > 0 ? [`And ${more} more.`] : [])]
}

const describeSilence = (news: AlarmNews) =>
  `${writeDeviceName(news)} has been silent since ${formatMinute(news.silentSince!)}. ${describeWaitingTexts(news)}`

const describeFailingLine = (news: AlarmNews) =>
  `${writeDeviceName(news)} has been failing since ${formatMinute(news.failingSince!)}: at least 5 texts in a row were not sent. Others send instead, if there are any. Look at its SIM, its credit and its permission to send. ${describeWaitingTexts(news)}`

const describeLowBattery = (news: AlarmNews) =>
  `${writeDeviceName(news)} has ${Math.round(news.battery!)} % of battery left and is not charging. Plug it in. ${describeWaitingTexts(news)}`

const describeReturn = (news: AlarmNews) =>
  `${writeDeviceName(news)} is back since ${formatMinute(news.backSince!)}. It was silent from ${formatMinute(news.silentSince!)} on. ${describeWaitingTexts(news)}`

const describeStoppedCountry = (news: AlarmNews) =>
  `${writeDeviceName(news)} sends no codes to numbers that begin with ${news.stoppedCountry} any more: too few of the last ones were entered, as when somebody has codes sent for money. If all is well, take the country out of what is stopped there.`

function describeWaitingTexts({ waiting, moved = 0 }: AlarmNews): string {
  const parts = [
    ...(waiting > 0 ? [`${describeMessageCount(waiting)} for it`] : []),
    ...(moved > 0 ? [`${moved} ${moved === 1 ? 'was' : 'were'} handed to other devices`] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'No messages wait for it.'
}

const describeMessageCount = (count: number) =>
  count === 1 ? '1 message waits' : `${count} messages wait`

const writeDeviceName = ({ name }: AlarmNews) => formatNameForMail(name, 'A device')

/** A stored instant as `2026-11-20 07:00 UTC`. */
const formatMinute = (text: string) => `${text.slice(0, -8)} UTC`

const describeCarrierFault = (news: AlarmNews) =>
  `${writeDeviceName(news)} sends no texts. ${news.fault}. Look at its settings, and at your account there: credentials, credit, senders.`

const describeSpentBudget = (news: AlarmNews) =>
  `${writeDeviceName(news)} has reached its monthly budget of ${news.budget}: a text did not fit any more. Texts use other lines or wait for the next month. If you want to send more, raise the budget.`

/** What to do against a stranger, by the collection of what was refused. */
const AGAINST_STRANGERS: Readonly<Record<string, string>> = {
  devices: 'delete the device, and pair the phone again',
  members: 'end the sessions of this member, or remove the member',
}

const describeRefusedAddress = ({ name, refusedAddress, refusedOf = '' }: AlarmNews) =>
  `${formatNameForMail(name, 'A key')} was used at ${refusedAddress}, which its list of addresses excludes: it was refused. If that was not you, ${AGAINST_STRANGERS[refusedOf] ?? 'make a new secret for it'}. If it was, add the address to its list. Your audit log has further attempts; a mail is sent at most once an hour.`
