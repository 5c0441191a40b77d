import { once } from 'node:events'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import type { Services } from '../../http/request-context.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { STOPPED } from '../../programs/agent/begin-attempts.ts'
import { type ServerLink, ServerUnavailable } from '../../programs/agent/server-link.ts'
import { checkShape } from '../base/body-schemas.ts'
import {
  type Device,
  requireDevice,
  saveMms,
  saveSims,
  touchDevice,
} from '../base/device-record.ts'
import { CLAIM_BODY, HEARTBEAT_BODY, REPORT_BODY } from '../lines/device-schemas.ts'
import { subscribeToDevice, writeDeviceEvent } from '../lines/wake-devices.ts'
import { applyReports } from '../messages/queue/apply-reports.ts'
import { claimMessages, linkClaimedFiles } from '../messages/queue/claim-messages.ts'

export type LinkServices = Pick<Services, 'store' | 'config'>

type Work = (
  store: Store,
  device: Device,
  body: unknown,
  services: LinkServices,
) => Promise<unknown>

/**
 * The device API (`gateway/device-api/device-routes`) as an agent uses it, without HTTP. Incoming
 * texts arrive by calls: see `receive-text`.
 */
const ROUTES: Readonly<Record<string, Work>> = {
  async '/api/devices/heartbeat'(store, device, body) {
    const { sims, mms } = checkShape(HEARTBEAT_BODY, body)
    if (sims) await saveSims(store, device, sims)
    if (typeof mms === 'boolean') await saveMms(store, device, mms)
  },
  async '/api/devices/claim'(store, device, body, { config }) {
    const { limit } = checkShape(CLAIM_BODY, body)
    const claimed = await claimMessages(store, device, limit ?? 1, config.leaseSeconds)
    return { items: await linkClaimedFiles(store, claimed, config.publicUrl) }
  },
  async '/api/devices/report'(store, device, body, { config }) {
    const { items } = checkShape(REPORT_BODY, body)
    const reports = items.map((item) => ({ ...item, blameless: item.error_message === STOPPED }))
    return { items: await applyReports(store, device, reports, config.deviceOnlineSeconds) }
  },
}

export type DeviceOwner = Readonly<Record<'device' | 'user', string>>

/** Works as a device. Throws GatewayError if the server refuses it, else ServerUnavailable. */
export async function workAsDevice<T>(
  { store: all, config }: LinkServices,
  { device: id, user }: DeviceOwner,
  work: (store: Store, device: Device) => Promise<T>,
): Promise<T> {
  try {
    const store = all.forUser(user)
    const collection = store.catalog.find('devices') as AuthCollection
    const device = requireDevice(await findAuthRecord(store, collection, id))
    await touchDevice(store, device, config.deviceOnlineSeconds)
    return await work(store, device)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw new ServerUnavailable((error as Error).message, { cause: error })
  }
}

/** Lets an agent in this process act as a device. `fault`: takes what stops it. */
export function makeDeviceLink(
  services: LinkServices,
  owner: DeviceOwner,
  fault: (text: string) => void = () => {},
): ServerLink {
  return {
    async call<T>(path: string, body: unknown) {
      const work = ROUTES[path]!
      const answer = await workAsDevice(services, owner, (store, device) =>
        work(store, device, body, services),
      )
      return { body: answer as T, serverTime: Date.now() }
    },
    async listen(connected, heard, ended) {
      const stop = subscribeToDevice(owner.device, (event) =>
        heard({ event: event.name, data: writeDeviceEvent(event) }),
      )
      connected()
      if (!ended.aborted) await once(ended, 'abort')
      stop()
    },
    fault,
  }
}
