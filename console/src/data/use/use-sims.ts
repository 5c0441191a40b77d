import { useCallback } from 'preact/hooks'
import { matchAny, pb } from '../client.ts'
import { nameLine } from '../device/lines.ts'
import type { Line, Message } from '../record-types.ts'
import { useLookup } from './use-known.ts'
import { MOST_LINES } from './use-list.ts'

/** Returns a function that names a message's SIM; '' if its device has only one. Reads each device once. */
export function useSims(messages: readonly Message[]): (message: Message) => string {
  const { get } = useLookup(
    messages.map(({ device }) => device),
    findLinesByDevice,
  )
  return useCallback(({ device, line: id }) => {
    const lines = get(device) ?? []
    const line = lines.length > 1 ? lines.find((one) => one.id === id) : undefined
    return line ? nameLine(line) : ''
  }, [])
}

async function findLinesByDevice(devices: readonly string[]): Promise<[string, Line[]][]> {
  const filter = matchAny('device', devices)
  const { items } = await pb
    .collection<Line>('lines')
    .getList(1, MOST_LINES, { filter, skipTotal: true, fields: 'id,device,slot,label,number' })
  return devices.map((device) => [device, items.filter((line) => line.device === device)])
}
