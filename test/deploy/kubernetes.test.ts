import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config.ts'

// There is no Kubernetes where tests run: what can be said of deploy/kubernetes.yaml without it.

const FILE = fileURLToPath(new URL('../../deploy/kubernetes.yaml', import.meta.url))
const documents = parseAllDocuments(readFileSync(FILE, 'utf8')).map((one) => one.toJS())
const TIME_LEFT_SECONDS = 5

test('servers start with these settings, and are given the time that they take to stop', () => {
  const { spec } = documents.find(({ kind }) => kind === 'Deployment').spec.template
  const settings = (spec.containers[0].env as { name: string; value?: string }[]).map(({ name, value }) => [
    name,
    value ?? 'postgres://secret',
  ])
  const { stopDelaySeconds, databaseUrl } = readConfig(Object.fromEntries(settings))
  expect(databaseUrl).toBe('postgres://secret')
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(stopDelaySeconds + 10 + TIME_LEFT_SECONDS)
})

test('the secret of the database is that of its cluster', () => {
  const { name } = documents.find(({ kind }) => kind === 'Cluster').metadata
  expect(readFileSync(FILE, 'utf8')).toContain(`name: ${name}-app\n`)
})
