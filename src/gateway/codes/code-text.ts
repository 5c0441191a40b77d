import { checkTemplate, fillCode } from './code-template.ts'
import type { VerifyService } from './find-service.ts'

const TEXTS: Readonly<Record<string, string>> = {
  en: 'Your code is {{code}}. Do not share it.',
  de: 'Ihr Code ist {{code}}. Geben Sie ihn nicht weiter.',
  es: '{{code}} es su clave. No la comparta.',
  fr: 'Votre code est {{code}}. Ne le partagez pas.',
  it: 'Il tuo codice è {{code}}. Non condividerlo.',
  nl: 'Je code is {{code}}. Deel hem met niemand.',
  pl: 'Twoje haslo: {{code}}. Nie podawaj go nikomu.',
  pt: 'Use {{code}} para confirmar o seu telefone.',
  sv: 'Din kod är {{code}}. Dela den inte med någon.',
}

/** The text of a code as a request chooses it; '' for the service's own value. */
export interface Wording {
  readonly locale: string
  readonly template: string
  /** The domain of a web page that reads the code (WebOTP). */
  readonly domain: string
  /** The hash that names an Android app which reads the code (SMS Retriever). */
  readonly appHash: string
}

/** Returns the text to send, and `shown`: the same with dots for the code. Throws 400 as `checkTemplate`. */
export function writeCode(service: VerifyService, wording: Wording, to: string, code: string) {
  const template = wording.template || chooseTemplate(service, wording.locale)
  checkTemplate(template)
  const fill = (code: string) =>
    fillCode(template, to, code) + writeLastLine(service, wording, code)
  return { body: fill(code), shown: fill('•'.repeat(code.length)) }
}

/** The template in the language of the request, else of the service, else English, else the first one. */
function chooseTemplate({ templates, default_locale }: VerifyService, locale: string): string {
  const own = Object.entries(JSON.parse(templates ?? '{}') as Record<string, string>)
  const given = own.length > 0 ? own : Object.entries(TEXTS)
  const texts = new Map(given.map(([name, text]) => [name.toLowerCase(), text]))
  const names = [locale, default_locale, 'en'].flatMap((name) => [
    name.toLowerCase(),
    name.toLowerCase().split('-', 1)[0]!,
  ])
  const found = names.find((name) => texts.has(name))
  return found === undefined ? own[0]![1] : texts.get(found)!
}

/** The last line, by which a web page or an app finds the code. https://wicg.github.io/sms-one-time-codes */
function writeLastLine(service: VerifyService, { domain, appHash }: Wording, code: string): string {
  const site = domain || (appHash ? '' : service.domain)
  if (site) return `\n\n@${site} #${code}`
  const app = appHash || service.app_hash
  return app && `\n\n${app}`
}
