import { makeDelivery, makeLanes } from '../../../src/engine/realtime/deliver-changes.ts'
import { Budget } from '../../../src/platform/limits/byte-budget.ts'
import { createLogger } from '../../../src/platform/log.ts'

// A rule that the database evaluates reads the change's image, which the clean-up removes after a minute.

const question = {
  key: 'a rule',
  free: true,
  params: [],
  structure: {
    from: { text: '"notes" b', places: [] },
    where: { text: '', places: [] },
    tables: [],
  },
}

/** How many clients a change of this age disconnects when the database no longer finds its image. */
async function disconnectedBy(ageMs: number): Promise<number> {
  let ended = 0
  const clients = [{ isOver: false, end: () => ended++ }]
  const access = { kind: 'if', condition: { kind: 'opaque' }, params: [], question }
  const group = { state: () => ({ clients, access }) }
  const store = { catalog: { all: [] }, db: { shaped: async () => ({ rows: [] }) } }
  const event = {
    store,
    storeOf: () => store,
    change: {
      collection: { id: 'notes', name: 'notes', type: 'base', fields: [] },
      record: 'note',
      action: 'update',
      row: [],
      judged: 1,
      judgedRow: [],
    },
    bytes: 1,
    atMs: performance.now() - ageMs,
  }
  const lanes = makeLanes(new Budget({ name: 'memory', total: 1_000 }))
  makeDelivery(lanes, createLogger({ logLevel: 'silent' }))(
    'lane',
    event as never,
    [{ group, clients, auth: null }] as never,
  )
  await lanes.whenIdle()
  return ended
}

test('a change that waited too long for the database disconnects its clients', async () => {
  expect(await disconnectedBy(0)).toBe(0)
  expect(await disconnectedBy(30_000)).toBe(1)
})
