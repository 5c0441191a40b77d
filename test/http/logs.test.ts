import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, type Gateway, openGateway } from '../support/gateway.ts'

let gateway: Gateway
let people: Record<string, Client>
beforeAll(async () => {
  gateway = await openGateway()
  people = { guest: gateway.guest, user: await gateway.makeUser(), superuser: gateway.superuser }
})
afterAll(() => gateway?.stop())

const NO_SENSE = 'Something went wrong while processing your request.'

test.each([
  ['a list', '', 200, undefined],
  [
    'a filter',
    `?filter=${encodeURIComponent('level > 0 && data.auth = "x" && message ~ "a"')}`,
    200,
    undefined,
  ],
  ['a sort', '?sort=-created,level,@rowid', 200, undefined],
  ['a page that is none', '?page=x', 400, NO_SENSE],
  ['a filter that is none', '?filter=(((', 400, NO_SENSE],
  ['an unknown field', '?filter=nope=1', 400, NO_SENSE],
  ['a path into what has none', '?filter=message.x=1', 400, NO_SENSE],
  ['an unknown sort', '?sort=nope', 400, NO_SENSE],
  ['statistics by a filter that is none', '/stats?filter=(((', 400, 'Invalid filter format.'],
  ['statistics by an unknown field', '/stats?filter=nope=1', 400, 'Invalid filter format.'],
  ['statistics, which have no order', '/stats?sort=nope', 200, undefined],
])('of the logs, %s', async (_, query, status, message) => {
  const answer = await gateway.superuser.call('GET', `/api/logs${query}`)
  expect([answer.status, answer.body.message]).toEqual([status, message])
})

test.each([
  ['guest', 401],
  ['user', 403],
  ['superuser', 404],
])('SQL is for nobody: a %s', async (who, status) => {
  expect((await people[who]!.call('POST', '/api/sql', { query: 'select 1' })).status).toBe(status)
})
