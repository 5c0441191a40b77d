import { randomBytes } from 'node:crypto'
import type pg from 'pg'

/** One request, as it is stored. */
interface Stored {
  readonly user: string
  readonly recipients: readonly string[]
  readonly ids: readonly string[]
  readonly batch: string
  readonly devices: readonly string[]
  readonly body: string
}

/** One request that waits for its commit. */
interface Waiting extends Stored {
  done(): void
  failed(error: unknown): void
}

const MAX_GROUP = 500

/** Messages in, and the month's count up, in one statement: one commit for the whole group. */
const ACCEPT = `
  with counted as (
    insert into sms_usage (id, "user", period, used, created, updated)
    select substr(md5(u || $9), 1, 15), u, $9, n, $8, $8 from unnest($10::text[], $11::float8[]) as usage (u, n)
    on conflict ("user", period) do update set used = sms_usage.used + excluded.used, updated = excluded.updated
  )
  insert into sms_messages (id, status, "to", body, message_type, batch_id, segments, "user", device, created, updated)
  select id, 'assigned', recipient, body, 'outgoing', batch, segments, owner, device, $8, $8
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::text[], $7::text[])
    as message (id, recipient, body, batch, segments, owner, device)`

/** The devices of each user, by turns. Read once: nobody changes them here. */
function deviceTurns(pool: pg.Pool) {
  const lists = new Map<string, Promise<string[]>>()
  const turns = new Map<string, number>()
  const read = async (user: string) => {
    const { rows } = await pool.query(
      'select id from devices where "user" = $1 and enabled order by id',
      [user],
    )
    return rows.map((row) => String(row.id))
  }
  return async (user: string, count: number): Promise<string[]> => {
    const list = lists.get(user) ?? read(user)
    lists.set(user, list)
    const devices = await list
    const turn = turns.get(user) ?? 0
    turns.set(user, turn + count)
    return Array.from({ length: count }, (_, i) => devices[(turn + i) % devices.length] ?? '')
  }
}

/**
 * Accepts sends in groups: what arrives while a commit is under way goes into the next one. Answers as the
 * send API does.
 */
export function acceptor(pool: pg.Pool) {
  const nextDevices = deviceTurns(pool)
  let queue: Waiting[] = []
  let isRunning = false

  async function run() {
    isRunning = true
    while (queue.length > 0) {
      const group = queue.slice(0, MAX_GROUP)
      queue = queue.slice(MAX_GROUP)
      try {
        await storeGroup(pool, group)
        for (const waiting of group) waiting.done()
      } catch (error) {
        for (const waiting of group) waiting.failed(error)
      }
    }
    isRunning = false
  }

  return async (user: string, recipients: readonly string[], body: string) => {
    const ids = recipients.map(newId)
    const batch = recipients.length > 1 ? newId() : ''
    const devices = await nextDevices(user, ids.length)
    await new Promise<void>((done, failed) => {
      queue.push({ user, recipients, ids, batch, devices, body, done, failed })
      if (!isRunning) void run()
    })
    return { batch_id: batch, message_ids: ids, recipients_count: ids.length, status: 'accepted' }
  }
}

/** 15 characters of `[a-v0-9]`. */
function newId(): string {
  let id = ''
  for (const byte of randomBytes(15)) id += (byte & 31).toString(32)
  return id
}

export async function storeGroup(pool: pg.Pool, group: readonly Stored[]): Promise<void> {
  const columns: unknown[][] = [[], [], [], [], [], [], []]
  const usage = new Map<string, number>()
  for (const { user, recipients, ids, batch, devices, body } of group) {
    usage.set(user, (usage.get(user) ?? 0) + recipients.length)
    const segments = body.length <= 160 ? 1 : Math.ceil(body.length / 153)
    recipients.forEach((to, i) => {
      for (const [k, value] of [ids[i], to, body, batch, segments, user, devices[i]].entries())
        columns[k]?.push(value)
    })
  }
  const now = new Date().toISOString().replace('T', ' ')
  const values = [...columns, now, now.slice(0, 7), [...usage.keys()], [...usage.values()]]
  await pool.query({ name: 'accept', text: ACCEPT, values })
}
