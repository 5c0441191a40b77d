import { allowEverybody, allowOwner, type HasServices } from '../../http/allow-callers.ts'
import { readJsonBody, readRawBody } from '../../http/body/raw-body.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { describeTextAnswer } from '../../http/openapi/success-answers.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { checkShape } from '../base/body-schemas.ts'
import { describeRefusals } from '../base/describe-gateway-errors.ts'
import { DEVICE_TAG } from '../device-api/device-routes.ts'
import type { CarrierService } from '../lines/carrier-schemas.ts'
import { CARRIER_BODY, CARRIER_LIST, MADE_CARRIER } from '../lines/carrier-schemas.ts'

const MAX_BODY_BYTES = 64 << 10
const MAX_CALL_BYTES = 256 << 10

export interface CarrierServices extends Services {
  readonly carriers: CarrierService
}

const readCarrierBody = async (c: Ctx) => checkShape(CARRIER_BODY, await readJsonBody(c))

/** Takes a call of a carrier. The token in its path is the permission. */
async function answerCallback(
  { services }: HasServices<CarrierServices>,
  c: Ctx,
  token: string,
): Promise<Response> {
  const body = await readRawBody(c)
  const { search } = new URL(c.req.url)
  const call = { method: c.req.method, query: search, headers: c.req.header(), body }
  await services.carriers.receive(token, call, () => c.env.incoming.leavePlace?.())
  return c.text('')
}

const CALL = {
  responses: describeTextAnswer('text/plain', 'Taken.'),
  fails: describeRefusals(
    'unauthorized',
    'account_disabled',
    'device_not_found',
    'request_too_large',
  ),
} as const

const OF_CARRIERS: Bound = {
  cost: 'constant cost',
  by: '10 carriers of a user, 100 requests at a time; a check makes one of 5 s, and reads 64 KiB',
}
const OF_CALL: Bound = {
  cost: 'items of a call',
  by: '1,000 items; 100 fields; a wrong token costs one lookup. Files: 4 calls of an account at a time, 10 s and `SMS_MAX_ATTACHMENT_BYTES` a call',
}

const ACCOUNT_EXAMPLE = {
  preset: 'twilio',
  user: 'AC00000000000000000000000000000000',
  senders: ['+15005550006'],
}

/** `/api/devices/carriers`: accounts of carriers that the servers run as devices. */
export const CARRIER_ROUTES = makeRoutes(DEVICE_TAG, {
  'GET /api/devices/carriers': {
    permission: allowOwner<CarrierServices>(),
    bound: OF_CARRIERS,
    describe: {
      id: 'listCarriers',
      summary: 'List the carriers that the server runs',
      answer: ['Without secrets.', CARRIER_LIST],
      fails: describeRefusals('unauthorized', 'forbidden'),
    },
    run: ({ auth, store, services }) => services.carriers.list(store, auth),
  },
  'POST /api/devices/carriers': {
    permission: allowOwner<CarrierServices>(),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_CARRIERS,
    describe: {
      id: 'createCarrier',
      summary: 'Add a carrier that the server runs',
      description:
        'Creates a device whose texts leave through an account of a carrier. At most 10, with at most 100 requests at the same time together.',
      body: [CARRIER_BODY, { account: ACCOUNT_EXAMPLE, secret: 'secret' }],
      answer: ['The device, and the address for the carrier.', MADE_CARRIER],
      fails: describeRefusals('unauthorized', 'forbidden', 'invalid_request'),
    },
    run: async ({ auth, store, services }, c) => {
      c.header('cache-control', 'no-store')
      return services.carriers.create(store, auth, await readCarrierBody(c))
    },
  },
  'PUT /api/devices/carriers/:id': {
    permission: allowOwner<CarrierServices>(),
    maxBytes: MAX_BODY_BYTES,
    bound: OF_CARRIERS,
    describe: {
      id: 'changeCarrier',
      summary: 'Replace the settings of a carrier',
      body: [CARRIER_BODY, { account: ACCOUNT_EXAMPLE }],
      answer: ['As when it was added. The address remains.', MADE_CARRIER],
      fails: describeRefusals('unauthorized', 'forbidden', 'invalid_request', 'device_not_found'),
    },
    run: async ({ auth, store, services }, c, id) => {
      c.header('cache-control', 'no-store')
      return services.carriers.change(store, auth, id, await readCarrierBody(c))
    },
  },
  'POST /api/devices/carriers/calls/:token': {
    permission: allowEverybody<CarrierServices>(),
    maxBytes: MAX_CALL_BYTES,
    bound: OF_CALL,
    describe: {
      id: 'callCarrier',
      summary: "Take a carrier's receipt or text",
      ...CALL,
    },
    run: answerCallback,
  },
  'GET /api/devices/carriers/calls/:token': {
    permission: allowEverybody<CarrierServices>(),
    maxBytes: MAX_CALL_BYTES,
    bound: OF_CALL,
    describe: {
      id: 'callCarrierByQuery',
      summary: "Take a carrier's receipt or text, from a query",
      ...CALL,
    },
    changes: true,
    run: answerCallback,
  },
})
