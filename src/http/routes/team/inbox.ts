import { Hono } from 'hono'
import { ACCOUNT, chapter, SIGNED_IN } from '../../../openapi/schemas/operations.ts'
import { PRESENCE, tellPresence } from '../../../realtime/presence.ts'
import { countInbox, INBOX } from '../../../sms/conversations/inbox.ts'
import { checkShape } from '../../../sms/send/shape.ts'
import { readJson } from '../../body/json-body.ts'
import type { Env, Services } from '../../context.ts'
import { requireUser } from '../../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../middleware/guest-body.ts'
import { holderOf } from '../../server/store-of.ts'

/** `/api/account`: the shared inbox. */
export const inboxRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/inbox', async (c) => {
      const { user, auth, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await countInbox(store.db, user, auth.sender))
    })
    .post('/presence', async (c) => {
      const { user, auth, store } = await requireUser(c, services)
      const presence = checkShape(PRESENCE, await readJson(c, GUEST_BODY_BYTES))
      const holder = holderOf(c.env.incoming, services, auth)
      await tellPresence(store.db, holder, { account: user, sender: auth.sender }, presence)
      return c.body(null, 204)
    })

export const inboxPaths = () =>
  chapter(ACCOUNT, SIGNED_IN, {
    'GET /api/account/inbox': {
      id: 'readInbox',
      summary: 'Count the conversations of each view',
      description:
        'Count the conversations of each view; 1,000 stands for that many and more. The texts of the fields are the filters that list them.',
      answer: ['The counts.', INBOX],
    },
    'POST /api/account/presence': {
      id: 'tellPresence',
      summary: 'Say that one reads or writes',
      description:
        "Tell the account's other clients what the caller does in a conversation. They subscribe to the realtime topic `presence` and get `{conversation, sender, name, state}`; a client ignores its own `sender`. It is not stored: say it again every few seconds.",
      body: [PRESENCE, { conversation: 'a1b2c3d4e5f6g7h', state: 'writing' }],
      answer: ['Told.'],
    },
  })
