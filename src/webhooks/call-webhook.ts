import about from '../../package.json' with { type: 'json' }
import { type Collection, columnName, quote, type Store, tableName } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { objectsOf } from '../db/statement.ts'
import type { Value } from '../fields/field.ts'
import { linkToken } from '../files/link-token.ts'
import { findAllStored, type StoredFile } from '../files/stored-files.ts'
import { sendOutgoing } from '../outgoing/send.ts'
import { blankValues } from '../records/prepare.ts'
import { statementName } from '../records/read-rows.ts'
import { columnsOf, type RecordRow, toRow } from '../records/record-sql.ts'
import { renderRecord } from '../records/render.ts'
import { memoize } from '../tools/lru.ts'
import { masked } from '../tools/mask.ts'
import { fillTemplates, TemplateFault, type TemplateFields, type WebhookMail } from './fill.ts'
import { KEPT_BYTES, keptAnswer, reasonOf } from './kept-answer.ts'
import { isSecret, signatureHeaders } from './secrets.ts'

/** Why deliveries end without another call. */
export const END_REASONS = {
  disabled: 'The webhook is disabled',
  changed: 'The webhook is for another event or format now',
  gone: 'The receiver answered 410: the webhook was disabled',
  unsigned: 'The webhook has no secret, rotate it',
} as const

/** The collection that events are about. */
export const MESSAGES = 'sms_messages'

/** Attempts of a delivery that is not in the form of Standard Webhooks: now, then after 5 s, 5 and 30 min. */
const OTHER_ATTEMPTS = 4

type LinkedFile = Pick<StoredFile, 'name' | 'type' | 'size'> & { readonly url: string }

export interface DueDelivery {
  readonly delivery: string
  readonly user: string
  readonly webhook: string
  /** The webhook-id: the same at every attempt. */
  readonly eventId: string
  readonly attempts: number
  readonly url: string
  /** Why the delivery must not be sent; undefined when it may be sent. */
  readonly closed: string | undefined
  /** The form of `OtherForms`, `callback` if there is no webhook; '' for Standard Webhooks and templates. */
  readonly format: string
  readonly maxAttempts: number
  readonly event: string
  /** The message's row as the event left it. Its keys are columns. */
  readonly image: Readonly<Record<string, unknown>>
  readonly files: readonly LinkedFile[]
  /** Id of the API key that signs a delivery with a `format`; '' for none. */
  readonly apiKey: string
  /** The valid secrets, newest first. */
  readonly secrets: readonly string[]
  /** What to send. Equal at every attempt, unless fields of the collection change. */
  readonly body: string
  readonly method?: string
  readonly isFilled?: boolean
  /** The token of the called service. It must not be stored with the outcome. */
  readonly token?: string
  readonly mail?: WebhookMail
  /** Headers beside those of Standard Webhooks, for an attempt at this time. */
  readonly moreHeaders?: (at: Date) => Readonly<Record<string, string>>
}

/** Makes bodies in SMSGate's form, for deliveries whose `facts` are not null. Others have the usual body. */
export interface BodyForm {
  readonly publicUrl: string
  /** SQL of JSON for `render`, from delivery `d`, webhook `w`, message `b`; null for the usual body. */
  readonly facts: string
  readonly render: (facts: string, eventId: string, at: Date) => Pick<DueDelivery, 'body' | 'moreHeaders'>
}

const IS_OPEN = `d.status = 'pending' and (w.id is not null or p.target is not null)`

/** Returns, by delivery id, what the next attempts need. Leaves out finished deliveries. */
export const findDue = (store: Store, deliveries: readonly string[], form?: BodyForm) =>
  find(store, deliveries, IS_OPEN, form)

/** Finds a delivery in any state; undefined for an unknown id. */
export const findDelivery = async (store: Store, delivery: string, form?: BodyForm) =>
  (await find(store, [delivery], 'true', form)).get(delivery)

async function find(
  store: Store,
  deliveries: readonly string[],
  condition: string,
  form: BodyForm | undefined,
): Promise<Map<string, DueDelivery>> {
  const messages = store.catalog.find(MESSAGES)!
  const { select, count } = columnsOf(messages)
  const text = `select ${select}, d.id as delivery, d."user", d.webhook, d.event_id as "eventId", d.event, d.attempts,
      coalesce(p.target ->> 'url', w.url, '') as url, coalesce(p.target ->> 'api_key', w.api_key, '') as "apiKey",
      case when p.target is null then coalesce(w.format, '') else 'callback' end as format,
      case when w.format = 'template' then json_build_object('preset', w.preset, 'url', w.url, 'method', w.method,
        'headers', w.headers::text, 'body', w.body::text, 'target', w.target, 'token', w.service_token)::text end as fields,
      w.enabled and w."user" = d."user" as "isOpen",
      array_remove(array[w.secret, case when r.until > now() then w.previous_secret end], null) as secrets,
      extract(epoch from p.at)::float8 as at, p.image::text, ${form?.facts ?? 'null'} as facts
    from webhook_deliveries d
    left join webhooks w on w.id = d.webhook
    join webhook_payloads p on p.delivery = d.id
    left join webhook_rotations r on r.webhook = w.id
    cross join lateral json_populate_record(
      json_populate_record(null::${quote(tableName(messages))}, $2), p.image) b
    where d.id = any($1::text[]) and p.delivery = any($1::text[]) and ${condition}`
  const name = statementName(store.catalog, text)
  const { rows, fields } = await store.db.lookUp(text, [deliveries, blankRow(messages)], name)
  const found = objectsOf<DueColumns>({
    rows: rows.map((row) => row.slice(count)),
    fields: fields.slice(count),
  })
  const due = found.map((more, i) => dueOf(store.db, messages, rows[i] as RecordRow, more, form))
  return new Map((await Promise.all(due)).map((one) => [one.delivery, one]))
}

