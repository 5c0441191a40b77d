import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'

const gateway = await startServerWithDevices()
const user = await gateway.makeUser()
const records = (name: string) => `/api/collections/${name}/records`
const settings = await must(user, 'POST', records('user_settings'), {
  user: user.id,
  country: 'DE',
})
const own = `${records('user_settings')}/${settings.id}`
const refusal = {
  status: 400,
  body: { data: { country: { message: expect.stringMatching(/^Must be the ISO 3166 code of/) } } },
}

// AQ, Antarctica, has no phone numbers; the code of the United Kingdom is GB
test.each(['XX', 'ZZ', 'UK', 'EU', 'AQ'])(
  'the country %s of settings and of a line is refused with an error of the field',
  async (country) => {
    const ben = await gateway.makeUser()
    const body = { user: ben.id, country }
    expect(await ben.call('POST', records('user_settings'), body)).toMatchObject(refusal)
    expect(await user.call('PATCH', own, { country })).toMatchObject(refusal)
    await gateway.pair(ben)
    const [{ id }] = (await must(ben, 'GET', records('lines'))).items
    const line = `${records('lines')}/${id}`
    expect(await gateway.superuser.call('PATCH', line, { country })).toMatchObject(refusal)
    expect((await must(user, 'GET', own)).country).toBe('DE')
  },
)

test.each(['GB', 'XK', ''])('the country "%s" of settings is stored', async (country) => {
  expect((await must(user, 'PATCH', own, { country })).country).toBe(country)
})

test('settings whose country was stored before it was checked can be changed otherwise', async () => {
  await gateway.query(`update user_settings set country = 'XX' where id = $1`, [settings.id])
  expect((await must(user, 'PATCH', own, { country: 'XX', time_zone: 'UTC' })).country).toBe('XX')
})

test('a SIM of an unknown country gives its line no country', async () => {
  const ben = await gateway.makeUser()
  const sims = [
    { slot: 1, country: 'xx' },
    { slot: 2, countryIso: 'de' },
  ]
  const phone = await gateway.pair(ben, { sims })
  const countries = async () =>
    (await must(ben, 'GET', `${records('lines')}?sort=slot`)).items.map(
      ({ country }: { country: string }) => country,
    )
  expect(await countries()).toEqual(['', 'DE'])
  await must(phone, 'POST', '/api/devices/heartbeat', { sims: [sims[1], sims[0]] })
  expect(await countries()).toEqual(['', 'DE'])
})
