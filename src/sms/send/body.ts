import { z } from 'zod'
import { cleanText } from '../../fields/cast.ts'
import { dateOf, formatDate, parseDate } from '../../fields/date.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { checkShape } from './check-shape.ts'
import { invalid } from './refusals.ts'
import { id, nonEmptyId, visibleText, wholeNumber } from './schemas.ts'

export type Content = PlainContent | TemplateContent
interface TemplateContent extends Written {
  readonly templateId: string
  readonly variables: Variables
}
/** `isSmart`: signs that look like those of the GSM alphabet become these, if that saves segments. */
interface Written {
  readonly isSmart?: boolean
}
/** `shown`: what all but the sending device see instead of `body`, which is then stored encrypted. */
export interface PlainContent extends Written {
  readonly body: string
  readonly shown?: string
  /** Null or absent: the text has no variables. */
  readonly variables?: Variables | null
}
export type Variables = Readonly<Record<string, string>>

/** A parsed request body. Phone numbers, ids and the text's length are not checked yet. */
export interface SendBody {
  readonly recipients: readonly string[]
  readonly groupIds: readonly string[]
  readonly deviceId: string
  /** The line (SIM) that sends, by id or number; both are '' for any line. */
  readonly line: NamedLine
  readonly content: Content
  readonly options: SendOptions
}

export interface NamedLine {
  readonly id: string
  readonly number: string
}
export const ANY_LINE: NamedLine = { id: '', number: '' }

/** Options of a send. Dates are PocketBase dates, '' if unset. `sim`: 0 for any SIM. */
export interface SendOptions {
  readonly scheduledAt: string
  readonly expiresAt: string
  readonly priority: number
  readonly sim: number
  readonly guarantee: 'at_most_once' | 'at_least_once'
  readonly clientRef: string
  /** A bulk text does not change its conversation. */
  readonly isBulk: boolean
  /** Whether the text waits during the quiet hours of the account. */
  readonly keepsQuiet: boolean
  readonly origin?: Origin
}

/** What the SMSGate or Twilio API keeps about a send in the table sms_origins. `sealed`: see SEALED. */
export interface Origin {
  readonly api: 'smsgate' | 'twilio' | 'sealed'
  /** The id that clients of `api` know; '' for the id of the message or batch. */
  readonly id: string
  /** Data of `api`. `callback`: where to send a message's statuses. */
  readonly data: Readonly<Record<string, unknown>> & {
    readonly callback?: { readonly url: string; readonly api_key: string }
  }
}

/** Options of a text that any SIM sends immediately. */
export const PLAIN_OPTIONS: Omit<SendOptions, 'origin'> = {
  scheduledAt: '',
  expiresAt: '',
  priority: 0,
  sim: 0,
  guarantee: 'at_most_once',
  clientRef: '',
  isBulk: false,
  keepsQuiet: false,
}

/** A text to one number. `device`, `line`: the id of the one that sends; '' for any. */
export const toOne = (
  to: string,
  text: string | PlainContent,
  options: SendOptions,
  device = '',
  line = '',
): SendBody => ({
  recipients: [to],
  groupIds: [],
  deviceId: device,
  line: { id: line, number: '' },
  content: typeof text === 'string' ? { body: text } : text,
  options,
})

const MAX_TTL_SECONDS = 10 * 365 * 86_400
/** Maximum length of a plain or rendered text, in code points. */
export const MAX_CHARACTERS = 1600

/** Maximum groups of a send: each contact's groups are compared with all of them. */
const MAX_GROUPS = 100
/** The last PocketBase date: a later year has five digits, which sort wrongly as text. */
export const END_OF_TIME = '9999-12-31 23:59:59.999Z'

/** The schema of a date. Its output is a PocketBase date; '' for an empty text. */
export const date = () =>
  z.string('must be a date').transform((raw, issues) => {
    const at = parseDate(raw)
    if (at === '' && raw !== '') issues.addIssue('must be a date, for example 2026-11-20T07:00:00Z')
    return at
  })
const value = z.union([z.string(), z.number(), z.boolean()], 'must be a text, a number or a boolean')

/** The server's own references. A client's message with one would prevent a retry or an automatic answer. */
const SERVER_REFS = /^(?:retry|auto):/

