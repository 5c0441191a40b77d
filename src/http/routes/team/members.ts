import { Hono } from 'hono'
import { z } from 'zod'
import { ACCOUNT_OF_MEMBER, actFor, listAccounts, ME, readMe } from '../../../auth/members/accounts.ts'
import { tokenOf } from '../../../auth/tokens/tokens.ts'
import { object, text } from '../../../fields/shape.ts'
import { ACCOUNT, chapter, SIGNED_IN } from '../../../openapi/schemas/operations.ts'
import type { Env, Services } from '../../context.ts'
import { readForm } from '../../forms/form.ts'
import { requireAuth, requireUser } from '../../middleware/audit.ts'
import { signedIn } from '../auth.ts'

const ACT_FOR = object({ account: text })

/** `/api/account`: members of accounts. */
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
  })
