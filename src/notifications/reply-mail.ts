import { escapeHtml, layout, linkTo, type MailSender, nameInMail } from '../auth/mail/mails.ts'

/** A conversation whose last text waits for an answer. */
export interface WaitingConversation {
  readonly number: string
  readonly name: string
  /** When the text came in, in PocketBase's form. */
  readonly since: string
}

/**
 * The subject and HTML of a mail about conversations, the newest first. `total` includes those not listed.
 * The mail does not contain the texts. `timeZone`: '' is UTC.
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
    return `<p>${linkTo(link, nameInMail(name, number))}, since ${format.format(new Date(since))}</p>`
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
  const first = nameInMail(waiting[0]!.name, waiting[0]!.number)
  const subject = total === 1 ? `${first} waits for an answer` : `${total} conversations wait for an answer`
  return { subject, html: layout(body.join('\n')) }
}
