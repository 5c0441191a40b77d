import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setSuperuserAddresses } from '../../../src/engine/auth/superusers.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { CLI } from '../../support/server/program-files.ts'
import { startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'

// At the terminal a superuser says from where superusers may come: the way back for who has shut out
// everybody.

const site = await startServerWithDevices()

const db = () => site.server.services.store.db
const seen = async () => (await site.superuser.call('GET', '/api/settings')).status

test('a superuser locked out by a wrong IP list gets in again after the command clears it', async () => {
  const wrong = { superuserIPs: ['192.0.2.1'] }
  expect((await site.superuser.call('PATCH', '/api/settings', wrong)).status).toBe(200)
  await vi.waitFor(async () => expect(await seen()).toBe(403))
  expect(await setSuperuserAddresses(db(), [])).toEqual(['192.0.2.1'])
  await vi.waitFor(async () => expect(await seen()).toBe(200), 20_000)
  const filter = encodeURIComponent('ip = "terminal" && action = "update settings"')
  const deeds = (await site.superuser.call('GET', `/api/audit?filter=${filter}`)).body.items
  expect(deeds).toMatchObject([{ fields: ['superuserIPs'], superuser: '' }])
})

test('the command replaces the IP list and keeps other settings', async () => {
  await site.superuser.call('PATCH', '/api/settings', { meta: { appName: 'Kept' } })
  await setSuperuserAddresses(db(), ['127.0.0.1', '10.0.0.0/8', '::1'])
  await vi.waitFor(async () => {
    const { body } = await site.superuser.call('GET', '/api/settings')
    expect(body).toMatchObject({
      superuserIPs: ['127.0.0.1', '10.0.0.0/8', '::1'],
      meta: { appName: 'Kept' },
    })
  }, 20_000)
  expect(await setSuperuserAddresses(db(), [])).toEqual(['127.0.0.1', '10.0.0.0/8', '::1'])
})

test('the command names invalid addresses and leaves the limit unchanged', async () => {
  await setSuperuserAddresses(db(), ['127.0.0.1'])
  const wrong = setSuperuserAddresses(db(), ['127.0.0.1', '10.0.0.0/40', 'home'])
  await expect(wrong).rejects.toEqual(
    new UserError('10.0.0.0/40: Invalid IP or CIDR subnet.\nhome: Invalid IP or CIDR subnet.'),
  )
  expect(await setSuperuserAddresses(db(), [])).toEqual(['127.0.0.1'])
})

test('the command accepts any number of addresses', { timeout: 180_000 }, async () => {
  const folder = temporaryFolder()
  const { databaseUrl } = await testConfig()
  const env = { ...process.env, DATABASE_URL: databaseUrl ?? '', DATA_DIR: join(folder, 'data') }
  const ips = (...places: string[]) => {
    const args = [CLI, 'superuser', 'ips', ...places]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env })
    return { status, said: stdout + stderr }
  }
  expect(ips('192.0.2.7', '2001:db8::/32')).toEqual({
    status: 0,
    said: 'Superusers may come from 192.0.2.7, 2001:db8::/32. Until now: anywhere.\n',
  })
  expect(ips('nowhere')).toMatchObject({ status: 1, said: expect.stringContaining('nowhere: ') })
  expect(ips()).toEqual({
    status: 0,
    said: 'Superusers may come from anywhere. Until now: 192.0.2.7, 2001:db8::/32.\n',
  })
})
