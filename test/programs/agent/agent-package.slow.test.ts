import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PROGRAM } from '../../support/server/program-files.ts'
import {
  type Client,
  type ServerWithDevices,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

let server: ServerWithDevices
/** A home directory that has never seen the agent. */
let home: string
const started: ChildProcess[] = []
beforeAll(async () => {
  server = await startServerWithDevices()
  home = mkdtempSync(join(tmpdir(), 'pocketsms-home-'))
})
afterAll(async () => {
  for (const child of started) stop(child)
  await server.stop()
  rmSync(home, { recursive: true, force: true })
})

/** npx starts a shell, which starts the agent: all of them are one process group. */
function stop(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null && child.pid)
    process.kill(-child.pid, 'SIGTERM')
}

/** Runs the package of the server as a person would, without a registry. Answers what it has written. */
function runPackage(...args: readonly string[]): { child: ChildProcess; output: () => string } {
  const child = spawn('npx', ['-y', `${server.url}/agent.tgz`, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, npm_config_registry: 'http://127.0.0.1:9' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let output = ''
  for (const pipe of [child.stdout, child.stderr])
    pipe.on('data', (chunk: Buffer) => {
      output += chunk
    })
  return { child, output: () => output }
}

const makeCode = async (user: Client, name: string): Promise<string> =>
  (await user.call('POST', '/api/devices/pairing', { name })).body.code

const states = () =>
  readdirSync(join(home, '.local/state/pocketsms')).filter((name) => name.endsWith('.json'))

const PATIENCE = { timeout: 60_000 }

test('one command pairs and runs, a second run only runs, and a second phone gets its own state file', async () => {
  const user = await server.makeUser()
  const code = await makeCode(user, 'First')
  const first = runPackage('start', server.url, code)
  await expect.poll(first.output, PATIENCE).toContain('connected')
  expect(first.output()).toContain('as "First"')
  const sent = await user.call('POST', '/api/sms/send', {
    recipients: ['+4915112345678'],
    body: 'Hello',
  })
  const id = sent.body.message_ids[0]
  const status = async () =>
    (await user.call('GET', `/api/collections/sms_messages/records/${id}`)).body.status
  await expect.poll(status, PATIENCE).toBe('delivered')

  const second = runPackage('start', server.url, await makeCode(user, 'Second'))
  await expect.poll(second.output, PATIENCE).toContain('connected')
  expect(states()).toHaveLength(2)

  const unclear = runPackage('run')
  await once(unclear.child, 'close')
  expect(unclear.output()).toContain('Several devices are paired here')
  expect(unclear.output()).toMatch(/--state \S+ {3}First, http/)

  stop(first.child)
  await once(first.child, 'close')
  const again = runPackage('start', server.url, code)
  await expect.poll(again.output, PATIENCE).toContain('connected')
  expect(again.output()).not.toContain('Paired with')
  expect(states()).toHaveLength(2)
}, 180_000)

/** Runs the same program without npm, to its end. Answers what it has written. */
async function runToEnd(...args: readonly string[]): Promise<string> {
  const said = (output: { stdout: string; stderr: string }) => output.stdout + output.stderr
  return promisify(execFile)(process.execPath, [PROGRAM, 'agent', ...args], {
    timeout: 60_000,
  }).then(said, said)
}

test("pairing into another device's state file is refused and leaves the code usable", async () => {
  const user = await server.makeUser()
  const state = join(home, 'mine.json')
  const simulated = ['--platform', 'simulator', '--state']
  await runToEnd('pair', server.url, await makeCode(user, 'First'), ...simulated, state)
  const code = await makeCode(user, 'Second')
  const refused = await runToEnd('start', server.url, code, '--state', state)
  expect(refused).toContain('belongs to a device that is paired already')
  const other = await runToEnd('pair', server.url, code, ...simulated, join(home, 'other.json'))
  expect(other).toContain('as "Second"')
}, 180_000)
