import type { Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import { quoteName, toColumnName, toTableName } from '../../engine/collections/sql-names.ts'
import { makeBlankValues } from '../../engine/records/prepare.ts'
import { columnsOf, type RecordRow } from '../../engine/records/record-row.ts'
import { findStatementName } from '../../engine/records/statement-name.ts'
import { toObjects } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { memoize } from '../../platform/tools/lru.ts'
import { type LinkedFile, linkFiles, MESSAGE_COLLECTION } from '../base/message-files.ts'
import { LINK_SECONDS, makeEventBody, renderEventMessage } from './event-body.ts'
import { fillTemplates } from './fill-templates.ts'
import type { WebhookMail } from './fill-webhook-mail.ts'
import { isSecret } from './sign-webhook.ts'
import { TemplateFault, type TemplateFields } from './template-fields.ts'

/** Why deliveries end without another call. */
export const END_REASONS = {
  disabled: 'The webhook is disabled',
  changed: 'The webhook is for another event or format now',
  gone: 'The receiver answered 410: the webhook was disabled',
  unsigned: 'The webhook has no secret, rotate it',
} as const

/** Attempts of a delivery that is not in the form of Standard Webhooks: now, then after 5 s, 5 and 30 min. */
const OTHER_ATTEMPTS = 4

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
  /** The message's row as the event left it: its keys are columns. Or `audit`: an entry of the audit log. */
  readonly image: Readonly<Record<string, unknown>>
  readonly files: readonly LinkedFile[]
  /** Id of the API key that signs a delivery with a `format`; '' for none. */
  readonly apiKey: string
  /** The valid secrets, newest first. */
  readonly secrets: readonly string[]
  /** The call to send. Equal at every attempt, unless fields of the collection change. */
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
  readonly render: (
    facts: string,
    eventId: string,
    at: Date,
  ) => Pick<DueDelivery, 'body' | 'moreHeaders'>
}

const IS_OPEN = `d.status = 'pending' and (w.id is not null or p.target is not null)`

/** Returns, by delivery id, what the next attempts need. Leaves out finished deliveries. */
export const findDueDeliveries = (store: Store, deliveries: readonly string[], form?: BodyForm) =>
  findDeliveriesWhere(store, deliveries, IS_OPEN, form)

/** Finds a delivery in any state; undefined for an unknown id. */
export const findDelivery = async (store: Store, delivery: string, form?: BodyForm) =>
  (await findDeliveriesWhere(store, [delivery], 'true', form)).get(delivery)

async function findDeliveriesWhere(
  store: Store,
  deliveries: readonly string[],
  condition: string,
  form: BodyForm | undefined,
): Promise<Map<string, DueDelivery>> {
  const messages = store.catalog.find(MESSAGE_COLLECTION)!
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
      json_populate_record(null::${quoteName(toTableName(messages))}, $2), p.image) b
    where d.id = any($1::text[]) and p.delivery = any($1::text[]) and ${condition}`
  const name = findStatementName(store.catalog, text)
  const { rows, fields } = await store.db.lookUp(text, [deliveries, blankRow(messages)], name)
  const found = toObjects<DueColumns>({
    rows: rows.map((row) => row.slice(count)),
    fields: fields.slice(count),
  })
  const due = found.map((more, i) =>
    makeDueDelivery(store.db, messages, rows[i] as RecordRow, more, form),
  )
  return new Map((await Promise.all(due)).map((one) => [one.delivery, one]))
}

async function makeDueDelivery(
  db: Db,
  messages: Collection,
  row: RecordRow,
  more: DueColumns,
  form: BodyForm | undefined,
): Promise<DueDelivery> {
  const image = JSON.parse(more.image) as DueDelivery['image']
  const names = (image.attachments ?? []) as string[]
  const until = Math.floor(more.at) + LINK_SECONDS
  const files = form ? await linkFiles(db, String(image.id), names, until, form.publicUrl) : []
  const {
    delivery,
    user,
    webhook,
    eventId,
    event,
    attempts,
    url,
    format,
    apiKey,
    isOpen,
    facts,
    fields,
  } = more
  // webhooks that were imported from Vendel, another gateway, have secrets of any form
  const secrets = more.secrets.filter((secret) =>
    format === 'vendel' ? secret !== '' : isSecret(secret),
  )
  const time = new Date(more.at * 1000)
  const isUsual = format === '' || format === 'template'
  const isSigned = format === 'template' || apiKey !== '' || secrets.length > 0
  const data = image.audit ? JSON.stringify(image.audit) : renderEventMessage(messages, row)
  const due: DueDelivery = {
    delivery,
    user,
    webhook,
    eventId,
    attempts,
    event,
    url,
    apiKey,
    secrets,
    image,
    files,
    format: isUsual ? '' : format,
    closed: format === 'callback' ? undefined : findClosedReason(isOpen, isSigned),
    maxAttempts: isUsual ? Number.POSITIVE_INFINITY : OTHER_ATTEMPTS,
    body: isUsual && facts === null ? makeEventBody(event, time, data, files) : '',
    ...(facts !== null && form?.render(facts, eventId, time)),
  }
  return fields === null ? due : { ...due, ...fillDelivery(JSON.parse(fields), due) }
}

/** Fills the webhook's templates from the delivery's body. A TemplateFault ends it without a retry. */
function fillDelivery(
  fields: TemplateFields,
  { eventId: id, body, closed }: DueDelivery,
): Partial<DueDelivery> {
  try {
    const { headers, ...request } = fillTemplates(fields, { id, body })
    return { ...request, isFilled: true, token: fields.token, moreHeaders: () => headers }
  } catch (error) {
    if (error instanceof TemplateFault)
      return { closed: closed ?? `${error.field}: ${error.message}` }
    throw error
  }
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

const findClosedReason = (isOpen: boolean | null, isSigned: boolean) =>
  isOpen ? (isSigned ? undefined : END_REASONS.unsigned) : END_REASONS.disabled

/** A row of empty values as JSON, for fields added to the collection after the event. */
const blankRow = memoize((messages: Collection): string => {
  const values = Object.entries(makeBlankValues(messages))
  return JSON.stringify(
    Object.fromEntries(values.map(([name, value]) => [toColumnName(name), value])),
  )
})
