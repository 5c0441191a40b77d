import { ANN, as, BEN, startServerWithUsers } from '../../support/server/server-with-users.ts'

// A program reads the state of texts with the API key by which it has sent them.

const server = await startServerWithUsers()
const owner = await server.signedIn('users', ANN.id)
const makeKey = async (scopes: readonly string[] = []) => {
  const body = { user: ANN.id, name: 'another', scopes }
  const { key } = (await server.ask('POST', '/api/collections/api_keys/records', body, owner)).body
  return as({ key })
}
const read = async (query: string, headers?: Record<string, string>) => {
  const { status, body } = await server.ask('GET', `messages${query}`, undefined, headers)
  return [status, body.items?.map(({ id }: { id: string }) => id) ?? body.id ?? body.error]
}
const idsOf = ({ body }: { body: { message_ids: string[] } }) => body.message_ids

const [first] = idsOf(await server.send({ client_ref: 'order, 1042' }))
const several = await server.send({ recipients: ['+4911112', '+4911113', '+4911114'] })
const { batch_id: batch } = several.body
const sent = idsOf(several)
const other = await makeKey()
const [ofOther] = idsOf(await server.send({}, other))
const [ofBen] = idsOf(await server.send({ client_ref: 'order, 1042' }, as(BEN)))

test('an API key reads a text that it has sent, as the record that its user sees', async () => {
  const path = `/api/collections/sms_messages/records/${first}`
  const record = (await server.ask('GET', path, undefined, owner)).body
  const answer = await server.ask('GET', `messages/${first}`)
  expect([answer.status, answer.body]).toEqual([200, record])
  expect(record).toMatchObject({ status: 'assigned', client_ref: 'order, 1042' })
  const short = await server.ask('GET', `messages/${first}?fields=id,status`)
  expect(short.body).toEqual({ id: first, status: 'assigned' })
})

test.each([
  ['its ids', `?ids=${sent[2]},${first},${sent[0]}`, [first, sent[0], sent[2]]],
  ['a client_ref', `?client_ref=${encodeURIComponent('order, 1042')}`, [first]],
  ['a batch', `?batch=${batch}`, sent],
  ['a batch, by pages', `?batch=${batch}&perPage=2&page=2`, [sent[2]]],
  ['a batch and ids', `?batch=${batch}&ids=${first},${sent[1]}`, [sent[1]]],
  ['no ids', '?ids=', []],
  ['an empty batch, as all single texts have', '?batch=', []],
  ['ids of texts that others have sent', `?ids=${ofOther},${ofBen}`, []],
])('an API key lists the texts that it has sent, by %s', async (_, query, expected) => {
  expect(await read(query)).toEqual([200, expected])
})

test('a list has the form of a list of records', async () => {
  const { body } = await server.ask('GET', `messages?batch=${batch}&perPage=2&fields=id`)
  const items = sent.slice(0, 2).map((id) => ({ id }))
  expect(body).toEqual({ items, page: 1, perPage: 2, totalItems: 3, totalPages: 2 })
})

test.each([
  ['another key of the user', () => other, 404],
  ["another user's key", () => as(BEN), 404],
  ['the signed-in user', () => owner, 200],
  ['a key that may only send', () => makeKey(['messages:send']), 403],
  ['a guest', () => ({}), 401],
])('a text that a key has sent is read by %s: %3$i', async (_, who, status) => {
  const answer = await server.ask('GET', `messages/${first}`, undefined, await who())
  expect(answer.status).toBe(status)
})

test('a received text is not among the texts that an account has sent', async () => {
  await server.rows(
    `update sms_messages set message_type = 'incoming', status = 'received' where id = $1`,
    [ofBen],
  )
  expect(await read(`/${ofBen}`, as(BEN))).toEqual([404, 'message_not_found'])
})

test.each([
  ['', 'Name texts by ids, client_ref or batch'],
  ['?batch_id=x', 'batch_id is not a field of this request'],
  [`?ids=${Array.from({ length: 101 }, () => 'x').join()}`, 'ids must have at most 100 items'],
  ['?batch=x&perPage=501', 'perPage must be a whole number from 1 to 500'],
  ['?batch=x&page=first', 'page must be a number'],
])('a list of sent texts with the query "%s" is refused: %s', async (query, message) => {
  const { status, body } = await server.ask('GET', `messages${query}`)
  expect([status, body]).toEqual([400, { error: 'invalid_request', message }])
})
