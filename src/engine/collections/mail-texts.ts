import { makeSay } from '../../platform/words/say.ts'
import type { Language } from '../../portable/languages.ts'
import { ENGINE_WORDS } from '../words/engine-words.ts'

const renderMailButton = (path: string, label: string) => `<p>
  <a class="btn" href="{APP_URL}/_/#/auth/${path}/{TOKEN}" target="_blank" rel="noopener">${label}</a>
</p>`

/** The mail templates in a language. PocketBase: core/collection_model_auth_templates.go */
function makeMailTemplates(language: Language) {
  const say = makeSay(ENGINE_WORDS, language)
  const makeTemplate = (subject: string, ...paragraphs: string[]) => ({
    subject,
    body: [
      `<p>${say('hello')}</p>`,
      ...paragraphs,
      `<p>\n  ${say('thanks')}<br/>\n  ${say('team')}\n</p>`,
    ].join('\n'),
  })
  return {
    verification: makeTemplate(
      say('verifySubject'),
      `<p>${say('verifyThanks')}</p>`,
      `<p>${say('verifyClick')}</p>`,
      renderMailButton('confirm-verification', say('verifyButton')),
      `<p><i>${say('verifyIgnore')}</i></p>`,
    ),
    resetPassword: makeTemplate(
      say('resetSubject'),
      `<p>${say('resetClick')}</p>`,
      renderMailButton('confirm-password-reset', say('resetButton')),
      `<p><i>${say('resetIgnore')}</i></p>`,
    ),
    confirmEmailChange: makeTemplate(
      say('changeSubject'),
      `<p>${say('changeClick')}</p>`,
      renderMailButton('confirm-email-change', say('changeButton')),
      `<p><i>${say('changeIgnore')}</i></p>`,
    ),
    otp: makeTemplate(
      say('otpSubject'),
      `<p>${say('otpIs')} <strong>{OTP}</strong></p>`,
      `<p><i>${say('otpIgnore')}</i></p>`,
    ),
    authAlert: makeTemplate(
      say('signInSubject'),
      `<p>${say('signInSeen')}</p>`,
      '<p><em>{ALERT_INFO}</em></p>',
      `<p><strong>${say('signInChange')}</strong></p>`,
      `<p>${say('signInIgnore')}</p>`,
    ),
  }
}

/** Mail templates of a new auth collection. */
export const MAIL_TEMPLATES = makeMailTemplates('en')

type MailTemplateName = keyof typeof MAIL_TEMPLATES
export type MailTemplate = (typeof MAIL_TEMPLATES)[MailTemplateName]

/** The template in a language; undefined if a superuser has edited it: then it is for all languages. */
export function translateMailTemplate(
  name: MailTemplateName,
  { subject, body }: MailTemplate,
  language: Language,
): MailTemplate | undefined {
  const usual = MAIL_TEMPLATES[name]
  if (subject !== usual.subject || body !== usual.body) return undefined
  return makeMailTemplates(language)[name]
}
