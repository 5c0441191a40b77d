import { z } from 'zod'
import { hasPasskeys } from '../../engine/auth/passkeys.ts'
import { listSuperusers } from '../../engine/auth/superusers.ts'
import { findPasskeySite } from '../../engine/auth/webauthn.ts'
import { allowEverybody, allowRole } from '../../http/allow-callers.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { checkShape } from '../base/body-schemas.ts'
import { loadVapidKeys, SUBSCRIPTION } from '../lines/web-push.ts'
import {
  endBrowsers,
  listBrowsers,
  PUSH_BROWSER,
  saveBrowser,
  toBrowserOwner,
} from '../notifications/push-browsers.ts'
import { loadNextDeletions, NEXT_DELETIONS } from '../retention/next-deletions.ts'

const SETUP = z
  .object({
    has_superuser: z.boolean().describe('False until the first superuser exists.'),
    sends_mail: z
      .boolean()
      .describe('False while no mail server is set: then mails go to the log.'),
    passkey_host: z
      .string()
      .describe('The host at which people sign in by passkeys; empty while nobody has one for it.'),
  })
  .meta({ id: 'Setup' })

const OF_BROWSERS: Bound = { cost: 'browsers', by: '20 browsers of a person' }

/** `/api/account`: notifications and retention. `/api/setup`: what a sign-in page needs. */
export const ACCOUNT_ROUTES = makeRoutes('account', {
  'GET /api/account/retention': {
    permission: allowRole('admin'),
    bound: {
      cost: "the account's oldest texts with content and files, its members of groups with days of their own, its entries of consent",
      by: '10,000 texts of each kind, 100 groups, 100 texts of each member; turns',
    },
    describe: {
      id: 'readRetention',
      summary: 'See what the server deletes next',
      description:
        'List how long the account keeps texts, files and consents, and when the server deletes the next of them. `user_settings` and `contact_groups` have the days.',
      answer: ['The days, and the next deletion of each kind.', NEXT_DELETIONS],
    },
    run: ({ user, store, services: { config } }) =>
      loadNextDeletions(store.db, user, config.retention),
  },
  'GET /api/account/push-key': {
    permission: allowRole('viewer'),
    bound: 'keys',
    describe: {
      id: 'readAccountPushKey',
      summary: "Read the server's VAPID key",
      description: 'For the Web Push subscription of a browser (RFC 8292).',
      answer: [
        'The public key, in base64url.',
        z.object({ key: z.string() }).meta({ id: 'AccountPushKey' }),
      ],
    },
    changes: true,
    run: async ({ store }) => ({ key: (await loadVapidKeys(store)).publicKey }),
  },
  'GET /api/account/push': {
    permission: allowRole('viewer'),
    bound: OF_BROWSERS,
    describe: {
      id: 'listPushBrowsers',
      summary: 'List browsers that show notifications',
      description:
        'List the browsers in which the person is notified of new texts, the newest first; at most 20. A member who acts for an account has separate browsers there.',
      answer: [
        'The browsers.',
        z.object({ items: z.array(PUSH_BROWSER) }).meta({ id: 'PushBrowsers' }),
      ],
    },
    run: async ({ auth, store }) => ({ items: await listBrowsers(store.db, toBrowserOwner(auth)) }),
  },
  'PUT /api/account/push': {
    permission: allowRole('viewer'),
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_BROWSERS,
    describe: {
      id: 'savePushBrowser',
      summary: 'Notify in a browser',
      description:
        'Store the subscription of a browser, as `PushSubscription.toJSON()` returns it. New texts are pushed to it until it is deleted, its push service ends it (404, 410), or the sessions of the person end. With 20 browsers the oldest is replaced. `notify` of `user_settings` or of the membership selects the texts.',
      body: [SUBSCRIPTION],
      answer: ['Kept.'],
    },
    run: async ({ auth, store, services: { config } }, c) => {
      const subscription = checkShape(SUBSCRIPTION, await readJsonBody(c))
      const { 'user-agent': agent = '' } = c.env.incoming.headers
      await saveBrowser(store.db, toBrowserOwner(auth), subscription, agent, config)
    },
  },
  'DELETE /api/account/push': {
    permission: allowRole('viewer'),
    bound: OF_BROWSERS,
    describe: {
      id: 'deletePushBrowser',
      summary: 'End notifications',
      description: 'End the notifications of one browser, or without `endpoint` of all.',
      params: {
        query: z.object({
          endpoint: z.string().optional().describe('The address of the subscription.'),
        }),
      },
      answer: ['Ended.'],
    },
    run: ({ auth, store }, c) =>
      endBrowsers(store.db, toBrowserOwner(auth), c.env.incoming.query.endpoint),
  },
  'GET /api/setup': {
    permission: allowEverybody(),
    bound: 'keys',
    describe: {
      id: 'readSetup',
      summary: 'Read the options of a sign-in page',
      answer: ['How far the server is set up.', SETUP],
    },
    run: async ({ services }, c) => {
      const store = c.env.incoming.openStore(null)
      const hasSuperuser = (await listSuperusers(store)).length > 0
      const site = findPasskeySite(services.config.publicUrl)
      return {
        has_superuser: hasSuperuser,
        sends_mail: services.settings.current.smtp.enabled,
        passkey_host: site && (await hasPasskeys(store.db, site)) ? site.host : '',
      }
    },
  },
})
