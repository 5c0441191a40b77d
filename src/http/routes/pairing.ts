import { Hono } from 'hono'
import { z } from 'zod'
import { findAuthRecord } from '../../auth/auth-rows.ts'
import { signToken } from '../../auth/tokens.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import { chapter, DEVICE, NOBODY, SIGNED_IN, textAnswer } from '../../openapi/operations.ts'
import { answerRecord } from '../../records/expand.ts'
import { toRow } from '../../records/record-sql.ts'
import { requireUser } from '../../sms/devices/device.ts'
import { PAIR_BODY, PAIRING_BODY } from '../../sms/devices/device-body.ts'
import { DEVICE_STATES, deviceStates } from '../../sms/devices/device-states.ts'
import { PAIRING, pairDevice, startPairing } from '../../sms/devices/pair.ts'
import { checkEndpoint } from '../../sms/devices/web-push.ts'
import { checkShape, gatewayRefusal } from '../../sms/send/shape.ts'
import { readJson } from '../body/raw-body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditRequest } from '../middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../middleware/guest-body.ts'
import { limitPairing } from '../middleware/pair-tries.ts'
import { authOf, buildRequest, meterFor, sendRaw } from '../request-info.ts'
import { retry } from '../retry.ts'
import { storeOf } from '../server/store-of.ts'
import { DEVICES } from './devices.ts'

const MAX_BODY_BYTES = 1 << 20
const TOKEN_SECONDS = 365 * 86_400

const PAIR_HELP = `This address pairs a device with pocketsms.

A phone or modem joins with the six digits that stand behind the # of the address you opened. On any
computer with Node:

    npx -y <server>/agent.tgz start <server> <code>

A code is good for one device and for 5 minutes.
`

/** `/api/devices`: pairing, and the state of devices. Errors: `{"error","message"}`. */
export function pairingRoutes(services: Services): Hono<Env> {
  const { config } = services
  return new Hono<Env>()
    .post('/pairing', async (c) => {
      let body: Promise<unknown> | undefined
      const pairing = await retry(
        services.store,
        async () => requireUser(await authOf(c, services)),
        async (user) => {
          body ??= readJson(c, MAX_BODY_BYTES)
          const { name } = checkShape(PAIRING_BODY, await body)
          const made = await startPairing(storeOf(c, services, user), user, name ?? '', config.publicUrl)
          if (user.actor)
            await auditRequest(c, services, user, { action: 'make pairing code', collection: 'devices' })
          return made
        },
      )
      c.header('cache-control', 'no-store')
      return c.json(pairing)
    })
    .get('/states', async (c) => {
      const auth = await authOf(c, services)
      const owner = auth?.isSuperuser ? null : requireUser(auth).id
      return c.json(await deviceStates(storeOf(c, services, auth), owner, config.deviceOnlineSeconds))
    })
    .get('/pair', (c) =>
      c.req.header('accept')?.includes('text/html') ? c.redirect('../../_/', 303) : c.text(PAIR_HELP),
    )
    .post('/pair', async (c) => answerPaired(c, services, await pair(c, services)))
}

async function pair(c: Ctx, services: Services): Promise<string> {
  const store = storeOf(c, services, null)
  const body = checkShape(PAIR_BODY, await readJson(c, GUEST_BODY_BYTES))
  const { code, name, platform, phone, sims, push } = body
  if (push) checkEndpoint(push, services.config)
  const device = {
    code,
    name: name ?? '',
    platform,
    phone: phone ?? '',
    sims: sims ?? [],
    push: push ?? null,
  }
  return limitPairing(c, services, () => pairDevice(store, services.extensions, device))
}

async function answerPaired(c: Ctx, services: Services, id: string): Promise<Response> {
  const store = storeOf(c, services, null)
  const auth = await findAuthRecord(store, store.catalog.find('devices') as AuthCollection, id)
  if (!auth) throw gatewayRefusal('wrong_code')
  const token = await signToken(auth, 'auth', { duration: TOKEN_SECONDS })
  const row = toRow(auth.collection, auth.values)
  const request = buildRequest(c, auth, {}, 'default', meterFor(c, auth))
  const record = await answerRecord(store, auth.collection, row, request)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"token":${JSON.stringify(token)},"record":${record}}`)
}

const TOKEN = z.string().describe('Goes into the header `Authorization`.')

export const pairingPaths = (device: z.ZodObject) =>
  chapter(DEVICES, DEVICE, {
    'POST /api/devices/pairing': {
      id: 'startPairing',
      summary: 'Get a code for a new device',
      description: 'Asked by a user. The code lets one device join, once, within 5 minutes.',
      security: SIGNED_IN,
      body: [PAIRING_BODY, { name: 'desk phone' }],
      answer: ['The code, also as a link and as a picture to scan.', PAIRING],
      refuses: ['too_many_codes'],
    },
    'GET /api/devices/states': {
      id: 'readDeviceStates',
      summary: 'Read what devices are up to',
      description:
        'Asked by a user of the own devices, by a superuser of all: what is no part of their records.',
      security: SIGNED_IN,
      answer: ['Each device.', DEVICE_STATES],
      refuses: [],
    },
    'GET /api/devices/pair': {
      id: 'explainPairing',
      summary: 'Read what a pairing code is for',
      security: NOBODY,
      refuses: [],
      responses: {
        ...textAnswer('text/plain', 'A text for people.'),
        303: { description: 'For browsers: the console shows it.' },
      },
    },
    'POST /api/devices/pair': {
      id: 'pairDevice',
      summary: 'Join with a code',
      description:
        'Asked by a device that has a code. The token is good for a year; `auth-refresh` renews it.',
      security: NOBODY,
      body: [PAIR_BODY, { code: '482915', platform: 'android', name: 'desk phone' }],
      answer: [
        'The new device, and its token.',
        z.object({ token: TOKEN, record: device }).meta({ id: 'Paired' }),
      ],
      refuses: ['wrong_code', 'too_many_tries'],
    },
  })
