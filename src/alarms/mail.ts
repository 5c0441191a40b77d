import { escapeHtml, layout, linkTo, type MailSender, nameInMail } from '../auth/mail/mails.ts'

/** News of a device in a mail. Instants are text that an owner may have changed. */
export interface AlarmNews {
  readonly name: string
  /** It went silent; else it returned. */
  readonly isSilent: boolean
  /** When texts of one of its lines began to fail. Such a device is neither silent nor back. */
  readonly failingSince?: string
  readonly silentSince: string
  readonly backSince: string
  /** Messages that it has not sent yet. */
  readonly waiting: number
  /** Messages that other devices have now. */
  readonly moved: number
}

/** Devices that a mail lists. The rest are counted. */
const MAX_LISTED = 100

/** The subject and the HTML of a mail about one device or many. */
export function alarmMail(news: readonly AlarmNews[], sender: MailSender): { subject: string; html: string } {
  const failing = news.filter(({ failingSince }) => failingSince)
  const silent = news.filter(({ isSilent }) => isSilent)
  const back = news.filter(({ isSilent, failingSince }) => !isSilent && !failingSince)
  const body = [
    'Hello,',
    ...section(silent, silenceOf),
    ...section(failing, failureOf),
    ...section(back, returnOf),
    ...(silent.length > 0
      ? ['Look whether it is switched on, has a network, and runs its app or agent.']
      : []),
  ].map((text) => `<p>${escapeHtml(text)}</p>`)
  body.push(
    `<p>${linkTo(`${sender.appUrl}/#/devices`, 'Your devices', 'btn')}</p>`,
    `<p>${escapeHtml(sender.appName)}</p>`,
  )
  return { subject: subjectOf(silent, failing, back), html: layout(body.join('\n')) }
}

function subjectOf(...[silent, failing, back]: readonly (readonly AlarmNews[])[]): string {
  const parts = [group(silent!, 'silent'), group(failing!, 'failing'), group(back!, 'back')].filter(Boolean)
  return parts.join(', ')
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
  `${nameOf(news)} has been silent since ${minute(news.silentSince)}. ${messagesOf(news)}`

const failureOf = (news: AlarmNews) =>
  `${nameOf(news)} has been failing since ${minute(news.failingSince!)}: at least 5 texts in a row were not sent. Others send instead, if there are any. Look at its SIM, its credit and its permission to send. ${messagesOf(news)}`

const returnOf = (news: AlarmNews) =>
  `${nameOf(news)} is back since ${minute(news.backSince)}. It was silent from ${minute(news.silentSince)} on. ${messagesOf(news)}`

function messagesOf({ waiting, moved }: AlarmNews): string {
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
