import { z } from 'zod'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import { signToken } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import { allowEverybody, type HasServices, type Permission } from '../../http/allow-callers.ts'
import { asCaller } from '../../http/attempt.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit-requests.ts'
import { answerOwnRecord, type Caller } from '../../http/middleware/require-caller.ts'
import { listErrorAnswers } from '../../http/openapi/gateway-error-answers.ts'
import { describeTextAnswer } from '../../http/openapi/success-answers.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { GUEST_BODY_BYTES } from '../../http/route-limits.ts'
import { sendRaw } from '../../http/send-answer.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { requireUserRecord } from '../base/device-record.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { PAIR_BODY, PAIRING_BODY } from '../lines/device-schemas.ts'
import { limitPairing } from '../lines/limit-pairing.ts'
import { DEVICE_STATES, loadDeviceStates } from '../lines/load-device-states.ts'
import { PAIRING, pairDevice, startPairing } from '../lines/pair-device.ts'
import { checkEndpoint } from '../lines/web-push.ts'
import { DEVICE_TAG } from './device-routes.ts'

/** An account or an admin, asked again if another request changes the account meanwhile. */
const byAdmin: Permission<Caller & HasServices> = {
  least: 'admin',
  security: 'signedIn',
  withCaller: (c, services, work) =>
    asCaller(c, services, 'checked', async ({ caller, store }) =>
      work({ auth: requireUserRecord(caller), store, services }),
    ),
}

/** Whose devices the caller may see; null for a superuser, who sees all. */
const byUserOrSuperuser: Permission<
  HasServices & { readonly owner: string | null; readonly store: Store }
> = {
  least: 'viewer',
  security: 'signedIn',
  withCaller: (c, services, work) =>
    asCaller(c, services, 'checkedRead', async ({ caller, store }) => {
      const owner = caller?.isSuperuser ? null : requireUserRecord(caller).id
      return work({ owner, store, services })
    }),
}

const TOKEN_SECONDS = 365 * 86_400

const TOKEN = z.string().describe('Send it in the header `Authorization`.')

const PAIR_HELP = `This address pairs a device with pocketsms.

A phone or modem joins with the six digits that stand behind the # of the address you opened. On any
computer with Node:

    npx -y <server>/agent.tgz start <server> <code>

A code is good for one device and for 5 minutes.
`

async function pairByCode(c: Ctx, services: Services): Promise<string> {
  const store = c.env.incoming.openStore(null)
  const { push, ...body } = checkShape(PAIR_BODY, await readJsonBody(c))
  if (push) checkEndpoint(push, services.config)
  const { name, phone, sims } = body
  const device = {
    ...body,
    name: name ?? '',
    phone: phone ?? '',
    sims: sims ?? [],
    push: push ?? null,
  }
  return limitPairing(c, services, () => pairDevice(store, services.extensions, device))
}

async function answerPaired(c: Ctx, id: string): Promise<Response> {
  const store = c.env.incoming.openStore(null)
  const auth = await findAuthRecord(store, store.catalog.find('devices') as AuthCollection, id)
  if (!auth) throw gatewayRefusal('wrong_code')
  const token = await signToken(auth, 'auth', { duration: TOKEN_SECONDS })
  const record = await answerOwnRecord(c, store, auth)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"token":${JSON.stringify(token)},"record":${record}}`)
}

const OF_PAIRING: Bound = {
  cost: 'devices of the user',
  by: 'keys; 100 devices of a user; a limit of tries',
}

/** `/api/devices/pair`: a code, and the device that joins with it. Errors are `{"error","message"}`. */
export const PAIRING_ROUTES = makeRoutes(DEVICE_TAG, {
  'POST /api/devices/pairing': {
    permission: byAdmin,
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_PAIRING,
    describe: {
      id: 'startPairing',
      summary: 'Get a code for a new device',
      description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
      body: [PAIRING_BODY, { name: 'desk phone' }],
      answer: ['The code, also as a link and as a picture to scan.', PAIRING],
      fails: describeRefusals('too_many_codes'),
    },
    run: async ({ auth, store, services }, c) => {
      const { name } = checkShape(PAIRING_BODY, await readJsonBody(c))
      const { publicUrl } = services.config
      const made = await store.db.transaction(async (db) => {
        const entry = { action: 'make pairing code', collection: 'devices' }
        await auditRequest(c, auth, entry, db)
        return startPairing({ db, catalog: store.catalog }, auth, name ?? '', publicUrl)
      })
      c.header('cache-control', 'no-store')
      return made
    },
  },
  'GET /api/devices/states': {
    permission: byUserOrSuperuser,
    bound: { cost: "the user's queue and devices", by: 'turns' },
    describe: {
      id: 'readDeviceStates',
      summary: 'Read the states of devices',
      description:
        'The state that device records do not contain. A user gets it for their own devices, a superuser for all.',
      answer: ['Each device.', DEVICE_STATES],
      fails: describeRefusals('unauthorized', 'forbidden'),
    },
    run: ({ owner, store, services }) => loadDeviceStates(store, owner, services.config),
  },
  'GET /api/devices/pair': {
    permission: allowEverybody(),
    bound: 'no rows',
    describe: {
      id: 'explainPairing',
      summary: 'Look up a pairing code',
      fails: listErrorAnswers([]),
      responses: {
        ...describeTextAnswer('text/plain', 'A text for people.'),
        303: { description: 'For browsers: the console shows it.' },
      },
    },
    run: (_, c) =>
      c.req.header('accept')?.includes('text/html')
        ? c.redirect('../../_/', 303)
        : c.text(PAIR_HELP),
  },
  'POST /api/devices/pair': {
    permission: allowEverybody(),
    maxBytes: GUEST_BODY_BYTES,
    bound: OF_PAIRING,
    describe: ({ schemaOf }) => ({
      id: 'pairDevice',
      summary: 'Join with a code',
      description:
        'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
      body: [PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }],
      answer: [
        'The new device, and its token.',
        z.object({ token: TOKEN, record: schemaOf('devices')! }).meta({ id: 'Paired' }),
      ],
      fails: describeRefusals('wrong_code', 'too_many_tries'),
    }),
    run: async ({ services }, c) => answerPaired(c, await pairByCode(c, services)),
  },
})
