import { PRESET_NAMES } from '../../../../../src/programs/agent/drivers/http/presets.ts'
import { tryAccount } from '../../../../../src/programs/agent/drivers/http/try-account.ts'
import { freePort } from '../../../../support/database/postgres.ts'
import { startReceiver } from '../../../../support/services/receiver.ts'
import { carrierOf, custom, settingsOf } from './carrier-fixture.ts'

const carrier = await startReceiver()
const LOCAL = { url: carrier.url, allow_private: true }

/** Presets of carriers that have no request without costs. */
const UNTRIED = ['gatewayapi', 'custom']

test.each(PRESET_NAMES.filter((name) => !UNTRIED.includes(name)))(
  'the credentials of %s are tried by a request that sends nothing',
  async (preset) => {
    const account = carrierOf(preset, LOCAL)
    const methods: (string | undefined)[] = []
    carrier.behave((_, res, { method }) => {
      methods.push(method)
      res.end('{}')
    })
    expect(await tryAccount(account)).toEqual({ isAccepted: true, refusal: '' })
    const asked = carrier.told.at(-1)!
    expect({ methods, body: asked.body }).toEqual({ methods: ['GET'], body: '' })
    expect(asked.path).not.toBe(new URL(account.address).pathname)
    const credentials = JSON.stringify([asked.path, asked.headers])
    expect(/sesame|YWNtZTpzZXNhbWU=/.test(credentials), credentials).toBe(true)

    carrier.answer(401, '{"message":"sesame is wrong"}')
    const { isAccepted, refusal } = await tryAccount(account)
    expect(isAccepted).toBe(false)
    expect(refusal).toMatch(/^The carrier refused it: 401/)
    expect(refusal).not.toContain('sesame')
  },
)

test.each([
  ['a right that only this request needs', 403],
  ['no credit', 402],
  ['a fault of the carrier', 500],
])('%s says nothing about the credentials', async (_, status) => {
  carrier.answer(status, '{}')
  expect(await tryAccount(carrierOf('twilio', LOCAL))).toEqual({ isAccepted: false, refusal: '' })
})

test('a bare code of seven refuses the key, with any status', async () => {
  carrier.answer(200, '900')
  expect((await tryAccount(carrierOf('seven', LOCAL))).refusal).toContain('900')
})

test.each(UNTRIED)('of %s only the host is tried, without credentials', async (preset) => {
  carrier.answer(404, '{}')
  const { carrier: own } = settingsOf({ ...custom(carrier.url), allow_private: true })
  const account = preset === 'custom' ? own : carrierOf(preset, LOCAL)
  expect(await tryAccount(account)).toEqual({ isAccepted: false, refusal: '' })
  expect(JSON.stringify(carrier.told.at(-1))).not.toContain('sesame')
})

test('a host that does not listen is known at once', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const { refusal } = await tryAccount(carrierOf('twilio', { ...LOCAL, url }))
  expect(refusal).toMatch(/^The carrier cannot be reached: .*ECONNREFUSED/)
})

test('a host that never answers is known before the patience of a person ends', async () => {
  carrier.behave(() => {})
  const { refusal } = await tryAccount(carrierOf('twilio', LOCAL))
  expect(refusal).toMatch(/^The carrier cannot be reached: .*did not answer in time/)
})