/** Fields of both SEND and TEMPLATE_SEND. `null` counts as absent. */
export const COMMON = {
  recipients: z
    .array(z.string().meta({ pattern: E164.source }), 'must be a list of phone numbers')
    .nullish()
    .describe(
      'Phone numbers in E.164. Each gets one message. May be empty when `group_ids` are given. After groups and duplicates, at most 1,000 (the server may set another limit).',
    ),
  group_ids: z
    .array(id(), 'must be a list of group ids')
    .max(MAX_GROUPS, `must have at most ${MAX_GROUPS} items`)
    .nullish()
    .describe('Contact groups whose members are added, without those who have opted out.'),
  device_id: id()
    .nullish()
    .describe('The only device that may send. Default: the available lines take turns.'),
  line_id: id().nullish().describe('A record of `lines`: this SIM sends, and no other.'),
  from: z
    .string()
    .nullish()
    .describe(
      'The number of one of your lines in E.164, or its name as a sender: this line sends, and no other.',
    ),
  scheduled_at: date().nullish().describe('Not before this instant. One that is past means now.'),
  expires_at: date()
    .nullish()
    .describe('The end: a message that no device has claimed by then ends as `failed`. Excludes `ttl`.'),
  ttl: wholeNumber(1, MAX_TTL_SECONDS)
    .nullish()
    .describe('The same as a number of seconds, counted from when the message is due.'),
  priority: wholeNumber(-128, 127).nullish().describe('Higher is sent first. Default: 0.'),
  sim: wholeNumber(0, 8).nullish().describe('Slot of the SIM that sends, from 1. 0: any line.'),
  guarantee: z
    .enum(['at_most_once', 'at_least_once'])
    .nullish()
    .describe(
      'If the device goes silent after it claimed the message: `at_most_once` (default) fails the message, `at_least_once` hands it to a device again.',
    ),
  client_ref: id(255)
    .refine((ref) => !SERVER_REFS.test(ref), 'must not begin with retry: or auto:')
    .nullish()
    .describe(
      'A reference of yours, unique among your messages: a second send with it, of the same text to the same number, answers with the first message. For one recipient. Must not begin with `retry:` or `auto:`, as the references of retries and automatic answers do.',
    ),
  bulk: z
    .boolean()
    .nullish()
    .describe(
      'True for one text of many, as of a list: it does not change the conversation with its number. A send to several recipients never does.',
    ),
  quiet_hours: z
    .boolean()
    .nullish()
    .describe(
      "True: waits during the quiet hours of `user_settings`, by the recipient's time. An answer to a conversation that waits for one never does.",
    ),
}

/** Not among COMMON: a campaign does not have it. */
const SMART = {
  smart_encoding: z
    .boolean()
    .nullish()
    .describe(
      'True: typographic quotes, dashes, spaces and other signs become those of the GSM alphabet, as in Twilio’s smart encoding, if the text then takes fewer short messages. The message stores the text that is sent.',
    ),
}

const VARIABLES = z.record(z.string(), value).nullish()

/** The body of `send`. TEMPLATE_SEND is that of `send-template`. */
export const SEND = z
  .strictObject({
    ...COMMON,
    ...SMART,
    body: visibleText().meta({ maxLength: MAX_CHARACTERS, description: 'The text, in Unicode characters.' }),
    variables: VARIABLES.describe(
      'If present, even as `{}`: the `{{variables}}` of `body` are filled in like those of a template. If absent, `body` is sent unchanged.',
    ),
  })
  .meta({ id: 'Send' })
export const TEMPLATE_SEND = z
  .strictObject({
    ...COMMON,
    ...SMART,
    template_id: nonEmptyId().describe('A record of `sms_templates`.'),
    variables: VARIABLES.describe(
      "Values for the `{{variables}}` of the template, the same for all recipients. An absent value comes from the field of this name in the contact's `data`. `{{name}}` and `{{phone}}` come from the contact and cannot be given. `{{variable|text}}` has a text for an empty or missing value.",
    ),
  })
  .meta({ id: 'TemplateSend' })

const DRAFT = {
  draft: z
    .boolean()
    .nullish()
    .describe(
      'True for an unfinished text: variables without a value stay in the texts as `{{variable}}` and are listed in `missing`. A send is refused instead.',
    ),
}

