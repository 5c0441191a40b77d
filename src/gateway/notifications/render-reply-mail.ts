import type { MailSender } from '../../engine/auth/auth-mails.ts'
import {
  escapeHtml,
  formatNameForMail,
  type MailLook,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import { formatMailTime, makeSay } from '../../platform/words/say.ts'
import { isTimeZone } from '../lines/check-zones-and-hours.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

const WORDS = { en, de, es, fr, pt }

/** `since`: when its last message was received. */
type WaitingConversation = Readonly<Record<'number' | 'name' | 'since', string>>

/** Subject and HTML of a mail. `total` also counts conversations not listed; time zone '' is UTC. */
export function renderReplyMail(
  waiting: readonly WaitingConversation[],
  total: number,
  { timeZone, country }: Readonly<Record<'timeZone' | 'country', string>>,
  { appName, appUrl }: MailSender,
  look: MailLook,
): { subject: string; html: string } {
  const zone = isTimeZone(timeZone) ? timeZone : 'UTC'
  const say = makeSay(WORDS, look.language)
  const fillLink = (text: string, link: string) => escapeHtml(text).replace('{link}', () => link)
  const lineOf = ({ number, name, since }: WaitingConversation) => {
    const link = `${appUrl}/#/conversations/${encodeURIComponent(number)}`
    const time = formatMailTime({ language: look.language, timeZone: zone, country }, since)
    const line = say('waitsSince', { time })
    return `<p>${fillLink(line, renderLink(link, formatNameForMail(name, number)))}</p>`
  }
  const more = total - waiting.length
  const chosen = renderLink(`${appUrl}/#/account`, say('account'))
  const body = [
    `<p>${say('hello')}</p>`,
    `<p>${escapeHtml(say('waits', { count: total, zone }))}</p>`,
    ...waiting.map(lineOf),
    ...(more > 0 ? [`<p>${say('more', { count: more })}</p>`] : []),
    `<p>${renderLink(`${appUrl}/#/conversations`, say('waitsButton'), 'btn')}</p>`,
    `<p>${fillLink(say('waitsChosen'), chosen)}</p>`,
    `<p>${escapeHtml(appName)}</p>`,
  ]
  const name = formatNameForMail(waiting[0]!.name, waiting[0]!.number)
  const subject = say('waitsSubject', { count: total, name })
  return { subject, html: renderMailLayout(body.join('\n'), look) }
}
