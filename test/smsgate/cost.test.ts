import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Client } from '../support/gateway.ts'
import type { Phone } from '../support/smsgate-app.ts'
import { joinPhone, openSite, type Site, send } from '../support/smsgate-site.ts'

let site: Site
let user: Client
let phone: Phone
beforeAll(async () => {
  site = await openSite()
  user = await site.gateway.makeUser()
  phone = await joinPhone(site, user)
  await phone.call('GET', '/message')
})
afterAll(() => site.stop())

/** Names of what runs by itself. */
const REGULAR = /^sms (?!claim|report|renew)/

/** The statements of a request, without those that run by themselves. */
async function statementsOf(work: () => Promise<{ status: number }>): Promise<string[]> {
  const { db } = site.gateway.server.services.store
  const lookUp = vi.spyOn(db, 'lookUp')
  const query = vi.spyOn(db, 'query')
  expect((await work()).status).toBeLessThan(300)
  // who asks is looked up first
  const calls = [...lookUp.mock.calls, ...query.mock.calls]
  for (const spy of [lookUp, query]) spy.mockRestore()
  return calls.filter(([, , name]) => !REGULAR.test(name ?? '')).map(([text]) => text)
}

test('a request takes few statements, each bound to device and user', async () => {
  await send(user, 1)
  const pull = await statementsOf(() => phone.call('GET', '/message'))
  const [{ id }] = (await phone.call('GET', '/message')).body
  const say = (state: string) => () =>
    phone.call('PATCH', '/message', [{ id, state, recipients: [], states: {} }])
  const processed = await statementsOf(say('Processed'))
  const sent = await statementsOf(say('Sent'))
  expect([pull, processed, sent].map(({ length }) => length)).toEqual([3, 2, 3])
  const [, ...bound] = pull
  for (const text of [...bound, ...processed.slice(1), ...sent.slice(1)]) {
    expect(text).toMatch(/device (\|\| '' )?= \$\d/)
    expect(text).toMatch(/"user" (\|\| '' )?= \$\d/)
  }
})
