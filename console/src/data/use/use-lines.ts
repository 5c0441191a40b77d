import type { Line } from '../record-types.ts'
import { useList } from './use-list.ts'

/** Maximum lines that one request reads. */
export const MOST_LINES = 500

export function useLines(): readonly Line[] {
  return useList<Line>('lines', { sort: 'device.name,slot', expand: 'device', perPage: MOST_LINES }).items
}