/** Bodies of `preview`: those of `send` and `send-template`, which may lack recipients and values. */
export const PREVIEW_TEXT = SEND.extend(DRAFT).meta({ id: 'TextPreview' })
export const PREVIEW_TEMPLATE = TEMPLATE_SEND.extend(DRAFT).meta({ id: 'TemplatePreview' })

/** Parses a body of `send` or `send-template`. Throws 400 that names the first wrong field. */
export function readSend(schema: typeof SEND | typeof TEMPLATE_SEND, raw: unknown, now: Date): SendBody {
  const body = sendBody(checkShape(schema, raw), now)
  if (body.recipients.length > 0 || body.groupIds.length > 0) return body
  throw invalid('recipients must name at least one phone number, or group_ids a group')
}

/** Parses a body of `preview`: as for a send, but recipients are optional. */
export function readPreview(raw: unknown, now: Date): SendBody & { readonly isDraft: boolean } {
  const isTemplate = typeof raw === 'object' && raw !== null && 'template_id' in raw
  const body = isTemplate ? checkShape(PREVIEW_TEMPLATE, raw) : checkShape(PREVIEW_TEXT, raw)
  return { ...sendBody(body, now), isDraft: body.draft ?? false }
}

function sendBody(body: z.output<typeof SEND> | z.output<typeof TEMPLATE_SEND>, now: Date): SendBody {
  const scheduledAt = body.scheduled_at ? future(body.scheduled_at, now) : ''
  const due = scheduledAt || formatDate(now)
  if (body.expires_at) checkExpiry(body, due)
  return {
    recipients: body.recipients ?? [],
    groupIds: body.group_ids ?? [],
    deviceId: body.device_id ?? '',
    line: { id: body.line_id ?? '', number: body.from ?? '' },
    content: { ...contentOf(body), ...(body.smart_encoding && { isSmart: true }) },
    options: {
      scheduledAt,
      // `ttl` counts from when the message is due
      expiresAt: body.ttl ? dateAt(dateOf(due)!.getTime() + body.ttl * 1000) : (body.expires_at ?? ''),
      priority: body.priority ?? 0,
      sim: body.sim ?? 0,
      guarantee: body.guarantee ?? 'at_most_once',
      clientRef: body.client_ref ?? '',
      isBulk: body.bulk ?? false,
      keepsQuiet: body.quiet_hours ?? false,
    },
  }
}

/** The text or template of a body. Converts the values of variables to strings. */
export function contentOf(
  body: Readonly<Partial<z.output<typeof SEND> & z.output<typeof TEMPLATE_SEND>>>,
): Content {
  const { template_id: templateId, variables } = body
  if (templateId == null && !variables) return { body: body.body! }
  const given = Object.entries(variables ?? {})
  const texts = Object.fromEntries(given.map(([name, of]) => [name, cleanText(String(of))]))
  return templateId != null ? { templateId, variables: texts } : { body: body.body!, variables: texts }
}

/** The date if it is later than now; else '', which means immediately. */
export const future = (date: string | null | undefined, now: Date) =>
  date && date > formatDate(now) ? date : ''

/** An instant as a PocketBase date, at most END_OF_TIME. */
export const dateAt = (ms: number): string =>
  ms < dateOf(END_OF_TIME)!.getTime() ? formatDate(new Date(ms)) : END_OF_TIME

/** Moves an expiry along when `due` moves to `ms` (since 1970); '' for no expiry. */
export const movedExpiry = (expiresAt: string, due: string, ms: number): string =>
  expiresAt && dateAt(ms + dateOf(expiresAt)!.getTime() - dateOf(due)!.getTime())

/** Throws 400 `invalid_request` for both `ttl` and `expires_at`, or if `expires_at` is not after `due`. */
export function checkExpiry(
  { ttl, expires_at }: Pick<z.output<typeof SEND>, 'ttl' | 'expires_at'>,
  due: string,
): void {
  if (ttl && expires_at) throw invalid('ttl and expires_at exclude each other')
  if (expires_at && expires_at <= due) throw expiresBeforeDue()
}

export const expiresBeforeDue = () => invalid('expires_at must lie in the future, after scheduled_at')
