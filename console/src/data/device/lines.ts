import { t } from '../../language/words.ts'
import { formatPhone } from '../phone/phone-numbers.ts'
import type { Line } from '../records.ts'

/** The display name of a line: its label, else its number, else its slot. */
export function lineName({ label, number, slot }: Pick<Line, 'label' | 'number' | 'slot'>): string {
  if (label) return label
  if (slot === 0) return t('Chosen by the phone')
  return formatPhone(number) || t('SIM {slot}', { slot })
}

/** Whether a line can send texts. */
export const isUsable = ({ enabled, present }: Line): boolean => enabled && present
