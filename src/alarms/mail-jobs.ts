import { type MailServices, messageIdOf, sendMail } from '../auth/mail/mailer.ts'
import { escapeHtml, layout, linkTo, type MailSender, nameInMail, namesOf } from '../auth/mail/mails.ts'
import type { Store } from '../collections/catalog.ts'
import { runForRow, statement, text } from '../db/statement.ts'
import type { JobKind } from '../work/jobs.ts'

/** The kind of the jobs. The payload is the news; the key is part of the Message-ID. */
export const ALARM_MAIL = 'alarm_mail'

/** Older mails are not sent any more. */
const MAX_AGE_MS = 86_400_000
/** Seconds until a mail is tried again that waits for an older one of its account. */
const IN_ORDER_SECONDS = 60

/** The owner's address (null if deleted or unverified), and whether an older mail has to be sent first. */
const READ = statement('alarm mail read', { to: 'string?', waits: 'boolean' })`
select (select u.email from users u where u.id = ${text('holder')} and u.verified) as to, exists (
  select from _jobs j where j.kind = '${ALARM_MAIL}' and j.holder = ${text('holder')} and j.id < ${text('id')} and j.dead_at is null) as waits`

/** Jobs that mail about devices, in an account's order. A mail sent again has the same Message-ID. */
export const alarmMailJobs = (storeOf: (user: string) => Store, post: MailServices): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // more than fit into MAX_AGE_MS
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'could not send an alarm mail within a day')
      return
    }
    const { to, waits } = (await runForRow(storeOf(job.holder).db, READ, job))!
    if (waits) return { inSeconds: IN_ORDER_SECONDS }
    const messageId = messageIdOf(post, job.key)
    if (to) await sendMail(post, { ...alarmMail(job.payload as AlarmNews[], namesOf(post)), messageId, to })
  },
})

/** News of a device in a mail. Instants are text that an owner may have changed. */
export interface AlarmNews {
  readonly name: string
  /** It went silent. Other devices fail, are low on battery, or are back. */
  readonly isSilent?: boolean
  /** When texts of one of its lines began to fail. */
  readonly failingSince?: string
  /** Percent of a battery that is low and not charging. */
  readonly battery?: number
  /** The country that a service of codes no longer sends to; `name` is the service's. */
  readonly stoppedCountry?: string
  readonly silentSince?: string
  readonly backSince?: string
  /** Messages that it has not sent yet. */
  readonly waiting: number
  /** Messages that other devices have now. */
  readonly moved?: number
}

/** Devices that a mail lists. The rest are counted. */
const MAX_LISTED = 100

export function alarmMail(news: readonly AlarmNews[], sender: MailSender): { subject: string; html: string } {
  const failing = news.filter(({ failingSince }) => failingSince)
  const low = news.filter(({ battery }) => battery !== undefined)
  const silent = news.filter(({ isSilent }) => isSilent)
  const stopped = news.filter(({ stoppedCountry }) => stoppedCountry)
  const others = [failing, low, silent, stopped].flat()
  const back = news.filter((one) => !others.includes(one))
  const body = [
    'Hello,',
    ...section(silent, silenceOf),
    ...section(failing, failureOf),
    ...section(low, lowBatteryOf),
    ...section(back, returnOf),
    ...section(stopped, stopOf),
    ...(silent.length > 0
      ? ['Look whether it is switched on, has a network, and runs its app or agent.']
      : []),
  ].map((text) => `<p>${escapeHtml(text)}</p>`)
  body.push(
    `<p>${linkTo(`${sender.appUrl}/#/devices`, 'Your devices', 'btn')}</p>`,
    `<p>${escapeHtml(sender.appName)}</p>`,
  )
  const parts = [
    group(silent, 'silent'),
    group(failing, 'failing'),
    group(low, 'low on battery'),
    group(back, 'back'),
    group(stopped, `sending no codes to ${stopped[0]?.stoppedCountry}`),
  ]
  return { subject: parts.filter(Boolean).join(', '), html: layout(body.join('\n')) }
}

function group(news: readonly AlarmNews[], state: string): string {
  if (news.length === 0) return ''
  return news.length === 1 ? `${nameOf(news[0]!)} is ${state}` : `${news.length} devices are ${state}`
}

function section(news: readonly AlarmNews[], line: (one: AlarmNews) => string): string[] {
  const more = news.length - MAX_LISTED
  return [...news.slice(0, MAX_LISTED).map(line), ...(more > 0 ? [`And ${more} more.`] : [])]
}

const silenceOf = (news: AlarmNews) =>
  `${nameOf(news)} has been silent since ${minute(news.silentSince!)}. ${messagesOf(news)}`

const failureOf = (news: AlarmNews) =>
  `${nameOf(news)} has been failing since ${minute(news.failingSince!)}: at least 5 texts in a row were not sent. Others send instead, if there are any. Look at its SIM, its credit and its permission to send. ${messagesOf(news)}`

const lowBatteryOf = (news: AlarmNews) =>
  `${nameOf(news)} has ${Math.round(news.battery!)} % of battery left and is not charging. Plug it in. ${messagesOf(news)}`

const returnOf = (news: AlarmNews) =>
  `${nameOf(news)} is back since ${minute(news.backSince!)}. It was silent from ${minute(news.silentSince!)} on. ${messagesOf(news)}`

const stopOf = (news: AlarmNews) =>
  `${nameOf(news)} sends no codes to numbers that begin with ${news.stoppedCountry} any more: too few of the last ones were entered, as when somebody has codes sent for money. If all is well, take the country out of what is stopped there.`

function messagesOf({ waiting, moved = 0 }: AlarmNews): string {
  const parts = [
    ...(waiting > 0 ? [`${messages(waiting)} for it`] : []),
    ...(moved > 0 ? [`${moved} ${moved === 1 ? 'was' : 'were'} handed to other devices`] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')}.` : 'No messages wait for it.'
}

const messages = (count: number) => (count === 1 ? '1 message waits' : `${count} messages wait`)

const nameOf = ({ name }: AlarmNews) => nameInMail(name, 'A device')

/** `2026-11-20 07:00 UTC` */
const minute = (text: string) => `${text.slice(0, -8)} UTC`
