import type { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import { signToken } from '../../engine/auth/tokens.ts'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import { sendRaw } from '../../http/answer.ts'
import { authOf, ownRecord } from '../../http/authenticate.ts'
import { readJson } from '../../http/body/raw-body.ts'
import type { Ctx, Env, Services } from '../../http/context.ts'
import { routesFor } from '../../http/make-routes.ts'
import { auditRequest } from '../../http/middleware/audit.ts'
import { GUEST_BODY_BYTES } from '../../http/middleware/gate.ts'
import { retry } from '../../http/retry.ts'
import { storeOf } from '../../http/server/caller.ts'
import { limitOpenStreams } from '../../http/server/limit-streams.ts'
import { countPending, requireUserRecord, saveSims, touchDevice } from '../base/device.ts'
import { gatewayRefusal } from '../base/refusals.ts'
import { checkShape } from '../base/schemas.ts'
import { receiveTexts } from '../conversations/store-received-texts.ts'
import {
  CLAIM_BODY,
  HEARTBEAT_BODY,
  INCOMING_BODY,
  PAIR_BODY,
  PAIRING_BODY,
  PUSH_BODY,
  REPORT_BODY,
} from '../lines/device-body.ts'
import { deviceEvents } from '../lines/event-stream.ts'
import { saveHealth } from '../lines/health.ts'
import { limitPairing } from '../lines/limit-pairing.ts'
import { pairDevice, startPairing } from '../lines/pair.ts'
import { saveSubscription } from '../lines/push-wake.ts'
import { deviceStates } from '../lines/read-device-states.ts'
import { type DeviceCaller, requireDeviceOf } from '../lines/require-device.ts'
import { waitForAny } from '../lines/wake.ts'
import { checkEndpoint, vapidKeys } from '../lines/web-push.ts'
import { claimMessages } from '../messages/queue/claim.ts'
import { applyReports } from '../messages/queue/report.ts'

const MAX_BODY_BYTES = 1 << 20

const DEFAULT_LIMIT = 10

/** `/api/devices`: pairing, texts to send, reports, received texts. Errors are `{"error","message"}`. */
export function deviceRoutes(services: Services): Hono<Env> {
  const { config, closing } = services
  const read = (c: Ctx) => readJson(c, MAX_BODY_BYTES)
  return routesFor((c) => identifyDevice(c, services), {
    'POST /heartbeat': async ({ device, store }, c) => {
      const { sims, ...health } = checkShape(HEARTBEAT_BODY, await read(c))
      if (sims) await saveSims(store, device, sims)
      await saveHealth(store, device, health)
      return { pending: await countPending(store, device) }
    },
    'GET /push-key': async ({ store }) => ({ key: (await vapidKeys(store)).publicKey }),
    'PUT /push': async ({ device, store }, c) => {
      await saveSubscription(store, device, checkShape(PUSH_BODY, await read(c)), config)
    },
    'POST /claim': async ({ device, store }, c) => {
      const { limit, wait } = checkShape(CLAIM_BODY, await read(c))
      if (wait) limitOpenStreams(c, services, device.user)
      const claim = () => claimMessages(store, device, limit ?? DEFAULT_LIMIT, config.leaseSeconds)
      const ended = AbortSignal.any([closing, c.req.raw.signal])
      return { items: await waitForAny(claim, device.id, (wait ?? 0) * 1000, ended) }
    },
    'POST /report': async ({ device, store }, c) => {
      const { items } = checkShape(REPORT_BODY, await read(c))
      return { items: await applyReports(store, device, items, config.deviceOnlineSeconds) }
    },
    'POST /incoming': async ({ device, store }, c) => {
      const { items } = checkShape(INCOMING_BODY, await read(c))
      return { ids: await receiveTexts(store, device, items, config.optWords) }
    },
    'GET /events': (caller, c) => sendEvents(c, services, caller),
  })
    .post('/pairing', async (c) => {
      const identify = async () => requireUserRecord(await authOf(c, services))
      const pairing = await retry(services.store, identify, async (user) => {
        const { name } = checkShape(PAIRING_BODY, await readJson(c, GUEST_BODY_BYTES))
        const made = await startPairing(storeOf(c, services, user), user, name ?? '', config.publicUrl)
        if (user.actor)
          await auditRequest(c, services, user, { action: 'make pairing code', collection: 'devices' })
        return made
      })
      c.header('cache-control', 'no-store')
      return c.json(pairing)
    })
    .get('/states', async (c) => {
      const auth = await authOf(c, services)
      const owner = auth?.isSuperuser ? null : requireUserRecord(auth).id
      return c.json(await deviceStates(storeOf(c, services, auth), owner, config))
    })
    .get('/pair', (c) =>
      c.req.header('accept')?.includes('text/html') ? c.redirect('../../_/', 303) : c.text(PAIR_HELP),
    )
    .post('/pair', async (c) => answerPaired(c, services, await pair(c, services)))
}

async function identifyDevice(c: Ctx, services: Services): Promise<DeviceCaller> {
  const caller = await requireDeviceOf(c, services)
  await touchDevice(caller.store, caller.device, services.config.deviceOnlineSeconds)
  return caller
}

function sendEvents(c: Ctx, services: Services, { device, store }: DeviceCaller): Response {
  const { config, ending } = services
  if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' })
  limitOpenStreams(c, services, device.user)
  return streamSSE(c, async (stream) => {
    const gone = new AbortController()
    stream.onAbort(() => gone.abort())
    // null ends the stream, for example if the device was deleted
    const again = async () => (await identifyDevice(c, services).catch(() => null))?.device ?? null
    const ended = AbortSignal.any([ending, gone.signal])
    for await (const item of deviceEvents(store, device, config.deviceOnlineSeconds, again, ended)) {
      if (item.name === 'alive') await stream.write(': alive\n\n')
      else
        await stream.writeSSE({
          event: item.name,
          data: JSON.stringify('message' in item ? { id: item.message } : {}),
        })
    }
  })
}

const TOKEN_SECONDS = 365 * 86_400

const PAIR_HELP = `This address pairs a device with pocketsms.

A phone or modem joins with the six digits that stand behind the # of the address you opened. On any
computer with Node:

    npx -y <server>/agent.tgz start <server> <code>

A code is good for one device and for 5 minutes.
`

async function pair(c: Ctx, services: Services): Promise<string> {
  const store = storeOf(c, services, null)
  const { push, ...body } = checkShape(PAIR_BODY, await readJson(c, GUEST_BODY_BYTES))
  if (push) checkEndpoint(push, services.config)
  const { name, phone, sims } = body
  const device = { ...body, name: name ?? '', phone: phone ?? '', sims: sims ?? [], push: push ?? null }
  return limitPairing(c, services, () => pairDevice(store, services.extensions, device))
}

async function answerPaired(c: Ctx, services: Services, id: string): Promise<Response> {
  const store = storeOf(c, services, null)
  const auth = await findAuthRecord(store, store.catalog.find('devices') as AuthCollection, id)
  if (!auth) throw gatewayRefusal('wrong_code')
  const token = await signToken(auth, 'auth', { duration: TOKEN_SECONDS })
  const record = await ownRecord(c, store, auth)
  c.header('cache-control', 'no-store')
  return sendRaw(c, `{"token":${JSON.stringify(token)},"record":${record}}`)
}
