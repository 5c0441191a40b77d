import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runs } from '../support/installed.ts'
import { startServer } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const RULES = fileURLToPath(new URL('../../deploy/prometheus-rules.yml', import.meta.url))
const DASHBOARD = fileURLToPath(new URL('../../deploy/grafana.json', import.meta.url))
const TOKEN = 'a-token-for-prometheus'
const server = stopAfterAll(await startServer({ env: { METRICS_TOKEN: TOKEN } }))

/** Metrics that a server has only with its own Postgres, a replica, workers, or after a backup. */
const SOMETIMES = /^pocketsms_(disk_|replica_|worker_|backup_age)/

const rules: { alert: string; expr: string }[] = parse(readFileSync(RULES, 'utf8')).groups[0].rules
const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8'))
const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr]),
  ...panels.map(({ title, targets }: { title: string; targets: { expr: string }[] }) => [
    title,
    targets[0]!.expr,
  ]),
] as [string, string][]

test.each(queries)('%s asks for what a server has', async (_, query) => {
  const text = await (
    await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).text()
  const names = query.match(/\b(pocketsms|process|nodejs)_\w+/g) ?? []
  const missing = names.filter(
    (name) => !SOMETIMES.test(name) && !text.includes(`# TYPE ${name.replace(/_bucket$/, '')} `),
  )
  expect(missing).toEqual([])
})

test.runIf(runs('promtool', '--version'))('Prometheus understands the rules', () => {
  execFileSync('promtool', ['check', 'rules', RULES], { stdio: 'pipe' })
})
