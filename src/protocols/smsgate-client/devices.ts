import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'

/** A device as SMSGate's clients read it. */
export const CLIENT_DEVICE = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    lastSeen: z.string().describe('The creation, for a device that was never seen.'),
    simCards: z.array(
      z.object({
        slotIndex: z.int(),
        simNumber: z.int(),
        phoneNumber: z.string().optional(),
        carrierName: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'SmsgateDevice' })

const COLUMNS = ['id', 'name', 'created', 'updated', 'last_seen', 'sims'] as const

const LIST = `select d.id, d.name, d.created,
  coalesce(nullif(d.updated, ''), d.created), coalesce(nullif(d.last_seen, ''), d.created), d.sims::text
  from devices d where d."user" = $1 order by d.created, d.id`

/** All devices of a user, disabled ones too, by the names of their fields. */
export async function listDevices(
  { db }: Store,
  user: string,
): Promise<Record<(typeof COLUMNS)[number], string>[]> {
  const { rows } = await db.query(LIST, [user], 'smsgate devices')
  return rows.map(
    (row) => Object.fromEntries(COLUMNS.map((name, i) => [name, String(row[i] ?? '')])) as never,
  )
}
