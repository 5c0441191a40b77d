import { z } from 'zod'
import { checkShape } from '../../gateway/base/body-schemas.ts'
import { makePhoneSettings } from '../../gateway/smsgate-app/app-json.ts'
import { allowOwner } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { MAX_PARAMETER_BYTES } from '../read-parameters.ts'
import { defineRoute } from './define-route.ts'

/** Letters and digits of a new key: at least 256 bits. */
const KEY_LENGTH = 43

const [MIN_LENGTH, MAX_LENGTH] = [16, 255]
const FAULT = `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`

const SIGNING_KEY = z.object({
  signing_key: z
    .string('must be a text')
    .min(MIN_LENGTH, FAULT)
    .max(MAX_LENGTH, FAULT)
    .refine((key) => !key.includes('\0'), 'must not contain a NUL character'),
})

/** Stores a signing key, unless the user was deleted. */
const insertKey = (db: Db, user: string, key: string) =>
  queries(db)
    .insertInto('smsgate_accounts')
    .columns(['user', 'signing_key'])
    .expression((from) =>
      from
        .selectFrom('users')
        .select(({ val }) => ['id as user', val(key).as('signing_key')])
        .where('id', '=', user),
    )

/** Makes the key with which a user's webhooks in SMSGate's form are signed, unless there is one. */
export const ensureSigningKey = (db: Db, user: string) =>
  insertKey(db, user, makeRandomText(KEY_LENGTH))
    .onConflict((found) => found.doNothing())
    .execute()

/** Replaces a user's signing key, for deliveries from now on. */
const setSigningKey = (db: Db, user: string, key: string) =>
  insertKey(db, user, key)
    .onConflict((found) =>
      found.column('user').doUpdateSet(({ ref }) => ({ signing_key: ref('excluded.signing_key') })),
    )
    .execute()

const findKey = (db: Db, user: string) =>
  queries(db)
    .selectFrom('smsgate_accounts')
    .select('signing_key')
    .where('user', '=', user)
    .executeTakeFirst()

/** Only the signing key can be set. Limits are set on devices; the phones' other settings are fixed. */
const SETTINGS_BODY = z
  .object({ webhooks: SIGNING_KEY.nullish() })
  .meta({ id: 'SmsgateSettingsChange' })

const ALLOWED = 'webhooks.signing_key'

/** The signing key that a body sets, if any. Throws 400 for any other field. */
function readSigningKey(raw: unknown): string | undefined {
  for (const name of listSettingNames(raw))
    if (name !== ALLOWED)
      throw invalidRequest(
        `${name} cannot be set here: set limits on a device, and other settings in the app`,
      )
  return checkShape(SETTINGS_BODY, raw).webhooks?.signing_key
}

/** Names of the values in a body, as `section.name`; null counts as absent. */
function* listSettingNames(raw: unknown): Generator<string> {
  if (typeof raw !== 'object' || raw === null) return
  for (const [section, values] of Object.entries(raw)) {
    if (values === null) continue
    if (typeof values !== 'object') yield section
    else
      for (const [name, value] of Object.entries(values))
        if (value !== null) yield `${section}.${name}`
  }
}

/** The settings of phones as SMSGate's API shows them, without the key. */
export const PHONE_SETTINGS = (() => {
  const { webhooks, ...others } = makePhoneSettings({ signingKey: '' })
  const { signing_key: _, ...shown } = webhooks
  return { ...others, webhooks: shown }
})()

/** A route of SMSGate's API that changes settings, of which only the key can be set. */
export const defineKeyRoute = () =>
  defineRoute(
    'settings:write',
    'Set the key that webhooks are signed with',
    'keys',
    async ({ store, user, json }) => {
      const key = readSigningKey(json)
      if (key !== undefined) await setSigningKey(store.db, user, key)
      return PHONE_SETTINGS
    },
    { body: SETTINGS_BODY },
  )

/** Routes to read and set the key that signs a user's webhooks in SMSGate's form. */
export const SIGNING_KEY_ROUTES = makeRoutes('account', {
  'GET /api/account/smsgate-key': {
    permission: allowOwner(),
    bound: 'keys',
    describe: {
      id: 'readSmsgateKey',
      summary: "Read the signing key of SMSGate's form",
      description:
        "The key that signs the user's webhooks in SMSGate's form. Created when it is first read.",
      answer: ['The key.', SIGNING_KEY],
    },
    changes: true,
    run: async ({ user, store }, c) => {
      c.header('cache-control', 'no-store')
      await ensureSigningKey(store.db, user)
      return (await findKey(store.db, user)) ?? { signing_key: '' }
    },
  },
  'PUT /api/account/smsgate-key': {
    permission: allowOwner(),
    maxBytes: MAX_PARAMETER_BYTES,
    bound: 'keys',
    describe: {
      id: 'saveSmsgateKey',
      summary: "Change the signing key of SMSGate's form",
      description: 'It signs all deliveries from now on.',
      body: [SIGNING_KEY],
      answer: ['Kept.'],
    },
    run: async ({ user, store }, c) => {
      const { signing_key } = checkShape(SIGNING_KEY, await readJsonBody(c))
      await setSigningKey(store.db, user, signing_key)
    },
  },
})
