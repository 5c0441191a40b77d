import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { invalidRequest } from '../../../platform/common-refusals.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import { admission } from '../../../platform/limits/shared-limits.ts'
import { cleanText } from '../../../platform/tools/clean-text.ts'
import { type AccountLocale, UNKNOWN_LOCALE } from '../../../portable/account-locale.ts'
import { makeFieldTextFinder } from '../../../portable/field-text.ts'
import { isInvisible } from '../../../portable/fold-text.ts'
import { MAX_TEXT_CHARACTERS } from '../../../portable/max-text-characters.ts'
import { E164, SHORT_CODE } from '../../../portable/phone/e164.ts'
import { countSegments, type Segmentation } from '../../../portable/segments.ts'
import { replaceIfShorter } from '../../../portable/smart-encoding.ts'
import {
  fillVariables,
  hasStopLink,
  listFieldNames,
  type Missing,
  type PersonValues,
  parseTextTemplate,
  renderForPerson,
} from '../../../portable/text-template.ts'
import { type ContactField, loadFieldDefinitions } from '../../base/contact-fields.ts'
import { gatewayRefusal, makePhoneError, makeTemplateError } from '../../base/gateway-errors.ts'
import { loadAccountLocale } from '../../base/load-account-locale.ts'
import { type LinkConfig, makeStopLinks } from '../../base/stop-link.ts'
import type { ConsentScope } from './consent-scope.ts'
import { refuseEmptyVariable, refuseMissingVariable } from './missing-variables.ts'
import type { Content, SendBody } from './send-options.ts'

/** The schema of what `countSegments` returns, which cannot import zod because it also runs in browsers. */
const SEGMENTATION = z.object({
  encoding: z.enum(['GSM-7', 'UCS-2']),
  units: z.int().min(0).describe('Septets (GSM-7) or UTF-16 units (UCS-2) of the text.'),
  segments: z.int().min(0).describe('Its segments.'),
}) satisfies z.ZodType<Segmentation>

export type Text = Readonly<z.output<typeof TEXT>>
export const TEXT = z
  .object({ to: z.string(), body: z.string(), ...SEGMENTATION.shape })
  .meta({ id: 'Text' })

/** Checks a body without the database: numbers in E.164 or short codes, and the length. Throws 400. */
export function checkBody({ recipients, content }: Pick<SendBody, 'recipients' | 'content'>): void {
  for (const to of recipients) if (!E164.test(to) && !SHORT_CODE.test(to)) throw makePhoneError(to)
  if ('body' in content) checkTextLength(content.body)
}

/** Throws 400 `body_too_long` for more than MAX_TEXT_CHARACTERS code points. */
export function checkTextLength(body: string): void {
  // a code point is one or two units of `length`, so most texts need no count
  if (body.length <= MAX_TEXT_CHARACTERS) return
  if (body.length > 2 * MAX_TEXT_CHARACTERS || [...body].length > MAX_TEXT_CHARACTERS)
    throw gatewayRefusal('body_too_long')
}

/** By what a request to send, or to preview, may require consent. */
export const readConsentScope = ({
  content,
  groupIds,
  options,
}: Pick<SendBody, 'content' | 'groupIds' | 'options'>): ConsentScope =>
  options.scope ?? {
    template: 'templateId' in content ? content.templateId : '',
    groups: groupIds,
    isRequired: options.requiresConsent,
  }

/** Writes a text per recipient, in order. Throws 400 for a bad template. */
export async function writeTexts(
  store: Store,
  config: LinkConfig,
  user: string,
  content: Content,
  phones: readonly string[],
  missing: Missing = content.requiresValues ? refuseEmptyVariable : refuseMissingVariable,
): Promise<Text[]> {
  const plain = findSharedText(content)
  if (plain !== undefined) {
    const counted = countSegments(plain)
    const texts: Text[] = []
    for (const to of phones) texts.push({ to, body: plain, ...counted })
    return texts
  }
  const template =
    'body' in content ? content.body : await loadTemplate(store, user, content.templateId)
  const filled = fillVariables(parseTextTemplate(template), content.variables!)
  const contacts = await loadContactFields(store, user, phones, listFieldNames(filled))
  const linkFor = hasStopLink(filled) ? await makeStopLinks(store.db, config, user) : undefined
  const personOf = (phone: string) => ({
    ...(contacts.get(phone) ?? { phone, name: '' }),
    stopLink: linkFor?.(phone),
  })
  const write = (phone: string) =>
    writeText(phone, renderForPerson(filled, personOf(phone), missing), content)
  return admission.slices.map(phones, write)
}

/** The text, if all recipients get the same; undefined if not. */
export const findSharedText = (content: Content): string | undefined =>
  'body' in content && !content.variables ? encodeText(content.body, content) : undefined

const encodeText = (text: string, { isSmart }: Pick<Content, 'isSmart'>) =>
  isSmart ? replaceIfShorter(text, MAX_TEXT_CHARACTERS) : text

/** Throws 400 for a text that is too long or empty. */
export function writeText(to: string, written: string, content: Pick<Content, 'isSmart'>): Text {
  checkTextLength(written)
  if (isInvisible(written))
    throw invalidRequest('a text would be empty: give its variable a default, as {{name|friend}}')
  const body = encodeText(written, content)
  return { to, body, ...countSegments(body) }
}

/** The text of a user's template. Throws 400 if the template does not exist or is another user's. */
export async function loadTemplate(store: Store, user: string, id: string): Promise<string> {
  const template = await queries(store.db)
    .selectFrom('sms_templates')
    .select(['body', 'user'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!template) throw makeTemplateError('Template not found.')
  if (template.user !== user) throw makeTemplateError('Template does not belong to user.')
  return template.body
}

/** A contact's `data` is ignored above this size, in bytes as stored or in characters of JSON. */
const MAX_DATA = 8_192

/** Maps phone numbers to the user's contacts, each with those custom fields that `names` lists. */
export async function loadContactFields(
  store: Store,
  user: string,
  phones: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, PersonValues>> {
  const room = names.length > 0 ? MAX_DATA : 0
  const fields = names.length > 0 ? await loadFieldDefinitions(store.db, user) : []
  const isWritten = fields.some(({ type }) => type === 'date' || type === 'number')
  const locale = isWritten ? await loadAccountLocale(store.db, user) : UNKNOWN_LOCALE
  const people = await queries(store.db)
    .selectFrom('contacts')
    .select(['phone', 'name'])
    .select(
      sql<string | null>`case when pg_column_size(data) <= ${room}::int
        then case when length(data::text) <= ${room}::int then data::text end end`.as('data'),
    )
    .where('user', '=', user)
    .where('phone', '=', matchAny(phones))
    .execute()
  return new Map(
    people.map(({ phone, name, data }) => [
      phone,
      { phone, name, fields: pickFields(data, names, fields, locale) },
    ]),
  )
}

/** Values by the names in a template. */
function pickFields(
  data: string | null,
  names: readonly string[],
  fields: readonly ContactField[],
  locale: AccountLocale,
): Map<string, string> {
  const find = makeFieldTextFinder(data === null ? null : JSON.parse(data), fields, locale)
  return new Map(
    names.flatMap((name) => {
      const text = find(name)
      return text === undefined ? [] : [[name, cleanText(text)] as const]
    }),
  )
}
