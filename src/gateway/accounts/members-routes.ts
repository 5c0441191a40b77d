import { z } from 'zod'
import { makeObjectShape, text } from '../../engine/fields/json-shapes.ts'
import { announcePresence, PRESENCE } from '../../engine/realtime/announce-presence.ts'
import { allowAuthenticated, allowOwner, allowRole } from '../../http/allow-callers.ts'
import { readForm } from '../../http/body/form.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { FORM_BYTES, GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { answerWithToken } from '../../http/routes/answer-with-token.ts'
import { checkShape } from '../base/body-schemas.ts'
import { INBOX, loadInbox } from '../conversations/count-inbox.ts'
import { ACCOUNT_OF_MEMBER, actForAccount, listAccountsOfMember } from './act-for.ts'
import { loadOwnAccount, ME } from './load-own-account.ts'
import { loadTeamFactors, TEAM_FACTORS } from './required-factors.ts'
import { loadToday, TODAY } from './today.ts'

const ACT_FOR = makeObjectShape({ account: text })

const OF_MEMBERSHIPS: Bound = {
  cost: 'names of senders, memberships',
  by: 'two rows; 1,000 memberships',
}

/** `/api/account`: members of accounts, and their shared inbox. */
export const MEMBER_ROUTES = makeRoutes('account', {
  'GET /api/account/me': {
    permission: allowAuthenticated('viewer'),
    bound: OF_MEMBERSHIPS,
    describe: {
      id: 'readMe',
      summary: 'Read the account of the token, and who uses it',
      answer: ['Account, sender and role.', ME],
    },
    run: ({ auth, store }) => loadOwnAccount(store.db, auth),
  },
  'GET /api/account/accounts': {
    permission: { ...allowOwner(), personal: true },
    bound: OF_MEMBERSHIPS,
    describe: {
      id: 'listAccounts',
      summary: 'List the accounts that one may act for',
      description: 'List the accounts that the user is a member of, by name; at most 1,000.',
      answer: ['The accounts.', z.array(ACCOUNT_OF_MEMBER)],
    },
    run: ({ user, store }) => listAccountsOfMember(store.db, user),
  },
  'GET /api/account/team-factors': {
    permission: allowOwner(),
    bound: {
      cost: "members, the account's log of changes",
      by: '1,000 members, 1,000 keys; the index of the account; 30 s',
    },
    describe: {
      id: 'readTeamFactors',
      summary: 'See who of the team has a second factor',
      description:
        'For the owner. `second_factor_from` of `user_settings` is the date from which nobody acts for the account without one.',
      answer: ['The people of the account.', TEAM_FACTORS],
    },
    run: ({ user, store }) => loadTeamFactors(store.db, user),
  },
  'POST /api/account/act-for': {
    permission: { ...allowOwner(), personal: true },
    maxBytes: FORM_BYTES,
    bound: {
      cost: 'constant cost',
      by: 'keys. The same token gets the same new token, so a session has one row for each account',
    },
    describe: {
      id: 'actFor',
      summary: 'Get a token to act for an account',
      description:
        "For members of the account, with their own token. The answer is that of a sign-in: the account's record, and a token that any client can use like the account's own. Requests beyond the role are answered with 403. The token expires with the member's token, cannot be refreshed, and ends at once when the membership, the role, or the password or session of either ends or changes. If the account requires a second factor and the member has none, the answer is 403.",
      body: [z.object({ account: z.string().describe('Its id.') }), { account: 'h7k2m9q4w1x8z5b' }],
      answer: [
        'The account and the token.',
        z
          .object({ record: z.record(z.string(), z.unknown()), token: z.string() })
          .meta({ id: 'Acting' }),
      ],
      fails: [400, 401, 404, 413],
    },
    run: async ({ auth: member, services }, c) => {
      const { account } = await readForm(c, ACT_FOR)
      const own = c.env.incoming.token
      const { auth, token } = await actForAccount(
        services.store.signIn,
        member,
        own,
        account,
        c.env.incoming.ip,
      )
      return answerWithToken(c, services, auth, { token }, { asker: auth })
    },
  },
  'GET /api/account/inbox': {
    permission: allowRole('viewer'),
    bound: {
      cost: 'conversations',
      by: '1,000 conversations of each of 9 views, by their indexes; 100 of each of 50 saved views, by the index of the account; 100 labels; the numbers of 100 conversations; turns',
    },
    describe: {
      id: 'readInbox',
      summary: 'Count the conversations of each view',
      description:
        'Count the conversations of each view; 1,000 means 1,000 or more. The text fields are the filters that list them. `labels` are those of the account, `views` the saved views of the caller.',
      answer: ['The counts.', INBOX],
    },
    run: ({ user, auth, store }) => loadInbox(store.db, user, auth.sender),
  },
  'GET /api/account/today': {
    permission: allowRole('viewer'),
    bound: {
      cost: 'texts of 7 days, members, lines, devices',
      by: 'turns; the index of `sms_messages_brief`, 2,000 received texts with the text after each',
    },
    describe: {
      id: 'readToday',
      summary: 'Read the figures of the first page',
      answer: ['The figures.', TODAY],
    },
    run: ({ user, store, services }) => loadToday(store, user, services.config, new Date()),
  },
  'POST /api/account/presence': {
    permission: allowRole('viewer'),
    maxBytes: GUEST_BODY_BYTES,
    bound: { cost: 'one announcement', by: '600 bytes; the rate `subscriptions`' },
    describe: {
      id: 'tellPresence',
      summary: 'Report that a person reads or writes',
      description:
        "Notify the account's other clients of the caller's activity in a conversation. They subscribe to the realtime topic `presence` and get `{conversation, sender, name, state}`; a client ignores its own `sender`. It is not stored: repeat it every few seconds.",
      body: [PRESENCE, { conversation: 'a1b2c3d4e5f6g7h', state: 'writing' }],
      answer: ['Told.'],
    },
    run: async ({ user, auth, store }, c) => {
      const presence = checkShape(PRESENCE, await readJsonBody(c))
      await announcePresence(
        store.db,
        auth.holder,
        { account: user, sender: auth.sender },
        presence,
      )
    },
  },
})
