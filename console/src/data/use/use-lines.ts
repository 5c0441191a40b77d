import { deviceName, lineName } from '../device/lines.ts'
import type { Line } from '../records.ts'
import { useList } from './use-list.ts'

const MOST_LINES = 500

/** All lines of the user, grouped by device, live. */
export function useLines(): readonly Line[] {
  return useList<Line>('lines', { sort: 'device.name,slot', expand: 'device', perPage: MOST_LINES }).items
}

/** A line among those of all devices: `Desk: Austria`. */
export const lineWords = (line: Line): string =>
  [deviceName(line.expand?.device), lineName(line)].filter((part) => part).join(': ')
