import { t } from '../../language/words.ts'
import { isDeleting, makeRecordPath } from '../deletions.ts'
import type { Device } from '../record-types.ts'
import { type Answer, useAnswer } from '../use/use-answer.ts'
import type { State } from '../words/message-states.ts'

export const CONNECTIONS = {
  none: t('None'),
  wifi: t('Wi-Fi'),
  ethernet: t('Ethernet'),
  mobile: t('Mobile data'),
  '2g': t('Mobile data, 2G'),
  '3g': t('Mobile data, 3G'),
  '4g': t('Mobile data, 4G'),
  '5g': t('Mobile data, 5G'),
}

export interface LineUse {
  readonly line: string
  readonly minute: number
  readonly day: number
  readonly month: number
  readonly recipients: number
  /** Messages that wait for it, or that it is sending. */
  readonly waiting: number
  /** The cost of this month's texts, a decimal; null for a line without prices. */
  readonly cost: string | null
  /** Whether the budget of this month was too small for a text. */
  readonly stopped: boolean
}

/** The account of a carrier that the servers run. */
interface CarrierState {
  readonly preset: string
  readonly running: boolean
  /** Whether texts leave by it that do not name it. */
  readonly ready: boolean
  /** Why it sends nothing: the carrier's words, or that it cannot be reached; else ''. */
  readonly fault: string
}

export interface DeviceState {
  readonly device: string
  readonly online: boolean
  readonly reachable: boolean
  readonly failing: boolean
  /** It has claimed messages more than a minute ago, and sent none in the last minute. */
  readonly stuck: boolean
  readonly battery: number | null
  readonly battery_at: string | null
  readonly charging: boolean | null
  readonly connection: keyof typeof CONNECTIONS | null
  /** API level; null: unknown. */
  readonly android: number | null
  readonly waiting: number
  readonly taken_today: number
  readonly carrier: CarrierState | null
  readonly lines: readonly LineUse[]
}

const EVERY_MS = 15_000

/** Since this API level, Android 17, apps that are not the default for SMS get texts with codes late. */
const LATE_CODES = 37

export const hasLateCodes = (state: DeviceState | undefined): boolean =>
  (state?.android ?? 0) >= LATE_CODES

/** Reads the states of all devices that the session may see, every 15 s while the page is visible. */
export function useDeviceStates(): Answer<{ items: readonly DeviceState[] }> & {
  of(device: { id: string }): DeviceState | undefined
} {
  const answer = useAnswer<{ items: readonly DeviceState[] }>('/api/devices/states', EVERY_MS)
  return { ...answer, of: ({ id }) => answer.value?.items.find((state) => state.device === id) }
}

export function describeDeviceState(device: Device, state: DeviceState | undefined): State {
  if (isDeleting(makeRecordPath('devices', device.id))) return ['calm', t('Being deleted')]
  if (!device.enabled) return ['calm', t('Switched off')]
  const fault = state?.carrier?.fault
  if (fault?.startsWith('The carrier cannot be reached')) return ['bad', t('Out of reach')]
  if (fault) return ['bad', t('Account refused')]
  if (state?.failing) return ['bad', t('Failing')]
  if (state?.stuck) return ['bad', t('Not sending')]
  if (state?.carrier?.ready === false) return ['calm', t('Not tested')]
  if (state?.online) return ['good', t('Online')]
  if (state?.reachable) return ['busy', t('Asleep')]
  return state ? ['bad', t('Offline')] : ['calm', '…']
}

export const APP_URL = 'https://github.com/capcom6/android-sms-gateway/releases/latest'
