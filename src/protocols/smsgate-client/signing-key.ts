import { Hono } from 'hono'
import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { runForRow, statement, text } from '../../db/statement.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Env, Services } from '../../http/context.ts'
import { requireUser } from '../../http/middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../http/middleware/gate.ts'
import { ACCOUNT, chapter, SIGNED_IN } from '../../openapi/operations.ts'
import { checkShape, invalid } from '../../sms/send/shape.ts'
import { randomText } from '../../tools/random.ts'

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

const ADD = `
insert into smsgate_accounts ("user", signing_key) select id, $2 from users where id = $1 on conflict do nothing`

/** Makes the key with which a user's webhooks in SMSGate's form are signed, unless there is one. */
export const ensureSigningKey = (db: Db, user: string) =>
  db.query(ADD, [user, randomText(KEY_LENGTH)], 'smsgate add key')

const FIND = statement('smsgate key', { signing_key: 'string' })`
select signing_key from smsgate_accounts where "user" = ${text('user')}`

const SET = `
insert into smsgate_accounts as a ("user", signing_key) select id, $2 from users where id = $1
on conflict ("user") do update set signing_key = excluded.signing_key`

/** Replaces a user's signing key, for deliveries from now on. */
export const setSigningKey = (db: Db, user: string, key: string) =>
  db.query(SET, [user, key], 'smsgate set key')

/** Only the signing key can be set. Limits are set on devices; the phones' other settings are fixed. */
export const SETTINGS_BODY = z
  .object({ webhooks: SIGNING_KEY.nullish() })
  .meta({ id: 'SmsgateSettingsChange' })

const ALLOWED = 'webhooks.signing_key'

/** The signing key that a body sets, if any. Throws 400 for any other field. */
export function readSigningKey(raw: unknown): string | undefined {
  for (const name of leavesOf(raw))
    if (name !== ALLOWED)
      throw invalid(`${name} cannot be set here: set limits on a device, and other settings in the app`)
  return checkShape(SETTINGS_BODY, raw).webhooks?.signing_key
}

/** Names of the values in a body, as `section.name`; null counts as absent. */
function* leavesOf(raw: unknown): Generator<string> {
  if (typeof raw !== 'object' || raw === null) return
  for (const [section, values] of Object.entries(raw)) {
    if (values === null) continue
    if (typeof values !== 'object') yield section
    else for (const [name, value] of Object.entries(values)) if (value !== null) yield `${section}.${name}`
  }
}

const PATH = '/api/account/smsgate-key'

/** Routes to read and set the key that signs a user's webhooks in SMSGate's form. */
export function signingKeyRoutes(services: Services): Hono<Env> {
  return new Hono<Env>()
    .get(PATH, async (c) => {
      const { user, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      await ensureSigningKey(store.db, user)
      return c.json((await runForRow(store.db, FIND, { user })) ?? { signing_key: '' })
    })
    .put(PATH, async (c) => {
      const { user, store } = await requireUser(c, services)
      const { signing_key } = checkShape(SIGNING_KEY, await readJson(c, GUEST_BODY_BYTES))
      await setSigningKey(store.db, user, signing_key)
      return c.body(null, 204)
    })
}

export const signingKeyPaths = () =>
  chapter(ACCOUNT, SIGNED_IN, {
    [`GET ${PATH}`]: {
      id: 'readSmsgateKey',
      summary: "Read the signing key of SMSGate's form",
      description: "The key that signs the user's webhooks in SMSGate's form. Created when it is first read.",
      answer: ['The key.', SIGNING_KEY],
    },
    [`PUT ${PATH}`]: {
      id: 'saveSmsgateKey',
      summary: "Change the signing key of SMSGate's form",
      description: 'It signs all deliveries from now on.',
      body: [SIGNING_KEY],
      answer: ['Kept.'],
    },
  })
