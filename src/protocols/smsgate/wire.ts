import type { Value } from '../../fields/field.ts'
import { dateOf } from '../../fields/types/date.ts'

/** How the body of a text begins that came as binary data. webhook_queue.sql has it, too. */
export const DATA_URL = 'data:application/octet-stream;base64,'

/** A stored date in the only form that the app reads; undefined for none. */
export const wireDate = (text: string): string | undefined => dateOf(text)?.toISOString()

/** A record of `devices` as the app reads it. */
export const wireDevice = (values: Readonly<Record<string, Value>>) => ({
  id: String(values.id),
  name: String(values.name),
  createdAt: wireDate(String(values.created)),
  updatedAt: wireDate(String(values.updated)),
  lastSeen: wireDate(String(values.last_seen)),
  simCards: simCardsOf(values.sims),
})

/** The SIMs of a record, which a device of another kind may have filled as it liked. */
function simCardsOf(sims: Value | undefined) {
  const list: unknown = typeof sims === 'string' && sims !== '' ? JSON.parse(sims) : []
  if (!Array.isArray(list)) return []
  return list.flatMap((sim: { slot?: unknown; number?: unknown; carrier?: unknown } | null) =>
    Number.isInteger(sim?.slot)
      ? [
          {
            slotIndex: Number(sim?.slot) - 1,
            simNumber: sim?.slot,
            phoneNumber: textOrNone(sim?.number),
            carrierName: textOrNone(sim?.carrier),
          },
        ]
      : [],
  )
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)
