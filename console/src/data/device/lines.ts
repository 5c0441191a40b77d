import { formatPhone } from '#portable/phone/format.ts'
import { t } from '../../language/words.ts'
import type { Line } from '../record-types.ts'
import { deviceName } from './device-name.ts'

/** The display name of a line (a SIM of a device): its label, or else its number, or else its slot. */
export function lineName({ label, number, slot }: Pick<Line, 'label' | 'number' | 'slot'>): string {
  if (label) return label
  if (slot === 0) return t('Chosen by the phone')
  return formatPhone(number) || t('SIM {slot}', { slot })
}

export const isUsable = ({ enabled, present }: Line): boolean => enabled && present

/** A line in one form everywhere: `Phone 1 · +44 7700 900901`. */
export function lineWords(line: Line): string {
  const device = line.expand?.device
  // a phone that chooses the SIM by itself has one line, which is known by the phone's number
  const isOnly = line.slot === 0 && !line.label
  const name = isOnly ? formatPhone(device?.phone ?? '') : lineName(line)
  return [deviceName(device), name].filter((part) => part).join(' · ')
}
