import { Hono } from 'hono'
import { readBytes, readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import { requireUser } from '../../http/middleware/require-caller.ts'
import { chapter } from '../../http/openapi/operations.ts'
import { NOBODY, SIGNED_IN } from '../../http/openapi/security.ts'
import { textAnswer } from '../../http/openapi/success-answers.ts'
import { memoryOf } from '../../http/server/caller.ts'
import { describeRefusals } from '../base/describe-refusals.ts'
import { checkShape } from '../base/schemas.ts'
import { DEVICES } from '../device-api/device-routes.openapi.ts'
import type { CarrierService } from '../lines/carrier-body.ts'
import { CARRIER_BODY, CARRIERS, MADE_CARRIER } from '../lines/carrier-body.ts'

const MAX_BODY_BYTES = 64 << 10
/** Maximum bytes of a carrier's call. */
const MAX_CALL_BYTES = 256 << 10

/** `/api/devices/carriers`: accounts of carriers that the servers run as devices. */
export function carrierRoutes(services: Services & { readonly carriers: CarrierService }): Hono<Env> {
  const { carriers } = services
  const read = async (c: Ctx) => checkShape(CARRIER_BODY, await readJson(c, MAX_BODY_BYTES))
  return new Hono<Env>()
    .get('/', async (c) => {
      const { auth, store } = await requireUser(c, services)
      return c.json(await carriers.list(store, auth))
    })
    .post('/', async (c) => {
      const { auth, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await carriers.create(store, auth, await read(c)))
    })
    .put('/:id', async (c) => {
      const { auth, store } = await requireUser(c, services)
      c.header('cache-control', 'no-store')
      return c.json(await carriers.change(store, auth, c.req.param('id'), await read(c)))
    })
    .on(['GET', 'POST'], '/calls/:token', async (c) => {
      const body = await readBytes(c.env.incoming, MAX_CALL_BYTES, () => memoryOf(c))
      const { search } = new URL(c.req.url)
      const call = { method: c.req.method, query: search, headers: c.req.header(), body }
      await carriers.receive(c.req.param('token'), call, () => c.get('leaveRequest')?.())
      return c.text('')
    })
}

const CALL = {
  security: NOBODY,
  responses: textAnswer('text/plain', 'Taken.'),
  refuses: describeRefusals('unauthorized', 'account_disabled', 'device_not_found', 'request_too_large'),
} as const

export const carrierPaths = () =>
  chapter(DEVICES, SIGNED_IN, {
    'GET /api/devices/carriers': {
      id: 'listCarriers',
      summary: 'List the carriers that the server runs',
      answer: ['Without secrets.', CARRIERS],
      refuses: describeRefusals('unauthorized', 'forbidden'),
    },
    'POST /api/devices/carriers': {
      id: 'createCarrier',
      summary: 'Add a carrier that the server runs',
      description:
        'Creates a device whose texts leave through an account of a carrier. At most 10, with at most 100 requests at the same time together.',
      body: [
        CARRIER_BODY,
        {
          account: {
            preset: 'twilio',
            user: 'AC00000000000000000000000000000000',
            senders: ['+15005550006'],
          },
          secret: 'secret',
        },
      ],
      answer: ['The device, and the address for the carrier.', MADE_CARRIER],
      refuses: describeRefusals('unauthorized', 'forbidden', 'invalid_request'),
    },
    'PUT /api/devices/carriers/{id}': {
      id: 'changeCarrier',
      summary: 'Replace the settings of a carrier',
      body: [
        CARRIER_BODY,
        {
          account: {
            preset: 'twilio',
            user: 'AC00000000000000000000000000000000',
            senders: ['+15005550006'],
          },
        },
      ],
      answer: ['As when it was added. The address remains.', MADE_CARRIER],
      refuses: describeRefusals('unauthorized', 'forbidden', 'invalid_request', 'device_not_found'),
    },
    'POST /api/devices/carriers/calls/{token}': {
      id: 'callCarrier',
      summary: "Take a carrier's receipt or text",
      ...CALL,
    },
    'GET /api/devices/carriers/calls/{token}': {
      id: 'callCarrierByQuery',
      summary: "Take a carrier's receipt or text, from a query",
      ...CALL,
    },
  })
