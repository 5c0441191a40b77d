import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { until } from '../support/until.ts'
import { blocksOf } from './page.ts'

/** As Debian and others call it. */
const program = ['prometheus-alertmanager', 'alertmanager'].find((name) => runs(name, '--version'))
if (!program)
  throw new Error('Alertmanager is not installed: apt-get install prometheus-alertmanager')

const fixture = await startServerWithDevices()
const { query } = fixture
const alice = await fixture.makeUser()
beforeAll(() => fixture.pair(alice))

const HOOK = { name: 'Alertmanager', preset: 'alertmanager', recipients: ['+4915112345678'] }
const makeHook = () =>
  must(alice, 'POST', '/api/collections/hooks/records', { user: alice.id, ...HOOK })
const textsBy = async ({ id }: { id: string }) =>
  (await query('select body from sms_messages where sent_by = $1 order by _rowid', [id])).map(
    ([text]) => text,
  )
/** Outcomes of the last ten calls, of alerts in this state. */
async function outcomes({ id }: { id: string }, status: string) {
  const calls = `select outcome from hook_calls where hook = $1 and body::json->>'status' = $2 order by _rowid`
  return (await query(calls, [id, status])).map(([outcome]) => outcome)
}

/** Starts an Alertmanager that is alone, with the page's file and a second for these. Returns its address. */
async function startAlertmanager({ secret }: { secret: string }, second: RegExp): Promise<string> {
  const block = blocksOf('docs/recipes/tools.md').find(({ text }) =>
    text.includes('webhook_configs'),
  )!
  const folder = temporaryFolder()
  const file = block.text
    .replace('https://sms.example.com', fixture.url)
    .replace('SECRET', secret)
    .replace(second, (setting) => setting.replace(/\w+$/, '1s'))
  writeFileSync(join(folder, 'alertmanager.yml'), file)
  const address = `127.0.0.1:${await freePort()}`
  const args = [
    `--web.listen-address=${address}`,
    '--cluster.listen-address=',
    `--storage.path=${folder}`,
  ]
  const flags = [...args, `--config.file=${join(folder, 'alertmanager.yml')}`]
  const running = await startProgram(program!, flags, {}, `http://${address}`, '/-/ready')
  return running.url
}

async function post(alertmanager: string, alerts: readonly object[]): Promise<void> {
  expect((await request(alertmanager, 'POST', '/api/v2/alerts', alerts)).status).toBe(200)
}

test('an alert and its end are two texts although two Alertmanagers repeat them every second', async () => {
  const hook = await makeHook()
  const intervals = /(group_wait|group_interval|repeat_interval): \w+/g
  const both = [await startAlertmanager(hook, intervals), await startAlertmanager(hook, intervals)]
  const alert = {
    labels: { alertname: 'DiskFull', instance: 'web-1:9100' },
    annotations: { summary: 'Disk is 95 % full' },
    startsAt: new Date().toISOString(),
  }
  for (const alertmanager of both) await post(alertmanager, [alert])
  const areRepeated = async () =>
    (await outcomes(hook, 'firing')).filter((one) => one === 'repeated').length >= 6
  await until('the alert is repeated', areRepeated)
  for (const alertmanager of both)
    await post(alertmanager, [{ ...alert, endsAt: new Date().toISOString() }])
  await until(
    'both say that it is over',
    async () => (await outcomes(hook, 'resolved')).length === 2,
  )
  expect(await outcomes(hook, 'resolved')).toEqual(['sent', 'repeated'])
  const text = 'DiskFull web-1:9100: Disk is 95 % full'
  expect(await textsBy(hook)).toEqual([`firing: ${text}`, `resolved: ${text}`])
})

test('of 200 alerts at once the hook sends 60 texts and one that counts the rest', async () => {
  const hook = await makeHook()
  const startsAt = new Date().toISOString()
  const alerts = Array.from({ length: 200 }, (_, i) => ({
    labels: { alertname: `Alert${i}` },
    startsAt,
  }))
  const alertmanager = await startAlertmanager(hook, /group_wait: \w+/)
  await post(alertmanager, alerts)
  const summary = 'Alertmanager: and 140 more'
  await until('all are counted', async () => (await textsBy(hook)).includes(summary), 80_000)
  const texts = await textsBy(hook)
  expect(texts).toHaveLength(61)
  expect(new Set(texts).size).toBe(61)
})
