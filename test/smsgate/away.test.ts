import { expect, onTestFinished, test } from 'vitest'
import { makeCable } from '../support/cable.ts'
import { openGateway } from '../support/gateway.ts'
import { joinPhone, makePhone, send } from '../support/smsgate-site.ts'
import { testConfig } from '../support/start.ts'

const onPostgres = test.runIf(process.env.TEST_BACKEND === 'postgres')

// a 401 would make the app forget who it is, and any answer that is a success would end its tries
onPostgres('while the database is away, whatever a phone asks is answered 503', async () => {
  const { databaseUrl } = await testConfig()
  const cable = await makeCable(databaseUrl!)
  await cable.plug()
  const gateway = await openGateway({ DATABASE_URL: cable.url })
  onTestFinished(async () => {
    await cable.plug()
    await gateway.stop()
    await cable.pull()
  })
  const site = { gateway, mobileUrl: `${gateway.url}/api/mobile/v1` }
  const user = await gateway.makeUser()
  const phone = await joinPhone(site, user)
  await send(user, 1)
  const [{ id }] = (await phone.call('GET', '/message')).body
  const states = [{ id, state: 'Sent', recipients: [], states: {} }]
  const { pathname } = new URL((await phone.call('GET', '/webhooks')).body[0].url)

  await cable.pull()
  const asked = [
    phone.call('GET', '/message'),
    phone.call('PATCH', '/message', states),
    phone.call('PATCH', '/device', { id: phone.store.registration!.id }),
    phone.call('GET', '/events'),
    phone.call('GET', '/settings'),
    makePhone(site).call('POST', '/device', { name: 'x' }, 'Code 123456'),
    phone.fetch(gateway.url + pathname, { method: 'POST', body: '{}' }),
  ]
  const answers = await Promise.all(asked)
  expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 503))
  expect(answers[0]!.body).toEqual({ message: expect.any(String) })
  await cable.plug()
  await expect.poll(async () => (await phone.call('PATCH', '/message', states)).status).toBe(204)
})
