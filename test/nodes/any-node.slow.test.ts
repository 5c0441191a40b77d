import { makeInstallerLink } from '../../src/engine/auth/superusers.ts'
import { createLogger } from '../../src/platform/log.ts'
import { runServer, type TestServer } from '../support/database/open.ts'
import { type Client, client } from '../support/server/server-with-devices.ts'
import { PASSWORD, startServerWithMail } from '../support/server/server-with-mail.ts'
import { SUPERUSER } from '../support/server/start.ts'

// What is begun at one node is right at another: two servers on one Postgres.

const TO = '+4915112345678'
const OTHER_PASSWORD = 'other-password'

const server = await startServerWithMail()
const one = server.server
const two = await runServer(one.services.config, createLogger({ logLevel: 'silent' }))
await server.allowOtp()
let count = 0

/** Nobody, at a node. */
const guest = (node: TestServer) => client(node.url, '', '')

const signIn = (node: TestServer, identity: string, password = PASSWORD, more: object = {}) =>
  guest(node).call('POST', '/api/collections/users/auth-with-password', {
    identity,
    password,
    ...more,
  })

interface User {
  readonly id: string
  readonly email: string
  readonly token: string
  /** Himself, at a node. */
  at(node: TestServer): Client
}

/** A user who signed in at the first node. */
async function makeUser(): Promise<User> {
  const email = `user${++count}@example.com`
  const id = await server.addUser(email, { verified: true })
  const { token } = (await signIn(one, email)).body
  return { id, email, token, at: (node) => client(node.url, id, token) }
}

async function makeRoot(): Promise<(node: TestServer) => Client> {
  const token = await server.signIn('_superusers', SUPERUSER.email, SUPERUSER.password)
  return (node) => client(node.url, '', token)
}

/** A device whose code was asked for at one node and used at the other. */
async function makeDevice(user: User, node = two): Promise<Client> {
  const { code } = (await user.at(one).call('POST', '/api/devices/pairing', { name: 'Phone' })).body
  const paired = await guest(node).call('POST', '/api/devices/pair', {
    code,
    platform: 'simulator',
  })
  expect(paired.status).toBe(200)
  return client(node.url, paired.body.record.id, paired.body.token)
}

const mayRefresh = async (user: User, node: TestServer) =>
  (await user.at(node).call('POST', '/api/collections/users/auth-refresh')).status === 200

const send = (who: Client, more: object = {}) =>
  who.call('POST', '/api/sms/send', { recipients: [TO], body: 'Hello', ...more })

