import { t } from '../../language/words.ts'
import type { Device } from '../records.ts'

/** Whether a device is simulated: it sends no real texts. */
export const isSimulated = (device: Pick<Device, 'platform'> | undefined): boolean =>
  device?.platform === 'simulator'

/** A device's name, marked if it is simulated; '' without a device. */
export function deviceName(device: Pick<Device, 'name' | 'platform'> | undefined): string {
  const name = device?.name ?? ''
  return isSimulated(device) ? t('{name} (simulated)', { name }) : name
}
