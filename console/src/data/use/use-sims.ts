import { useEffect, useState } from 'preact/hooks'
import { pb } from '../client.ts'
import { lineName } from '../device/lines.ts'
import type { Line, Message } from '../records.ts'

/** What a filter can hold: 200 parts, 3,500 bytes. */
const DEVICES_AT_ONCE = 50
const MOST_LINES = 500

/** The SIM of a message; '' if its device has only one line. Reads the lines of each device once. */
export function useSims(messages: readonly Message[]): (message: Message) => string {
  const [known, setKnown] = useState<ReadonlyMap<string, readonly Line[]>>(new Map())
  const question = [...new Set(messages.map(({ device }) => device))]
    .filter((device) => device !== '' && !known.has(device))
    .slice(0, DEVICES_AT_ONCE)
    .join()
  useEffect(() => {
    if (question === '') return
    let isLeft = false
    void linesOf(question.split(',')).then((found) => {
      if (!isLeft) setKnown((old) => new Map([...old, ...found]))
    })
    return () => {
      isLeft = true
    }
  }, [question])
  return ({ device, line: id }) => {
    const lines = known.get(device) ?? []
    const line = lines.length > 1 ? lines.find((one) => one.id === id) : undefined
    return line ? lineName(line) : ''
  }
}

/** Finds none when lines cannot be read: only the device is shown then. */
async function linesOf(devices: readonly string[]): Promise<Map<string, readonly Line[]>> {
  const filter = devices.map((device) => pb.filter('device = {:device}', { device })).join(' || ')
  const { items } = await pb
    .collection<Line>('lines')
    .getList(1, MOST_LINES, { filter, skipTotal: true, fields: 'id,device,slot,label,number' })
    .catch(() => ({ items: [] }))
  return new Map(devices.map((device) => [device, items.filter((line) => line.device === device)]))
}
