import { formatPhone } from '#portable/phone/format.ts'
import { t } from '../../language/words.ts'
import type { Device, Line } from '../record-types.ts'

/** The display name of a line (a SIM of a device): its label, or else its number, or else its slot. */
export function lineName({ label, number, slot }: Pick<Line, 'label' | 'number' | 'slot'>): string {
  if (label) return label
  if (slot === 0) return t('Chosen by the phone')
  return formatPhone(number) || t('SIM {slot}', { slot })
}

export const isUsable = ({ enabled, present }: Line): boolean => enabled && present

/** Whether a device is simulated and therefore sends no real texts. */
export const isSimulated = (device: Pick<Device, 'platform'> | undefined): boolean =>
  device?.platform === 'simulator'

export function deviceName(device: Pick<Device, 'name' | 'platform'> | undefined): string {
  const name = device?.name ?? ''
  return isSimulated(device) ? t('{name} (simulated)', { name }) : name
}