async function dueOf(
  db: Db,
  messages: Collection,
  row: RecordRow,
  more: DueColumns,
  form: BodyForm | undefined,
): Promise<DueDelivery> {
  const image = JSON.parse(more.image) as DueDelivery['image']
  const files = form ? await linkFiles(db, image, Math.floor(more.at), form.publicUrl) : []
  const { delivery, user, webhook, eventId, event, attempts, url, format, apiKey, isOpen, facts, fields } =
    more
  // webhooks that were imported from Vendel, another gateway, have secrets of any form
  const secrets = more.secrets.filter((secret) => (format === 'vendel' ? secret !== '' : isSecret(secret)))
  const time = new Date(more.at * 1000)
  const isUsual = format === '' || format === 'template'
  const isSigned = format === 'template' || apiKey !== '' || secrets.length > 0
  const due: DueDelivery = {
    ...{ delivery, user, webhook, eventId, attempts, event, url, apiKey, secrets, image, files },
    format: isUsual ? '' : format,
    closed: format === 'callback' ? undefined : closedBy(isOpen, isSigned),
    maxAttempts: isUsual ? Number.POSITIVE_INFINITY : OTHER_ATTEMPTS,
    body: isUsual && facts === null ? bodyOf(event, time, messages, row, files) : '',
    ...(facts !== null && form?.render(facts, eventId, time)),
  }
  return fields === null ? due : { ...due, ...filled(JSON.parse(fields), due) }
}

/** Fills the webhook's templates from the delivery's body. A TemplateFault ends it without a retry. */
function filled(fields: TemplateFields, { eventId: id, body, closed }: DueDelivery): Partial<DueDelivery> {
  try {
    const { headers, ...request } = fillTemplates(fields, { id, body })
    return { ...request, isFilled: true, token: fields.token, moreHeaders: () => headers }
  } catch (error) {
    if (error instanceof TemplateFault) return { closed: closed ?? `${error.field}: ${error.message}` }
    throw error
  }
}

/** The files that a message had at the event, with links. `at`: time of the event, in seconds since 1970. */
async function linkFiles(db: Db, { id, attachments }: DueDelivery['image'], at: number, publicUrl: string) {
  const record = { collection: MESSAGES, record: String(id) }
  const files = await findAllStored(db, record, (attachments ?? []) as string[])
  const link = async (name: string) => {
    const token = await linkToken(db, { ...record, name }, at + LINK_SECONDS)
    return `${publicUrl}/api/files/${MESSAGES}/${id}/${encodeURIComponent(name)}?token=${token}`
  }
  return Promise.all(files.map(async ({ name, type, size }) => ({ name, type, size, url: await link(name) })))
}

/** The columns selected after those of the message. `isOpen` is null where there is no webhook. */
type DueColumns = Omit<DueDelivery, 'closed' | 'maxAttempts' | 'image' | 'files' | 'body'> & {
  readonly isOpen: boolean | null
  readonly at: number
  readonly image: string
  readonly facts: string | null
  /** TemplateFields as JSON; null for a webhook without templates. */
  readonly fields: string | null
}

const closedBy = (isOpen: boolean | null, isSigned: boolean) =>
  isOpen ? (isSigned ? undefined : END_REASONS.unsigned) : END_REASONS.disabled

/** A sample event with all fields of a message, some of them empty, and a file, to check templates. */
export function sampleEvent(messages: Collection, message: Readonly<Record<string, Value>>) {
  const row = toRow(messages, { ...blankValues(messages), ...message, message_type: 'incoming' })
  const file = { name: 'a.jpg', type: 'image/jpeg', size: 1, url: 'https://example.com/a.jpg' }
  return { id: 'sample', body: bodyOf('message.received', new Date(), messages, row, [file]) }
}

/** A row of empty values as JSON, for fields added to the collection after the event. */
const blankRow = memoize((messages: Collection): string => {
  const values = Object.entries(blankValues(messages))
  return JSON.stringify(Object.fromEntries(values.map(([name, value]) => [columnName(name), value])))
})

