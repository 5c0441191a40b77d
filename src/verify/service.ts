import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { anyOf, NOW, queries } from '../db/queries.ts'
import { fieldError, invalidFields } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { INSTANT_OR_EMPTY } from '../fields/instant.ts'
import type { Extension } from '../records/extension.ts'
import { noteChanges } from '../records/record-sql.ts'
import type { RequestInfo } from '../request/request.ts'
import { gatewayRefusal, templateRefusal } from '../sms/send/refusals.ts'
import type { Sender } from '../sms/send/sender.ts'
import { fillVariables, parseTemplate, renderFor } from '../sms/send/text-template.ts'
import { parseJson } from '../tools/json.ts'

const DEFAULTS = { code_length: 6, ttl: 600 } as const

/** A service by its id; for '' the account's first one. */
const readService = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('verify_services')
    // ttl: seconds; templates: JSON
    .select(['id', 'default_locale', 'code_length', 'domain', 'app_hash', 'ttl', 'templates'])
    .where('user', '=', user)
    .$if(id !== '', (query) => query.where('id', '=', id))
    // keys make services, too: the account's own come first
    .orderBy(({ eb }) => eb('api_key', '<>', ''))
    .orderBy('created')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

export type Service = NonNullable<Awaited<ReturnType<typeof readService>>>

const makeDefault = (db: Db, user: string) =>
  queries(db)
    .with('written', (query) =>
      query
        .insertInto('verify_services')
        .values({
          ...{ id: sql<string>`pb_new_id()`, user, name: 'default', ...DEFAULTS },
          ...{ created: NOW, updated: NOW },
        })
        .onConflict((found) => found.columns(['user', 'name']).doNothing())
        .returning('id'),
    )
    .with('noted', noteChanges('create', 'verify_services', 'ids'))
    .selectFrom('written')
    .execute()

/** A user's service by its id; for '' the account's first one, which is made if there is none. Throws 404. */
export async function findService({ db }: Store, user: string, id: string): Promise<Service> {
  const service = await readService(db, user, id)
  if (service) return service
  if (id !== '') throw gatewayRefusal('service_not_found')
  await makeDefault(db, user)
  return (await readService(db, user, id))!
}

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

/** What a request for a code says about its text; '' for the service's own value. */
interface Wording {
  readonly locale: string
  readonly template: string
  /** The domain of a web page that reads the code (WebOTP). */
  readonly domain: string
  /** The hash that names an Android app which reads the code (SMS Retriever). */
  readonly appHash: string
}

/** Returns the text to send, and `shown`: the same with dots for the code. Throws 400 as `checkTemplate`. */
export function writeCode(service: Service, wording: Wording, to: string, code: string) {
  const template = wording.template || templateFor(service, wording.locale)
  checkTemplate(template)
  const fill = (code: string) => fillCode(template, to, code) + lastLine(service, wording, code)
  return { body: fill(code), shown: fill('•'.repeat(code.length)) }
}

const fillCode = (template: string, to: string, code: string) =>
  renderFor(fillVariables(parseTemplate(template), { code }), { name: '', phone: to })

/** Throws 400 for a template without `{{code}}`, or with a variable that has no value. */
function checkTemplate(template: string) {
  if (fillCode(template, '', '0') === fillCode(template, '', '1'))
    throw templateRefusal('The template has no {{code}}.')
}

/** The template in the language of the request, else of the service, else English, else the first one. */
function templateFor({ templates, default_locale }: Service, locale: string): string {
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
function lastLine(service: Service, { domain, appHash }: Wording, code: string): string {
  const site = domain || (appHash ? '' : service.domain)
  if (site) return `\n\n@${site} #${code}`
  const app = appHash || service.app_hash
  return app && `\n\n${app}`
}

const STATUSES = ['pending', 'approved', 'expired', 'canceled', 'max_attempts_reached'] as const

export const MAX_ATTEMPTS = 5

export type Verification = Readonly<z.output<typeof VERIFICATION>>
export const VERIFICATION = z
  .object({
    id: z.string().describe('A record of `verifications`; empty for one that does not exist.'),
    to: z.string(),
    service: z.string().describe('A record of `verify_services`.'),
    channel: z.enum(['sms']),
    status: z.enum(STATUSES),
    attempts: z.int().min(0).describe(`Checks so far. After ${MAX_ATTEMPTS} it ends.`),
    expires_at: INSTANT_OR_EMPTY,
    created: INSTANT_OR_EMPTY,
    updated: INSTANT_OR_EMPTY,
  })
  .meta({ id: 'Verification' })

/** The fields of VERIFICATION: columns of `verifications`. */
export const COLUMNS = VERIFICATION.keyof().options

/** Codes are hashed and encrypted with keys for this purpose. */
export const CODES = 'verification'

/** A request for a code. '' and 0 mean the service's own value. */
export interface Start extends Omit<Wording, 'template'> {
  readonly sender: Sender
  readonly service: string
  readonly to: string
  readonly templateId: string
  readonly length: number
  /** Seconds. */
  readonly ttl: number
  /** The IP address of the person who asked for the code; '' if it is not known. */
  readonly ip: string
}

const LANGUAGE = /^[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*$/
const TEMPLATES = z.record(z.string().regex(LANGUAGE), z.string().max(300).refine(hasCode))

function hasCode(template: string) {
  try {
    checkTemplate(template)
    return true
  } catch {
    return false
  }
}

const WRONG = fieldError(
  'validation_invalid_templates',
  'Must be texts by language, as {"en": "Your code is {{code}}."}, each with {{code}} and no other variable.',
)

async function complete(
  values: Record<string, Value>,
  { auth }: RequestInfo,
  old: Readonly<Record<string, Value>> = {},
): Promise<undefined> {
  if (!auth?.isSuperuser) values.api_key = old.api_key ?? ''
  for (const [name, value] of Object.entries(DEFAULTS)) values[name] ||= value
  checkTemplates(values)
  return undefined
}

function checkTemplates({ templates }: Readonly<Record<string, Value>>): void {
  const given = parseJson(String(templates ?? 'null')) ?? {}
  if (!TEMPLATES.safeParse(given).success) throw invalidFields({ templates: WRONG })
}

/** Rules of services. `api_key` names the key that made the service by Twilio's API. */
export const verifyServicesExtension: Extension = {
  setByServer: ['api_key'],
  check: checkTemplates,
  beforeCreate: (_store, values, request) => complete(values, request),
  beforeUpdate: (_store, values, old, request) => complete(values, request, old),
}

export const verificationsExtension: Extension = {
  async afterDelete({ db }, ids) {
    await queries(db).deleteFrom('_verify_codes').where('verification', '=', anyOf(ids)).execute()
  },
}
