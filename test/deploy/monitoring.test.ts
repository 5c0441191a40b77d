import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, stringify } from 'yaml'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'
import { request } from '../support/server/request.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'

const RULES = fileURLToPath(new URL('../../deploy/prometheus-rules.yml', import.meta.url))
const DASHBOARD = fileURLToPath(new URL('../../deploy/grafana.json', import.meta.url))
const TOKEN = 'a-token-for-prometheus'

/** Only there with the server's own Postgres, a replica, workers, or after a backup, a refusal, a fault. */
const SOMETIMES = /pocketsms_(disk_|replica_|worker_|backup_age|over_limits)|kind="alarm|"dead"|status=~"5/

const rules: { alert: string; expr: string }[] = parse(readFileSync(RULES, 'utf8')).groups[0].rules
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'))
const shown = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
  targets.map(({ expr }) => expr),
)
/** An alert's comparison as one that is answered whether it holds or not. */
const answered = (expr: string) => expr.replace(/ (>|<|==) /g, ' $1 bool ')
const queries: string[] = [...rules.map(({ expr }) => answered(expr)), ...shown]

/** Prometheus with the alert rules, asking the server twice a second. Returns its address. */
async function startPrometheus(server: string): Promise<string> {
  const folder = temporaryFolder()
  const config = {
    global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
    rule_files: [RULES],
    scrape_configs: [
      {
        job_name: 'pocketsms',
        authorization: { credentials: TOKEN },
        static_configs: [{ targets: [new URL(server).host] }],
      },
    ],
  }
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  execFileSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], { stdio: 'pipe' })
  const address = `127.0.0.1:${await freePort()}`
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  const all = [...flags, `--web.listen-address=${address}`, '--log.level=warn']
  const running = await startProgram('prometheus', all, {}, `http://${address}`, '/-/ready')
  return running.url
}

test.runIf(runs('prometheus', '--version'))('Prometheus answers each alert and each panel', async () => {
  const gateway = await startServerWithDevices({ METRICS_TOKEN: TOKEN })
  const user = await gateway.makeUser()
  const send = { recipients: ['+4915112345678'], body: 'Hello' }
  expect((await user.call('POST', '/api/sms/send', send)).status).toBe(503)
  await gateway.pair(user)
  await must(user, 'POST', '/api/sms/send', send)
  await must(user, 'POST', '/api/campaigns', { ...send, scheduled_at: new Date(Date.now() + 3_600_000) })
  const prometheus = await startPrometheus(gateway.url)
  const ask = async (path: string) => (await request(prometheus, 'GET', `/api/v1/${path}`)).body.data
  const unanswered = async () => {
    const results = queries.map(async (query) => {
      const { result } = await ask(`query?query=${encodeURIComponent(query)}`)
      return result.length === 0 && !SOMETIMES.test(query) ? [query] : []
    })
    return (await Promise.all(results)).flat()
  }
  await expect.poll(unanswered).toEqual([])
  const health = async () =>
    (await ask('rules')).groups[0].rules.map((rule: { health: string }) => rule.health)
  await expect.poll(health).toEqual(rules.map(() => 'ok'))
})
