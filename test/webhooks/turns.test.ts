import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { MAX_CALLS, NEXT_DELIVERIES } from '../../src/webhooks/next-deliveries.ts'
import { openTestStore } from '../support/database/queue.ts'

let db: Db
let close: () => Promise<void>
beforeAll(async () => {
  const opened = await openTestStore()
  db = opened.store.db
  close = opened.close
})
afterAll(() => close?.())
beforeEach(() => db.script('delete from webhook_dispatch; delete from webhooks'))

/** Users, each with webhooks at URLs, each with so many deliveries that are due. */
type Waiting = Readonly<Record<string, Readonly<Record<string, number>>>>

async function fill(waiting: Waiting, due = 'now()'): Promise<void> {
  for (const [user, hooks] of Object.entries(waiting))
    for (const [url, count] of Object.entries(hooks)) {
      const values = [`${user} ${url}`, user, url]
      await db.query(
        `insert into webhooks (id, "user", url) values ($1, $2, $3) on conflict do nothing`,
        values,
      )
      const add = `insert into webhook_dispatch (delivery, webhook, "user", due_at)
        select $1 || ' ' || pb_new_id(), $1, $2, ${due} from generate_series(1, $3)`
      await db.query(add, [values[0], user, count])
    }
}

/** Asks for turns; how many there are of each user. */
async function take(room: number): Promise<Record<string, number>> {
  const { rows } = await db.query(NEXT_DELIVERIES, [room])
  const found: Record<string, number> = {}
  for (const [delivery] of rows) {
    const user = String(delivery).split(' ')[0]!
    found[user] = (found[user] ?? 0) + 1
  }
  return found
}

/** So many webhooks at a host each, or all at one. */
const hooksAt = (host: (i: number) => string, hooks: number, each: number) =>
  Object.fromEntries(Array.from({ length: hooks }, (_, i) => [`https://${host(i)}/${i}`, each]))
const own = (i: number) => `h${i}.example`

describe('of what is due get a turn', () => {
  test.each<[what: string, Waiting, room: number, Record<string, number>]>([
    ['all that is little', { ann: { 'https://a.example/': 3 } }, 400, { ann: 3 }],
    ['of one webhook five', { ann: { 'https://a.example/': 30 } }, 400, { ann: MAX_CALLS.ofWebhook }],
    ['of one user twenty', { ann: hooksAt(own, 100, 10) }, 400, { ann: MAX_CALLS.ofUser }],
    [
      'everybody, beside one who has much',
      { ann: hooksAt(own, 100, 10), bob: { 'https://b.example/': 2 } },
      5,
      { ann: 3, bob: 2 },
    ],
    ['as many as there is room', { ann: hooksAt(own, 9, 9), bob: hooksAt(own, 9, 9) }, 8, { ann: 4, bob: 4 }],
    ['nobody without room', { ann: { 'https://a.example/': 3 } }, 0, {}],
  ])('%s', async (_, waiting, room, turns) => {
    await fill(waiting)
    expect(await take(room)).toEqual(turns)
  })

  test('of one host a hundred, from whoever has the fewest', async () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`user${i}`, hooksAt(() => 'Shared.example:8443', 4, 5)]),
    )
    await fill(crowd)
    const turns = await take(400)
    expect(Object.keys(turns)).toHaveLength(30)
    expect(Object.values(turns).reduce((sum, n) => sum + n)).toBe(MAX_CALLS.atHost)
    expect(Math.max(...Object.values(turns))).toBe(4)
    await fill({ ann: { 'https://shared.example:8443/x': 1, 'https://other.example/x': 1 } })
    expect(await take(400)).toEqual({ ann: 1 })
  })

  test('whoever has the fewest under way, first', async () => {
    await fill({ ann: hooksAt(own, 10, 10) })
    expect(await take(15)).toEqual({ ann: 15 })
    await fill({ bob: hooksAt(own, 10, 10) })
    expect(await take(10)).toEqual({ bob: 10 })
    expect(await take(10)).toEqual({ bob: 7, ann: 3 })
    expect(await take(400)).toEqual({ ann: 2, bob: 3 })
    expect(await take(400)).toEqual({})
  })

  test('of one user the webhook with the fewest', async () => {
    await fill({ ann: { 'https://slow.example/': 50 } }, `now() - interval '1 hour'`)
    await take(4)
    await fill({ ann: { 'https://quick.example/': 2 } })
    const { rows } = await db.query(NEXT_DELIVERIES, [3])
    const urls = rows.map(([delivery]) => String(delivery).split(' ')[1])
    expect(urls.sort()).toEqual(['https://quick.example/', 'https://quick.example/', 'https://slow.example/'])
  })

  test('nothing before its time, and what is left of a deleted webhook', async () => {
    await fill({ ann: { 'https://a.example/': 2 } }, `now() + interval '1 hour'`)
    await fill({ bob: { 'https://b.example/': 2 } })
    await db.script('delete from webhooks')
    expect(await take(400)).toEqual({ bob: 2 })
  })
})
