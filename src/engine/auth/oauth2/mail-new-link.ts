import { makeSay } from '../../../platform/words/say.ts'
import type { Language } from '../../../portable/languages.ts'
import { isEmail } from '../../fields/email.ts'
import type { AuthRecord } from '../../request/request.ts'
import { ENGINE_WORDS } from '../../words/engine-words.ts'
import { chooseLanguage, readMailSender } from '../auth-mails.ts'
import type { AuthServices } from '../auth-services.ts'
import { escapeHtml, renderMailLayout } from '../mail-html.ts'
import { sendMail } from '../send-mail.ts'
import type { OAuth2Identity } from './identify-by-oauth2.ts'

/** Mails in the background that a provider's account opens the record from now on. */
export function mailNewLink(
  services: AuthServices,
  auth: AuthRecord,
  { provider, profile }: OAuth2Identity,
  browser: Language | undefined,
): void {
  const to = String(auth.values.email)
  if (to === '') return
  const language = chooseLanguage(auth, browser)
  const say = makeSay(ENGINE_WORDS, language)
  // names at a provider are not shown: whoever made the link has chosen them
  const name = isEmail(profile.email) ? profile.email : ''
  const values = { app: readMailSender(services).appName, provider: provider.displayName, name }
  const body = [say(name ? 'linkedNamed' : 'linked', values), say('linkedEnd'), say('linkedIgnore')]
    .map((text) => `<p>${escapeHtml(text)}</p>`)
    .join('\n')
  const html = renderMailLayout(body, { language })
  sendMail(services, { to, subject: say('linkedSubject', values), html }).catch((err) =>
    services.log.warn({ err, id: auth.id }, 'could not mail a new link to a provider'),
  )
}
