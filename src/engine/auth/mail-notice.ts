import { makeSay } from '../../platform/words/say.ts'
import type { Language } from '../../portable/languages.ts'
import type { AuthRecord } from '../request/request.ts'
import { ENGINE_WORDS } from '../words/engine-words.ts'
import { chooseLanguage, readMailSender } from './auth-mails.ts'
import type { AuthServices } from './auth-services.ts'
import { escapeHtml, renderMailLayout } from './mail-html.ts'
import { sendMail } from './send-mail.ts'

type Word = keyof typeof ENGINE_WORDS.en

interface Notice {
  readonly subject: Word
  readonly lines: readonly Word[]
  readonly values?: Readonly<Record<string, string>>
}

/** Mails in the background, to the address of `auth`, how the person's sign-in has changed. */
export function mailNotice(
  services: AuthServices,
  auth: AuthRecord,
  { subject, lines, values }: Notice,
  browser: Language | undefined,
): void {
  const to = String(auth.values.email)
  if (to === '') return
  const language = chooseLanguage(auth, browser)
  const say = makeSay(ENGINE_WORDS, language)
  const all = { app: readMailSender(services).appName, ...values }
  const body = lines.map((line) => `<p>${escapeHtml(say(line, all))}</p>`).join('\n')
  const html = renderMailLayout(body, { language })
  sendMail(services, { to, subject: say(subject, all), html }).catch((err) =>
    services.log.warn({ err, id: auth.id, notice: subject }, 'could not mail a changed sign-in'),
  )
}
