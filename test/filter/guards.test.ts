import { guestHolder, ticketOf } from '../../src/admission/holder.ts'
import { testConfig } from '../support/server/start.ts'
import { openWorld } from './world.ts'

const world = await openWorld(await testConfig())

describe('a client that is no superuser', () => {
  test.each([
    ['hidden fields', 'people', "secret = 'x'"],
    ['hidden fields of a related record', 'things', "owner.secret = 'x'"],
    ['password hashes', 'people', "password ~ '$2'"],
    ['collections closed to it', 'things', "locked_via_thing.body = 'x'"],
    ['filters over 3,500 bytes', 'tags', `name = '${'ä'.repeat(1750)}'`],
  ])('has no use of %s', async (_, collection, filter) => {
    expect(await world.ask('ann', collection, filter)).toBe('refused')
  })

  test.each(['@request.auth.id', '@collection.tags.id'])('may not even write %s', (name) => {
    const ask = () => world.compile({ collection: 'tags', as: 'ann', filter: `name = '${name}'` })
    expect(ask).toThrow(expect.objectContaining({ name: 'ApiError', status: 403 }))
  })

  test('compares visible emails only', async () => {
    expect(await world.ask('ann', 'people', "email ~ 'example'")).toEqual(
      [1, 3, 5].map((n) => `per00000000000${n}`),
    )
    expect(await world.ask('root', 'people', "email ~ 'example'")).toHaveLength(5)
  })

  // person 4 is zed, whom the listRule of people hides
  test('sees nothing through records that it may not list', async () => {
    const hidden = await world.ask('root', 'things', "owner = 'per000000000004'")
    const seen = await world.ask('ann', 'things', "owner.nick != 'nobody' || txt != 'nothing'")
    expect(hidden.length).toBeGreaterThan(0)
    expect(seen.length).toBe(40 - hidden.length)
    expect(await world.ask('ann', 'things', '', 'owner.nick,id')).toHaveLength(40 - hidden.length)
  })
})

test('reading long filters is taken from the budget of new shapes, right or wrong', () => {
  const ticket = ticketOf(guestHolder('reader'))
  const read = (turn: number) => {
    const filter = `name = '${turn}${'a'.repeat(3_000)}' &&`
    world.compile({ collection: 'tags', filter, ticket })
  }
  const refusals: unknown[] = []
  for (let turn = 0; turn < 400 && refusals.length === 0; turn++) {
    try {
      read(turn)
    } catch (error) {
      if ((error as Error).name !== 'FilterError') refusals.push(error)
    }
  }
  expect(refusals).toMatchObject([{ status: 429 }])
})
