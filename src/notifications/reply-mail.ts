import { escapeHtml, layout } from '../auth/mail/mails.ts'

/** A conversation whose last text waits for an answer. */
export interface WaitingConversation {
  readonly number: string
  readonly name: string
  /** When the text came in, in PocketBase's form. */
  readonly since: string
}

/** How the server calls itself, and where its pages are. */
interface MailSender {
  readonly appName: string
  readonly appUrl: string
}

const MAX_NAME = 60

/**
 * The subject and the HTML of a mail about conversations, the newest first. `total` counts those that are not
 * listed, too; times are of `timeZone`, UTC where it is ''. The texts themselves are not in it.
 */
export function replyMail(
  waiting: readonly WaitingConversation[],
  total: number,
  timeZone: string,
  { appName, appUrl }: MailSender,
): { subject: string; html: string } {
  const zone = timeZone || 'UTC'
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  const lineOf = ({ number, name, since }: WaitingConversation) => {
    const link = `${appUrl}/#/conversations/${encodeURIComponent(number)}`
    return `<p>${linkTo(link, nameOf(name, number))}, since ${format.format(new Date(since))}</p>`
  }
  const more = total - waiting.length
  const body = [
    '<p>Hello,</p>',
    `<p>${total === 1 ? 'A text waits' : `${total} conversations wait`} for your answer (${escapeHtml(zone)}):</p>`,
    ...waiting.map(lineOf),
    ...(more > 0 ? [`<p>And ${more} more.</p>`] : []),
    `<p>${linkTo(`${appUrl}/#/conversations`, 'Your conversations', 'btn')}</p>`,
    `<p>You chose these mails on the page ${linkTo(`${appUrl}/#/account`, 'Account')}.</p>`,
    `<p>${escapeHtml(appName)}</p>`,
  ]
  const first = nameOf(waiting[0]!.name, waiting[0]!.number)
  const subject = total === 1 ? `${first} waits for an answer` : `${total} conversations wait for an answer`
  return { subject, html: layout(body.join('\n')) }
}

const linkTo = (url: string, words: string, style = '') =>
  `<a${style && ` class="${style}"`} href="${escapeHtml(url)}" target="_blank" rel="noopener">${escapeHtml(words)}</a>`

/** On one line and not endless: it stands in a subject. */
function nameOf(name: string, number: string): string {
  const letters = [...(name.replace(/[\s\p{Cc}]+/gu, ' ').trim() || number)]
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : letters.join('')
}
