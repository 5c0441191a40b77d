import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { LOCKS } from '../db/advisory-locks.ts'
import { badRequest, type FieldError, fieldError } from '../errors.ts'
import type { Value } from '../fields/field.ts'
import { type UrlFault, urlFault } from '../outgoing/addresses.ts'
import type { Extension } from '../records/extension.ts'
import { validate } from '../records/input/validate.ts'
import type { WebhookSettings } from './delivery-worker.ts'
import { END_REASONS } from './due.ts'
import { failPending } from './record-outcome.ts'
import { newSecret } from './secrets.ts'

/** Ids of the two collections. */
export const WEBHOOKS = 'webhooks'
export const DELIVERIES = 'webhook_deliveries'

/** What nobody but the server says of a webhook. */
export const SET_BY_SERVER = ['secret', 'previous_secret'] as const

const FAILED = 'Failed to create record.'
const COUNT = 'select count(*) from webhooks where "user" = $1'

/** What is wrong with the address of a webhook, in PocketBase's form. */
const URL_ERRORS: Readonly<Record<UrlFault, FieldError>> = {
  not_a_url: fieldError('validation_invalid_url', 'Must be a valid url'),
  not_http: fieldError('validation_url_not_http', 'Must begin with https://'),
  not_https: fieldError('validation_url_not_https', 'Must begin with https://'),
  private: fieldError('validation_url_private', 'Must not be a private address'),
}

/** Each is a delivery an event: one send to 1,000 opted-out numbers makes 20,000 of them in one statement. */
const MOST_WEBHOOKS = 20
const TOO_MANY = fieldError('validation_too_many_webhooks', `A user has at most ${MOST_WEBHOOKS} webhooks.`)

type Values = Record<string, Value>

/**
 * Webhooks: a secret is made with the record and shown in the answer to that create only. What a client says
 * about secrets is overruled. A new webhook is enabled unless the create says otherwise; what still waits
 * when one is disabled ends as failed.
 */
export function webhooksExtension({ webhookAllowPrivate }: WebhookSettings): Extension {
  const check = (store: Store, failed: string, values: Values) => {
    const collection = store.catalog.find(WEBHOOKS) as Collection
    // other errors first: they are told all at once
    if (Object.keys(validate(collection, { values, passwords: {} })).length > 0) return
    const fault = urlFault(String(values.url), webhookAllowPrivate)
    if (fault) throw badRequest(failed, { url: URL_ERRORS[fault] })
  }
  return {
    grantsAccess: true,
    async beforeCreate(store, values, { body }) {
      const secret = newSecret()
      Object.assign(values, { secret, previous_secret: '' })
      if (!('enabled' in body)) values.enabled = true
      check(store, FAILED, { ...values, id: values.id || 'newwebhook00000' })
      await store.db.query('select pg_advisory_xact_lock($1, hashtext($2))', [
        LOCKS.webhookCount,
        values.user,
      ])
      const { rows } = await store.db.query(COUNT, [values.user], 'webhooks of a user')
      if (Number(rows[0]![0]) >= MOST_WEBHOOKS) throw badRequest(FAILED, { user: TOO_MANY })
      return { secret }
    },
    async beforeUpdate(store, values, old) {
      for (const field of SET_BY_SERVER) values[field] = old[field]!
      if (values.url !== old.url) check(store, 'Failed to update record.', values)
      if (old.enabled && !values.enabled)
        await failPending(store.db, String(old.id), String(old.user), END_REASONS.disabled)
      return {}
    },
    async afterDelete({ db }, ids) {
      await db.query('delete from webhook_rotations where webhook = any($1)', [ids], 'forget rotations')
    },
  }
}

/** Deliveries: what they say goes with them. */
export const deliveriesExtension: Extension = {
  async afterDelete({ db }, ids) {
    await db.query('delete from webhook_payloads where delivery = any($1)', [ids], 'forget payloads')
    await db.query('delete from webhook_dispatch where delivery = any($1)', [ids], 'forget dispatch')
  },
}
