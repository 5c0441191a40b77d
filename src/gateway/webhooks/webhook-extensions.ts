import type { Store } from '../../engine/collections/catalog.ts'
import type { Collection } from '../../engine/collections/collection.ts'
import type { Value } from '../../engine/fields/field.ts'
import { validateDraft } from '../../engine/records/check-write.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { requireOwnRecord } from '../../engine/records/require-own.ts'
import { type FieldError, invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { findUrlFault, type UrlFault } from '../../platform/outgoing/refuse-private-addresses.ts'
import { MESSAGE_COLLECTION } from '../base/message-files.ts'
import { requireRoomFor } from '../base/require-room.ts'
import type { WebhookSettings } from './delivery-worker.ts'
import { makeSampleEvent } from './event-body.ts'
import { failPending } from './fail-deliveries.ts'
import { fillTemplates, type WebhookEvent } from './fill-templates.ts'
import { checkMailAddress } from './fill-webhook-mail.ts'
import { END_REASONS } from './load-delivery.ts'
import { AUDIT_EVENT } from './queue-audit-calls.ts'
import { makeSampleMessage } from './send-test-event.ts'
import { TEMPLATE_FIELDS, TemplateFault, type TemplateFields } from './template-fields.ts'
import { makeWebhookSecret, NEW_SECRET } from './webhook-secret.ts'

export const WEBHOOKS = 'webhooks'
export const DELIVERIES = 'webhook_deliveries'

const SET_BY_SERVER = ['secret', 'previous_secret', 'service_token'] as const
/** Fields that restrict a webhook to the messages of a device or of lines (SIMs). */
const LIMITS = ['device', 'lines'] as const
/** An update that changes one of these fields checks the webhook again. */
const CHECKED_FIELDS = [...TEMPLATE_FIELDS, 'service_token'] as const

/** Shown to the owner instead of a stored token. An update with this value keeps the token. */
const HIDDEN = '***'

const ALLOWING = "The server's setting WEBHOOK_ALLOW_PRIVATE allows http:// and private addresses"

const URL_ERRORS: Readonly<Record<UrlFault, FieldError>> = {
  not_a_url: makeFieldError('validation_invalid_url', 'Must be a valid url'),
  not_http: makeFieldError('validation_url_not_http', 'Must begin with https://'),
  not_https: makeFieldError('validation_url_not_https', `Must begin with https://. ${ALLOWING}`),
  private: makeFieldError('validation_url_private', `Must not be a private address. ${ALLOWING}`),
}

type Values = Record<string, Value>

/** Other forms have no place for an entry of the audit log. Throws 400. */
function refuseAuditEvent({ format, events }: Readonly<Values>): void {
  if (format !== '' && (events as readonly string[]).includes(AUDIT_EVENT))
    throw invalidFields({
      events: makeFieldError('validation_invalid_value', `${AUDIT_EVENT} needs an empty format.`),
    })
}

function checkAddress({ format, url }: Readonly<Values>, allowPrivate: boolean): void {
  const isMail = format === 'template' && String(url).startsWith('mailto:')
  const fault = isMail ? undefined : findUrlFault(String(url), allowPrivate)
  if (fault) throw invalidFields({ url: URL_ERRORS[fault] })
}

/** Adapts the values of a webhook to the protocol of its format. Throws 400. */
export type FitWebhook = (store: Store, values: Values) => Promise<void>

/**
 * The collection `webhooks`. Only creation returns the secret. Disabling a webhook, or changing its format,
 * ends its pending deliveries as failed.
 */
export function makeWebhooksExtension(
  { webhookAllowPrivate }: WebhookSettings,
  fits: readonly FitWebhook[],
) {
  const check = (store: Store, values: Values) => {
    const collection = store.catalog.find(WEBHOOKS) as Collection
    // if fields are invalid, the general validation reports all of them together
    if (Object.keys(validateDraft(collection, { values, passwords: {} })).length > 0) return
    checkAddress(values, webhookAllowPrivate)
    if (values.format !== 'template') return
    const sample = makeSampleEvent(
      store.catalog.find(MESSAGE_COLLECTION)!,
      makeSampleMessage(String(values.user)),
    )
    const fields = { ...values, token: values.service_token } as unknown as TemplateFields
    const wrong = findTemplateFault(fields, sample)
    if (wrong)
      throw invalidFields({
        [wrong.field]: makeFieldError('validation_invalid_template', wrong.message),
      })
  }
  return {
    grantsAccess: true,
    setByServer: SET_BY_SERVER,
    shownOnce: NEW_SECRET.shape,
    // an import allows private addresses: the exporting server may have allowed them
    check: (values) => checkAddress(values, true),
    async beforeCreate(store, values, { body }) {
      const secret = makeWebhookSecret()
      Object.assign(values, { secret, previous_secret: '' })
      if (!('enabled' in body)) values.enabled = true
      keepToken(values)
      for (const fitForm of fits) await fitForm(store, values)
      refuseAuditEvent(values)
      check(store, { ...values, id: values.id || 'newwebhook00000' })
      for (const field of LIMITS) await requireOwnRecord(store, field, values)
      await requireRoomFor(store.db, 'webhooks', String(values.user))
      return { secret }
    },
    async beforeUpdate(store, values, old) {
      for (const field of SET_BY_SERVER) values[field] = old[field]!
      keepToken(values, old)
      for (const fitForm of fits) await fitForm(store, values)
      refuseAuditEvent(values)
      if (CHECKED_FIELDS.some((field) => values[field] !== old[field])) check(store, values)
      for (const field of LIMITS) await requireOwnRecord(store, field, values, old)
      const isDisabled = old.enabled && !values.enabled
      // a pending call would use the new format or event, and say `sms:delivered` instead of `sms:sent`
      const isOther = values.smsgate_event !== old.smsgate_event || values.format !== old.format
      const reason = isDisabled ? END_REASONS.disabled : END_REASONS.changed
      if (isDisabled || isOther)
        await failPending(store.db, String(old.id), String(old.user), reason)
    },
    async afterDelete({ db }, ids) {
      await queries(db)
        .deleteFrom('webhook_rotations')
        .where('webhook', '=', matchAny(ids))
        .execute()
    },
  } satisfies Extension
}

/** Moves the token to a hidden field. Drops the token if the URL changes to another server. */
function keepToken(values: Values, old?: Readonly<Values>) {
  if (values.format !== 'template' && !old?.service_token) return
  const isSame = old && parseUrlOrigin(values.url) === parseUrlOrigin(old.url)
  const kept = isSame ? (old.service_token ?? '') : ''
  values.service_token =
    values.format !== 'template' ? '' : values.token === HIDDEN ? kept : values.token!
  values.token = values.service_token && HIDDEN
  if (values.format !== 'template') return
  values.preset ||= 'custom'
  values.smsgate_event = ''
}

const parseUrlOrigin = (url: unknown) => URL.parse(String(url))?.origin

/** Deletes the payloads, headers and queue rows of deleted deliveries. */
export const deliveriesExtension: Extension = {
  async afterDelete({ db }, ids) {
    for (const table of ['webhook_payloads', 'webhook_headers', 'webhook_dispatch'] as const)
      await queries(db).deleteFrom(table).where('delivery', '=', matchAny(ids)).execute()
  },
}

/** Fills all branches of a webhook's templates with a sample event. Returns the first fault, if any. */
function findTemplateFault(
  fields: TemplateFields,
  sample: WebhookEvent,
): TemplateFault | undefined {
  const given = { ...fields, target: fields.target || 'x', token: fields.token || 'x' }
  const found = catchTemplateFault(() => {
    if (fields.url.startsWith('mailto:')) checkMailAddress(fields.url)
    fillTemplates(given, sample, true)
  })
  if (found) return found
  const missing = (['target', 'token'] as const).find((name) =>
    catchTemplateFault(() => fillTemplates({ ...given, [name]: fields[name] }, sample)),
  )
  return missing && new TemplateFault(missing, 'Cannot be blank.')
}

function catchTemplateFault(work: () => unknown): TemplateFault | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof TemplateFault) return error
    throw error
  }
}
