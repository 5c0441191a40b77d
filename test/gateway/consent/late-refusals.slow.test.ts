import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { type Cell, makeCell, REASONS } from './late-refusal-reasons.ts'
import { WAYS } from './late-refusal-ways.ts'

// May this text still go to this person: each reason against it, on each way that a text may take.

const HOME = join(import.meta.dirname, '../../..')
const server = await startServerWithDevices()
const { store } = server.server.services

/** Whatever hands texts out does so until none waits. Returns what phones got for the person. */
async function handOut({ ann, phone, other, number }: Cell): Promise<string[]> {
  const got: string[] = []
  const waiting = `select from sms_dispatch where "user" = $1 and (state <> 'sending' or lease_until <= now())`
  for (let round = 0; round < 50 && (await server.query(waiting, [ann.id])).length > 0; round++) {
    await sweepQueue(store, 600)
    for (const device of [phone, other]) {
      const { items } = (await device.call('POST', '/api/devices/claim', {})).body
      for (const { to } of items ?? []) if (to === number) got.push(to)
    }
  }
  return got
}

describe.each(Object.entries(WAYS))('a text that is %s', (_, way) => {
  test.concurrent.each(
    Object.entries(REASONS).filter(([, { isOfKey }]) => !isOfKey || !way.isOfCampaign),
  )('a text is not sent to its person after %s, and costs nothing', async (_, reason) => {
    const cell = await makeCell(server, reason)
    const { spent, goOn } = await way.reach(cell)
    await reason.apply(cell)
    await goOn()
    expect(await handOut(cell)).toEqual([])
    const texts = await server.query(
      `select m.status, m.error_message, d.state from sms_messages m left join sms_dispatch d on d.message = m.id
      where m."to" = $1 and m.message_type = 'outgoing' order by m._rowid`,
      [cell.number],
    )
    const ends = texts.map(([status, error, state]) => ({ status, error, state }))
    for (const end of ends) expect(end).toMatchObject({ status: 'failed', state: null })
    if (way.isSentAnew) expect(ends.slice(1).map(({ error }) => error)).not.toContain('')
    else expect(ends.at(-1)!.error).toBe(way.error ?? reason.error)
    expect((await must(cell.ann, 'GET', '/api/sms/usage')).used).toBe(spent)
  })
})

test('the same ways bring a text to a person without a reason against it', async () => {
  for (const [name, way] of Object.entries(WAYS)) {
    const cell = await makeCell(server, REASONS['a STOP']!)
    await (await way.reach(cell)).goOn()
    expect([name, (await handOut(cell)).length > 0]).toEqual([name, true])
  }
}, 120_000)

/** Statements that put a text into the queue, hand it out, or let it be due: insert, `state` or `due_at`. */
function findGates(file: string): string[] {
  const text = readFileSync(join(HOME, file), 'utf8')
  const built = text.matchAll(
    /\.(?:insertInto|updateTable)\('sms_dispatch(?: as \w+)?'\)([\s\S]*?)\.execute/g,
  )
  const plain = text.matchAll(
    /\b(insert into|update) sms_dispatch\b([\s\S]*?)(?=;|`|\bfrom\b|\bwhere\b|\breturning\b)/g,
  )
  const isGate = [
    ...[...plain].map(([all, verb]) => verb === 'insert into' || /\b(state|due_at)\s*=/.test(all)),
    ...[...built].map(([all]) => all.includes('insertInto') || /[{,]\s*(state|due_at)\b/.test(all)),
  ]
  return isGate.some(Boolean) ? [file.replace(/^.*\//, '')] : []
}

test('every statement that hands out or releases texts is on one of the ways', () => {
  const files = globSync(['src/**/*.ts', 'sql/functions/**/*.sql'], { cwd: HOME })
  const covered = new Set(Object.values(WAYS).flatMap(({ by }) => by))
  expect(files.flatMap(findGates).sort()).toEqual([...covered].sort())
})

test('a text gets into the queue and leaves it by one statement each, which ask whether it may', () => {
  const files = globSync(['src/**/*.ts', 'sql/functions/**/*.sql'], { cwd: HOME })
  const having = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(HOME, file), 'utf8')))
  expect(having(/insert into sms_dispatch|insertInto\('sms_dispatch/)).toEqual([
    'sql/functions/messages/send/sms_store.sql',
  ])
  expect(having(/set state = 'sending'|state: 'sending'/)).toEqual([
    'sql/functions/messages/queue/sms_claim.sql',
  ])
  expect(having(/insert into sms_messages\s|insertInto\('sms_messages'/).sort()).toEqual([
    'sql/functions/messages/send/sms_store.sql',
    'src/gateway/conversations/insert-received-texts.ts',
    // what a phone's owner has sent already: it has no row of the queue
    'src/gateway/conversations/store-typed-texts.ts',
  ])
})
