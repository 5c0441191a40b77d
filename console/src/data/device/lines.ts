import { formatPhone } from '#portable/phone/format-phone.ts'
import { t } from '../../language/words.ts'
import type { Device, Line } from '../record-types.ts'

/** The display name of a line (a SIM of a device): its label, or else its number, or else its slot. */
export function nameLine({ label, number, slot }: Pick<Line, 'label' | 'number' | 'slot'>): string {
  if (label) return label
  if (slot === 0) return t('Chosen by the phone')
  return formatPhone(number) || t('SIM {slot}', { slot })
}

export const isLineUsable = ({ enabled, present }: Pick<Line, 'enabled' | 'present'>): boolean =>
  enabled && present

/** A line in one form everywhere: `Phone 1 · +44 7700 900901`. */
export function describeLine(line: Line): string {
  const device = line.expand?.device
  // a phone that chooses the SIM by itself has one line, which is known by the phone's number
  const isOnly = line.slot === 0 && !line.label
  const name = isOnly ? formatPhone(device?.phone ?? '') : nameLine(line)
  return [nameDevice(device), name].filter((part) => part).join(' · ')
}

/** Whether a device is simulated and therefore sends no real texts. */
export const isSimulated = (device: Pick<Device, 'platform'> | undefined): boolean =>
  device?.platform === 'simulator'

export function nameDevice(device: Pick<Device, 'name' | 'platform'> | undefined): string {
  const name = device?.name ?? ''
  return isSimulated(device) ? t('{name} (simulated)', { name }) : name
}
