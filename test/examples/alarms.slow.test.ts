import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parse } from 'yaml'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { readExample } from './example.ts'

const gateway = await startServerWithDevices()
const user = await gateway.makeUser()
beforeAll(() => gateway.pair(user))

const makeHook = (preset: string): Promise<{ id: string; secret: string }> => {
  const hook = { user: user.id, name: preset, preset, recipients: ['+4915112345678'] }
  return must(user, 'POST', '/api/collections/hooks/records', hook)
}
const textsBy = async (hook: string) =>
  (
    await gateway.query('select body from sms_messages where sent_by = $1 order by _rowid', [hook])
  ).flat()

/** As Debian and others call it. */
const alertmanager = ['prometheus-alertmanager', 'alertmanager'].find((name) =>
  runs(name, '--version'),
)
const canStart = alertmanager !== undefined && runs('prometheus', '--version')

test.skipIf(!canStart)(
  'a machine that is down sends a text, and another when it is back',
  { timeout: 180_000 },
  async () => {
    const hook = await makeHook('alertmanager')
    const [machine, manager, prometheus] = [await freePort(), await freePort(), await freePort()]
    const folder = temporaryFolder()
    const quick = (text: string) =>
      text
        .replaceAll(/(_interval|group_wait|for): \w+/g, '$1: 1s')
        .replace('repeat_interval: 1s', 'repeat_interval: 4h')
        .replace('https://sms.example.com', gateway.url)
        .replace('127.0.0.1:9100', `127.0.0.1:${machine}`)
        .replace('127.0.0.1:9093', `127.0.0.1:${manager}`)
    for (const file of ['alertmanager.yml', 'prometheus.yml', 'rules.yml'])
      writeFileSync(join(folder, file), quick(readExample(`alarms/${file}`)))
    writeFileSync(join(folder, 'hook-secret'), `${hook.secret}\n`)

    const start = async (program: string, port: number, file: string, flags: string[]) => {
      const args = [
        `--config.file=${join(folder, file)}`,
        `--web.listen-address=127.0.0.1:${port}`,
        ...flags,
      ]
      const running = await startProgram(program, args, {}, `http://127.0.0.1:${port}`, '/-/ready')
      onTestFinished(() => running.stop())
    }
    const alone = ['--cluster.listen-address=', `--storage.path=${join(folder, 'manager')}`]
    await start(alertmanager!, manager, 'alertmanager.yml', alone)
    await start('prometheus', prometheus, 'prometheus.yml', [
      `--storage.tsdb.path=${join(folder, 'series')}`,
    ])

    const text = (state: string) => `${state}: Down 127.0.0.1:${machine}: web does not answer`
    await expect.poll(() => textsBy(hook.id), { timeout: 60_000 }).toEqual([text('firing')])
    const back = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('a 1\n'),
    )
    await new Promise<void>((listening) => back.listen(machine, '127.0.0.1', listening))
    onTestFinished(() => void back.close())
    await expect
      .poll(() => textsBy(hook.id), { timeout: 60_000 })
      .toEqual([text('firing'), text('resolved')])
  },
)

// Grafana is not started: its file is read, and a body as in Grafana's documentation is posted with it.
test("Grafana's contact point posts to the hook with its secret", async () => {
  const hook = await makeHook('grafana')
  const { contactPoints, policies } = parse(readExample('alarms/grafana/contact-points.yml'))
  const [{ name, receivers }] = contactPoints
  expect(policies).toMatchObject([{ receiver: name }])
  const [{ type, settings }] = receivers
  expect([type, settings.httpMethod]).toEqual(['webhook', 'POST'])
  const { pathname } = new URL(settings.url)
  const credentials = settings.authorization_credentials.replace('SECRET', hook.secret)
  const grafana = client(gateway.url, '', `${settings.authorization_scheme} ${credentials}`)
  const labels = { alertname: 'High CPU usage' }
  const annotations = { summary: 'web-1 needs more than 90 %' }
  const alert = {
    status: 'firing',
    labels,
    annotations,
    startsAt: '2026-11-25T07:00:00Z',
    fingerprint: 'c1',
  }
  expect(
    await must(grafana, 'POST', pathname, { status: 'firing', alerts: [alert] }),
  ).toMatchObject({
    outcome: 'sent',
  })
  expect(await textsBy(hook.id)).toEqual(['firing: High CPU usage: web-1 needs more than 90 %'])
})
