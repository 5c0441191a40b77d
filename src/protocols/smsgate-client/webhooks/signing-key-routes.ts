import { Hono } from 'hono'
import { readJson } from '../../../http/body/raw-body.ts'
import type { Env, Services } from '../../../http/context.ts'
import { requireUser } from '../../../http/middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../../http/middleware/guest-body.ts'
import { ACCOUNT, chapter, SIGNED_IN } from '../../../openapi/schemas/operations.ts'
import { checkShape } from '../../../sms/send/shape.ts'
import { SIGNING_KEY, setSigningKey, signingKeyOf } from './signing-key.ts'

const PATH = '/api/account/smsgate-key'

/** The key with which a user's webhooks in SMSGate's form are signed. */
export function signingKeyRoutes(services: Services): Hono<Env> {
  return new Hono<Env>()
    .get(PATH, async (c) => {
      const { user, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json({ signing_key: await signingKeyOf(store.db, user) })
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
      description:
        "The key with which the user's webhooks in SMSGate's form are signed. Made when it is first read.",
      answer: ['The key.', SIGNING_KEY],
    },
    [`PUT ${PATH}`]: {
      id: 'saveSmsgateKey',
      summary: "Change the signing key of SMSGate's form",
      description: 'What is delivered from now on is signed with it.',
      body: [SIGNING_KEY],
      answer: ['Kept.'],
    },
  })