/** The body of a delivery. It shows the message as its owner sees it in the record API. */
function bodyOf(event: string, at: Date, messages: Collection, row: RecordRow, files: readonly object[]) {
  const data = renderRecord(messages, row, { showsHidden: false, showsEmail: false })
  const more = files.length > 0 ? `,"files":${JSON.stringify(files)}` : ''
  return `{"type":${JSON.stringify(event)},"timestamp":"${at.toISOString()}","data":${data}${more}}`
}

export type SentHeaders = Readonly<Record<string, string | number>>

export interface CallOutcome {
  /** The answer's HTTP status; 0 without an answer. */
  readonly status: number
  /** The beginning of the answer, or why there is none. */
  readonly text: string
  readonly latencyMs: number
  /** Seconds that the receiver asked us to wait; 0 for none. */
  readonly retryAfter: number
  /** The outcome of the delivery, if the status alone does not decide it. */
  readonly verdict?: 'delivered' | 'failed' | 'again'
  /** The request's headers that its user may see; absent if none was sent. */
  readonly headers?: SentHeaders
}

/** Time limit from the DNS look-up to the end of the answer. */
export const TIMEOUT_MS = 12_000

/** Slack's API refuses with status 200. https://docs.slack.dev/apis/web-api/#evaluating-responses */
const IS_REFUSAL = /^\s*\{\s*"ok"\s*:\s*false\b/

const withoutToken = (headers: Readonly<Record<string, string>>, token: string) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, masked(value, [token])]))

/** Makes one attempt of a delivery. Rejects only when `signal` aborts; other failures are outcomes. */
export async function callWebhook(due: DueDelivery, allowPrivate: boolean, signal: AbortSignal) {
  const { url, eventId: id, body, secrets, method = 'POST', moreHeaders, token = '' } = due
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': `pocketsms/${about.version}`,
    ...signatureHeaders({ id, at, body }, secrets),
    ...moreHeaders?.(at),
  }
  const shown = { ...headers, ...withoutToken(moreHeaders?.(at) ?? {}, token) }
  const begun = performance.now()
  const latencyMs = () => Math.round(performance.now() - begun)
  try {
    const limits = { allowPrivate, maxBodyBytes: KEPT_BYTES, timeoutMs: TIMEOUT_MS, signal }
    const answer = await sendOutgoing({ url, method, headers, body }, limits)
    const retryAfter = retryAfterOf(answer.status, answer.headers['retry-after'])
    const text = keptAnswer(answer.body, url, [token, ...secrets])
    const verdict = due.isFilled && IS_REFUSAL.test(text) ? ('again' as const) : undefined
    return {
      ...{ status: answer.status, text, latencyMs: latencyMs(), retryAfter, headers: shown },
      ...(verdict && { verdict }),
    }
  } catch (error) {
    if (signal.aborted) throw error
    const text = masked(reasonOf(error), [token])
    return { status: 0, text, latencyMs: latencyMs(), retryAfter: 0, headers: shown }
  }
}

/** Makes deliveries in the forms of other protocols, and mails. */
export interface OtherForms {
  readonly bodyForm: BodyForm
  /** Makes one attempt of a delivery whose `format` is set. Rejects only if `signal` aborts. */
  readonly call: (due: DueDelivery, signal: AbortSignal) => Promise<CallOutcome>
  readonly bodyOf: (due: DueDelivery) => Promise<string>
  /** Sends a delivery as a mail. Never rejects. */
  readonly mail: (due: DueDelivery, mail: WebhookMail) => Promise<CallOutcome>
}

/** Seconds after the first, second, … failed attempt: 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h. */
export const DELAYS_SECONDS: readonly number[] = [
  5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
]
/** Delays vary by up to this fraction, so that calls that failed together are not retried together. */
const JITTER = 0.1
const MAX_RETRY_AFTER_SECONDS = 86_400

/** How long links to an event's files are valid: 10 days, longer than all attempts if each is delayed. */
const LINK_SECONDS = (DELAYS_SECONDS.length + 1) * MAX_RETRY_AFTER_SECONDS

/** Seconds until the next attempt, at least `retryAfter`; undefined after the last. `chance`: 0 to 1. */
export function nextDelay(attempts: number, retryAfter = 0, chance = Math.random()): number | undefined {
  const delay = DELAYS_SECONDS[attempts - 1]
  if (delay === undefined) return undefined
  return Math.max(delay * (1 - JITTER + 2 * JITTER * chance), Math.min(retryAfter, MAX_RETRY_AFTER_SECONDS))
}

/** Seconds that a 429 or 503 asks to wait, as a number or date; 0 for none. RFC 9110, 10.2.3; RFC 6585, 4 */
export function retryAfterOf(status: number, header: string | undefined, now = new Date()): number {
  if (!header || (status !== 429 && status !== 503)) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const until = Date.parse(header)
  return Number.isNaN(until) ? 0 : Math.max(0, (until - now.getTime()) / 1000)
}
