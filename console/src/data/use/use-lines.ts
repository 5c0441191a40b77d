import { formatPhone } from '#portable/phone/format.ts'
import { pb } from '../client.ts'
import { deviceName, lineName } from '../device/lines.ts'
import type { Line, Message } from '../record-types.ts'
import { useLookup } from './use-known.ts'
import { useList } from './use-list.ts'

const MOST_LINES = 500

export function useLines(): readonly Line[] {
  return useList<Line>('lines', { sort: 'device.name,slot', expand: 'device', perPage: MOST_LINES }).items
}

/** A line in one form everywhere: `Phone 1 · +44 7700 900901`. */
export function lineWords(line: Line): string {
  const device = line.expand?.device
  // a phone that chooses the SIM by itself has one line, which is known by the phone's number
  const isOnly = line.slot === 0 && !line.label
  const name = isOnly ? formatPhone(device?.phone ?? '') : lineName(line)
  return [deviceName(device), name].filter((part) => part).join(' · ')
}

/** Returns a function that names a message's SIM; '' if its device has only one. Reads each device once. */
export function useSims(messages: readonly Message[]): (message: Message) => string {
  const linesOf = useLookup(
    messages.map(({ device }) => device),
    find,
  )
  return ({ device, line: id }) => {
    const lines = linesOf(device) ?? []
    const line = lines.length > 1 ? lines.find((one) => one.id === id) : undefined
    return line ? lineName(line) : ''
  }
}

async function find(devices: readonly string[]): Promise<[string, Line[]][]> {
  const filter = devices.map((device) => pb.filter('device = {:device}', { device })).join(' || ')
  const { items } = await pb
    .collection<Line>('lines')
    .getList(1, MOST_LINES, { filter, skipTotal: true, fields: 'id,device,slot,label,number' })
  return devices.map((device) => [device, items.filter((line) => line.device === device)])
}
