import { t } from '../../language/words.ts'
import type { Device } from '../record-types.ts'

/** Whether a device is simulated and therefore sends no real texts. */
export const isSimulated = (device: Pick<Device, 'platform'> | undefined): boolean =>
  device?.platform === 'simulator'

export function deviceName(device: Pick<Device, 'name' | 'platform'> | undefined): string {
  const name = device?.name ?? ''
  return isSimulated(device) ? t('{name} (simulated)', { name }) : name
}
