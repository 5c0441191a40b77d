import { Hono } from 'hono'
import { z } from 'zod'
import { ACCOUNT_OF_MEMBER, actFor, listAccounts, ME, readMe } from '../../../auth/members.ts'
import { tokenOf } from '../../../auth/tokens.ts'
import { object, text } from '../../../fields/shape.ts'
import { ACCOUNT, chapter, SIGNED_IN } from '../../../openapi/operations.ts'
import { PRESENCE, tellPresence } from '../../../realtime/hub.ts'
import { countInbox, INBOX } from '../../../sms/conversations/inbox.ts'
import { checkShape } from '../../../sms/send/shape.ts'
import { readJson } from '../../body/raw-body.ts'
import type { Env, Services } from '../../context.ts'
import { readForm } from '../../forms/form.ts'
import { requireAuth, requireUser } from '../../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../middleware/guest-body.ts'
import { holderOf } from '../../server/store-of.ts'
import { signedIn } from '../auth.ts'

const ACT_FOR = object({ account: text })

/** `/api/account`: members of accounts, and their shared inbox. */
export const memberRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/me', async (c) => {
      const { auth, store } = await requireAuth(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await readMe(store.db, auth))
    })
    .get('/accounts', async (c) => {
      const { user, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await listAccounts(store.db, user))
    })
    .post('/act-for', async (c) => {
      const { auth: member } = await requireUser(c, services)
      const { account } = await readForm(c, ACT_FOR)
      const own = tokenOf(c.env.incoming.headers.authorization)
      const { auth, token } = await actFor(services.store.signIn, member, own, account)
      return signedIn(c, services, auth, { token }, { asker: auth })
    })
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

export const memberPaths = () =>
  chapter(ACCOUNT, SIGNED_IN, {
    'GET /api/account/me': {
      id: 'readMe',
      summary: 'Read the account of the token, and who uses it',
      answer: ['Account, sender and role.', ME],
    },
    'GET /api/account/accounts': {
      id: 'listAccounts',
      summary: 'List the accounts that one may act for',
      description: 'List the accounts that the user is a member of, by name; at most 1,000.',
      answer: ['The accounts.', z.array(ACCOUNT_OF_MEMBER)],
    },
    'POST /api/account/act-for': {
      id: 'actFor',
      summary: 'Get a token to act for an account',
      description:
        "For members of the account, with their own token. The answer is that of a sign-in: the account's record, and a token for it that any client uses as it would the account's own. It allows what the role allows, else the answer is 403. It expires with the member's token, cannot be refreshed, and ends at once when the membership, the role, or the password or session of either ends or changes.",
      body: [z.object({ account: z.string().describe('Its id.') }), { account: 'h7k2m9q4w1x8z5b' }],
      answer: [
        'The account and the token.',
        z.object({ record: z.record(z.string(), z.unknown()), token: z.string() }).meta({ id: 'Acting' }),
      ],
      fails: [400, 401, 404, 413],
    },
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