/** Each shows one thing, or throws. */
const ROWS: Readonly<Record<string, () => Promise<void>>> = {
  async 'a new password ends it on all, at once, also where it was used a moment ago'() {
    const user = await makeUser()
    for (const node of [one, two]) {
      const list = await user.at(node).call('GET', '/api/collections/sms_messages/records')
      expect(list.status).toBe(200)
    }
    const body = {
      oldPassword: PASSWORD,
      password: OTHER_PASSWORD,
      passwordConfirm: OTHER_PASSWORD,
    }
    const changed = await user
      .at(one)
      .call('PATCH', `/api/collections/users/records/${user.id}`, body)
    expect(changed.status).toBe(200)
    for (const node of [two, one]) {
      const list = await user.at(node).call('GET', '/api/collections/sms_messages/records')
      expect(list.status).toBe(401)
      expect((await send(user.at(node))).status).toBe(401)
      expect(await mayRefresh(user, node)).toBe(false)
    }
    expect((await signIn(two, user.email, OTHER_PASSWORD)).status).toBe(200)
  },

  async 'an API key deleted at one node is refused at both'() {
    const user = await makeUser()
    await makeDevice(user)
    const made = await user
      .at(one)
      .call('POST', '/api/collections/api_keys/records', { user: user.id, name: 'shop' })
    const keyed = (node: TestServer) =>
      fetch(`${node.url}/api/sms/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': made.body.key },
        body: JSON.stringify({ recipients: [TO], body: 'Hello' }),
      })
    for (const node of [two, one]) expect((await keyed(node)).status).toBe(200)
    await user.at(one).call('DELETE', `/api/collections/api_keys/records/${made.body.id}`)
    for (const node of [two, one]) expect((await keyed(node)).status).toBe(401)
  },

  async 'a failed request at one node is found in the logs of the other'() {
    const root = await makeRoot()
    const user = await makeUser()
    await user.at(one).call('GET', '/api/settings?nodes')
    const look = '/api/logs?fields=data.auth,data.status&filter=data.url~%22nodes%22'
    const found = async () => (await root(two).call('GET', look)).body.items
    await expect.poll(found).toEqual([{ data: { auth: 'users', status: 403 } }])
  },

  async 'a pairing code works once at any node'() {
    const user = await makeUser()
    const { code } = (await user.at(one).call('POST', '/api/devices/pairing', { name: 'Phone' }))
      .body
    const pair = (node: TestServer) =>
      guest(node).call('POST', '/api/devices/pair', { code, platform: 'simulator' })
    const statuses = (await Promise.all([pair(one), pair(two)])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 400])
  },

  async 'a sign-in by two methods may use a node for each'() {
    const { email } = await makeUser()
    await server.change('users', {
      mfa: { enabled: true, duration: 600, rule: `email = "${email}"` },
    })
    const { status, body } = await signIn(one, email)
    expect([status, Object.keys(body)]).toEqual([401, ['mfaId']])
    const { otpId } = (
      await guest(one).call('POST', '/api/collections/users/request-otp', { email })
    ).body
    const [, password] = /password is: (\d+)/.exec((await server.mail.next()).text) ?? []
    const second = await guest(two).call('POST', '/api/collections/users/auth-with-otp', {
      otpId,
      password,
      mfaId: body.mfaId,
    })
    expect(second.status).toBe(200)
    await server.change('users', { mfa: { enabled: false, duration: 600, rule: '' } })
  },

  async 'a reset of a password by a mailed link'() {
    const { email } = await makeUser()
    await guest(one).call('POST', '/api/collections/users/request-password-reset', { email })
    const [, token] = /confirm-password-reset\/(\S+)/.exec((await server.mail.next()).text) ?? []
    const body = { token, password: OTHER_PASSWORD, passwordConfirm: OTHER_PASSWORD }
    const confirmed = await guest(two).call(
      'POST',
      '/api/collections/users/confirm-password-reset',
      body,
    )
    expect(confirmed.status).toBe(204)
    expect((await signIn(one, email, OTHER_PASSWORD)).status).toBe(200)
  },

  async settings() {
    const root = await makeRoot()
    const name = async (node: TestServer) =>
      (await root(node).call('GET', '/api/settings')).body.meta.appName
    await root(one).call('PATCH', '/api/settings', { meta: { appName: 'From one' } })
    await expect.poll(() => name(two)).toBe('From one')
    await root(two).call('PATCH', '/api/settings', { meta: { appName: 'From two' } })
    await expect.poll(() => name(one)).toBe('From two')
  },

  async 'both nodes change collections at once while they serve requests'() {
    const root = await makeRoot()
    const made = await root(one).call('POST', '/api/collections', {
      name: 'restless',
      type: 'base',
      fields: [{ name: 'title', type: 'text' }],
    })
    let isOver = false
    const statuses = new Set<number>()
    const ask = async (node: TestServer) => {
      while (!isOver) {
        const body = { title: 'x' }
        statuses.add(
          (await root(node).call('POST', '/api/collections/restless/records?fields=id', body))
            .status,
        )
        statuses.add(
          (await root(node).call('GET', '/api/collections/restless/records?perPage=2&fields=id'))
            .status,
        )
      }
    }
    const asking = Promise.all([one, two, one, two].map(ask))
    for (let i = 0; i < 12; i++) {
      const more = i % 2 ? [] : [{ name: `more${i}`, type: 'text' }]
      const body = { fields: [...made.body.fields, ...more] }
      await root(i % 3 ? one : two).call('PATCH', '/api/collections/restless', body)
    }
    isOver = true
    await asking
    expect([...statuses]).toEqual([200])
    await root(one).call('DELETE', '/api/collections/restless')
  },

  async 'a message claimed at one node is reported at the other and counted once'() {
    const user = await makeUser()
    const device = await makeDevice(user)
    const [id] = (await send(user.at(one))).body.message_ids
    const [{ attempt }] = (await device.call('POST', '/api/devices/claim', {})).body.items
    const report = (node: TestServer) =>
      client(node.url, device.id, device.token).call('POST', '/api/devices/report', {
        items: [{ id, attempt, status: 'sent' }],
      })
    const results = await Promise.all([report(one), report(two)])
    expect(results.map(({ body }) => body.items[0].result).sort()).toEqual(['applied', 'unchanged'])
  },

  async 'a batch that both cancel and send again at once is canceled once, and sent again once'() {
    const user = await makeUser()
    await makeDevice(user)
    const recipients = Array.from({ length: 40 }, (_, i) => `+49151${1_000_000 + i}`)
    const { batch_id } = (await send(user.at(one), { recipients })).body
    const both = (action: string) =>
      Promise.all(
        [one, two, one, two].map((node) =>
          user
            .at(node)
            .call('POST', `/api/sms/batches/${batch_id}/${action}`, { include: ['canceled'] }),
        ),
      )
    const canceled = await both('cancel')
    expect(canceled.reduce((sum, { body }) => sum + body.canceled, 0)).toBe(40)
    const sent = await both('retry')
    for (const { status, body } of sent) expect([status, body]).toEqual([200, sent[0]!.body])
    expect(sent[0]!.body.message_ids).toHaveLength(40)
    expect((await user.at(two).call('GET', '/api/sms/usage')).body.used).toBe(40)
  },

  async 'a batch rescheduled at both nodes at once moves once, and its messages can be changed at either'() {
    const user = await makeUser()
    await makeDevice(user)
    const recipients = Array.from({ length: 40 }, (_, i) => `+49151${1_000_000 + i}`)
    const { batch_id, message_ids } = (
      await send(user.at(one), { recipients, scheduled_at: '2098-01-01' })
    ).body
    const body = { scheduled_at: '2099-01-01' }
    const path = `/api/sms/batches/${batch_id}/reschedule`
    const changed = await Promise.all(
      [one, two, one, two].map((node) => user.at(node).call('POST', path, body)),
    )
    expect(changed.reduce((sum, answer) => sum + answer.body.rescheduled, 0)).toBe(40)
    const message = `/api/sms/messages/${message_ids[0]}`
    const parts = [{ body: 'New' }, { priority: 5 }, { body: 'New' }, { ttl: 60 }]
    const answers = await Promise.all(
      parts.map((part, i) => user.at(i % 2 ? two : one).call('PATCH', message, part)),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const record = `/api/collections/sms_messages/records/${message_ids[0]}`
    expect((await user.at(one).call('GET', record)).body).toMatchObject({
      body: 'New',
      priority: 5,
      expires_at: '2099-01-01 00:01:00.000Z',
    })
  },

  async 'the same Idempotency-Key at both nodes at once sends once'() {
    const user = await makeUser()
    await makeDevice(user)
    const keyed = (node: TestServer) =>
      fetch(`${node.url}/api/sms/send`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: user.token,
          'idempotency-key': user.id,
        },
        body: JSON.stringify({ recipients: [TO], body: 'Hello' }),
      }).then((answer) => answer.text())
    const answers = await Promise.all([keyed(one), keyed(two), keyed(one), keyed(two)])
    expect(new Set(answers).size).toBe(1)
    expect(
      await server.rows('select count(*) from sms_messages where "user" = $1', user.id),
    ).toEqual([[1]])
  },

  async 'two texts of a number, reported to a node each, get one automatic answer'() {
    const pairs = Number(process.env.ANSWER_PAIRS ?? 20)
    const of = (account: number) => Math.ceil((pairs - account) / 4)
    const handIn = async (_: unknown, account: number) => {
      const user = await makeUser()
      const device = await makeDevice(user)
      const answer = {
        user: user.id,
        name: 'Away',
        match: 'any',
        body: 'Later',
        enabled: true,
        pause_hours: 20,
      }
      expect(
        (await user.at(one).call('POST', '/api/collections/auto_answers/records', answer)).status,
      ).toBe(200)
      for (let i = 0; i < of(account); i++) {
        const give = (node: TestServer, body: string) =>
          client(node.url, device.id, device.token).call('POST', '/api/devices/incoming', {
            items: [
              { from: `+4915112${100_000 + i}`, body, received_at: new Date().toISOString() },
            ],
          })
        const given = await Promise.all([give(one, 'first'), give(two, 'second')])
        expect(given.map(({ status }) => status)).toEqual([200, 200])
      }
    }
    const { db } = one.services.store
    await Promise.all(Array.from({ length: 4 }, handIn))
    const count = async (from: string) =>
      (await db.query(`select count(*) from ${from}`)).rows[0]![0]
    await expect.poll(() => count(`_jobs where kind = 'answer'`), { timeout: 300_000 }).toBe(0)
    expect(await count(`sms_messages where body in ('first', 'second')`)).toBe(2 * pairs)
    expect(await count(`sms_messages where client_ref like 'auto:%'`)).toBe(pairs)
  },

  async 'wrong pairing codes are counted together'() {
    const guess = async (node: TestServer) =>
      (
        await guest(node).call('POST', '/api/devices/pair', {
          code: '000000',
          platform: 'simulator',
        })
      ).status
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push(await guess(i % 2 ? one : two))
    expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(8)
    expect(statuses.at(-1)).toBe(429)
    await one.services.store.db.query('delete from auth_tries')
  },

  async 'the rate limits of the settings are counted by each node for itself'() {
    const root = await makeRoot()
    const rules = [{ label: 'GET /api/health', audience: '', duration: 60, maxRequests: 3 }]
    await root(one).call('PATCH', '/api/settings', { rateLimits: { enabled: true, rules } })
    await expect.poll(() => two.services.settings.current.rateLimits.enabled).toBe(true)
    for (const node of [one, two]) {
      const statuses: number[] = []
      for (let i = 0; i < 5; i++)
        statuses.push((await guest(node).call('GET', '/api/health')).status)
      expect(statuses).toEqual([200, 200, 200, 429, 429])
    }
    await root(one).call('PATCH', '/api/settings', { rateLimits: { enabled: false } })
    await expect.poll(() => two.services.settings.current.rateLimits.enabled).toBe(false)
  },

  async 'the link of the first start, and the superuser made by it'() {
    const { db } = one.services.store
    await db.query('delete from _superusers')
    const link = await makeInstallerLink(one.services.store, one.url)
    const [, token = ''] = /pbinstal\w*\/(\S+)/.exec(link ?? '') ?? []
    const { email, password } = SUPERUSER
    const made = await client(two.url, '', token).call(
      'POST',
      '/api/collections/_superusers/records',
      {
        email,
        password,
        passwordConfirm: password,
      },
    )
    expect(made.status).toBe(200)
    const path = '/api/collections/_superusers/auth-with-password'
    expect((await guest(one).call('POST', path, { identity: email, password })).status).toBe(200)
    expect(await makeInstallerLink(two.services.store, two.url)).toBeNull()
  },
}

test.each(Object.entries(ROWS))('%s', (_, show) => show())
