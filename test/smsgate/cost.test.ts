import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Db } from '../../src/db/open.ts'
import type { Client } from '../support/server/server-with-devices.ts'
import type { Phone } from '../support/smsgate/smsgate-app.ts'
import {
  joinPhone,
  type SmsgateFixture,
  send,
  startSmsgateFixture,
} from '../support/smsgate/smsgate-fixture.ts'

let fixture: SmsgateFixture
let user: Client
let phone: Phone
beforeAll(async () => {
  fixture = await startSmsgateFixture()
  user = await fixture.gateway.makeUser()
  phone = await joinPhone(fixture, user)
  await phone.call('GET', '/message')
})
afterAll(() => fixture.stop())

/** The statements of a request that are bound to the phone, inside transactions and outside. */
async function statementsOf(work: () => Promise<{ status: number }>): Promise<string[]> {
  const lookUp = vi.spyOn(Db.prototype, 'lookUp')
  const query = vi.spyOn(Db.prototype, 'query')
  expect((await work()).status).toBeLessThan(300)
  // who asks is looked up first
  const calls = [...lookUp.mock.calls, ...query.mock.calls]
  for (const spy of [lookUp, query]) spy.mockRestore()
  const { id } = phone.store.registration!
  return calls.filter(([, values]) => values?.includes(id)).map(([text]) => text)
}

test('a request takes few statements, each bound to device and user', async () => {
  await send(user, 1)
  const pull = await statementsOf(() => phone.call('GET', '/message'))
  const [{ id }] = (await phone.call('GET', '/message')).body
  const say = (state: string) => () =>
    phone.call('PATCH', '/message', [{ id, state, recipients: [], states: {} }])
  const processed = await statementsOf(say('Processed'))
  const sent = await statementsOf(say('Sent'))
  expect([pull, processed, sent].map(({ length }) => length)).toEqual([5, 4, 4])
  const [, ...bound] = pull
  for (const text of [...bound, ...processed.slice(1), ...sent.slice(1)]) {
    expect(text).toMatch(/device (\|\| '' )?= \$\d/)
    expect(text).toMatch(/"user" (\|\| '' )?= \$\d/)
  }
})
