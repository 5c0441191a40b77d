import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { INSIDE } from '../../package/bundle.ts'
import { nameSources } from '../../src/platform/name-sources.ts'
import { isRunning, openFolder, postmasterIn } from '../support/database/embedded.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { startProgram } from '../support/server/program.ts'
import { makeUser, must, signIn } from '../support/server/server-with-devices.ts'
import { SUPERUSER } from '../support/server/start.ts'
import { OLDEST_NODE_BIN } from './oldest-node.ts'

// What a stranger gets: the packed file, installed without what a clone has, run by an ordinary user.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const UID = 7655
const asRoot = process.getuid?.() === 0
const AS_USER = asRoot ? ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'] : []

const folder = openFolder()
const [release, place] = [join(folder, 'release'), join(folder, 'installed')]
const key = join(folder, 'key')
const installed = join(place, 'node_modules/pocketsms')
const program = join(place, 'node_modules/.bin/pocketsms')
const { version } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
const read = (name: string) => readFileSync(join(installed, name), 'utf8')

/** Runs a command as the user, in the folder of the installation, with nothing of this environment. */
function asUser(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [file, ...args] = [...AS_USER, ...command]
  const environment = { PATH: process.env.PATH!, HOME: place, npm_config_cache: cache, ...env }
  return { file: file!, args, options: { cwd: place, env: environment } }
}
const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim()

beforeAll(() => {
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8' })
  const quiet = ['-q', '-t', 'ed25519', '-N', '', '-C', 'ann']
  execFileSync('ssh-keygen', [...quiet, '-f', key])
  const dryRun = ['--dry-run', '--repository', 'Ann/texts', '--out', release, '--key', key]
  execFileSync(process.execPath, [join(HOME, 'package/release.ts'), version, ...dryRun], {
    stdio: 'pipe',
  })
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{}')
  npm(
    place,
    'install',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-fund',
    '--no-audit',
    join(release, `pocketsms-${version}.tgz`),
  )
  if (asRoot) execFileSync('chown', ['-R', `${UID}:${UID}`, place])
}, 300_000)

test('the installed package has the program, its data and the console, and no sources', () => {
  expect(globSync(['*', 'console/*', 'dist/**/*.ts'], { cwd: installed }).sort()).toEqual(
    `CHANGELOG.md LICENSE NOTICE README.md bin console console/dist deploy dist dist/types.d.ts
    package.json sql`.split(/\s+/),
  )
  const [megabytes] = execFileSync('du', ['-sm', place], { encoding: 'utf8' }).split('\t')
  expect(Number(megabytes)).toBeLessThanOrEqual(144)
  const { devDependencies } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
  const extra = Object.keys({ '@scarf/scarf': '', ...devDependencies })
  expect(extra.filter((name) => existsSync(join(place, 'node_modules', name)))).toEqual([])
})

test("the package's README and package.json name the repository of the release", () => {
  const links = [...read('README.md').matchAll(/(?:\]\(| src=")([^)"]+)/g)].map(([, link]) => link)
  expect(links.filter((link) => !/^(https:\/\/|#)/.test(link!))).toEqual([])
  expect(links).toContain(`https://github.com/Ann/texts/blob/v${version}/docs/app.md`)
  expect(read('package.json')).toContain('git+https://github.com/Ann/texts.git')
  expect(read('deploy/compose-servers.yml')).toContain(`image: ghcr.io/ann/texts:${version}`)
  expect(read('CHANGELOG.md')).not.toContain('Not released yet')
})

test("the release's SBOM lists exactly the installed packages and those within the bundle", () => {
  const [bill] = globSync('*.cdx.json', { cwd: release })
  const { components } = JSON.parse(readFileSync(join(release, bill!), 'utf8'))
  const manifests = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: place })
  const bundled = INSIDE.map((name) => join(HOME, 'node_modules', name, 'package.json'))
  const there = [...manifests.map((file) => join(place, file)), ...bundled].map((file) =>
    JSON.parse(readFileSync(file, 'utf8')),
  )
  const names = (all: { name: string; version: string }[]) =>
    [...new Set(all.map(({ name, version }) => `${name}@${version}`))].sort()
  const inBill = components.map(
    (one: { purl: string }) => /npm\/(.+)@(.+)$/.exec(decodeURIComponent(one.purl))!,
  )
  expect(names(inBill.map(([, name, version]: string[]) => ({ name, version })))).toEqual(
    names(there),
  )
  expect(there.length).toBeGreaterThan(50)
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: release })
})

test('the key of the release signs its checksums, and no other file passes', () => {
  const [kind, code] = readFileSync(`${key}.pub`, 'utf8').split(' ')
  const signers = join(folder, 'signers')
  writeFileSync(signers, `ann ${kind} ${code}\n`)
  const signature = ['-s', join(release, 'SHA256SUMS.sig')]
  const verify = ['-Y', 'verify', '-f', signers, '-I', 'ann', '-n', 'pocketsms', ...signature]
  const check = (input: string) => spawnSync('ssh-keygen', verify, { input }).status
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8')
  expect([check(sums), check(sums.replace(/^./, 'x'))]).toEqual([0, 255])
})

test('a release without a key, or with a missing key file, writes no files', () => {
  const without = (...words: string[]) =>
    spawnSync(process.execPath, [join(HOME, 'package/release.ts'), version, ...words], {
      encoding: 'utf8',
    })
  for (const words of [[], ['--dry-run', '--key', join(folder, 'none')]]) {
    const { status, stderr } = without('--out', join(folder, 'unsigned'), ...words)
    expect([status, stderr]).toEqual([1, 'Which SSH key signs? --key ~/.ssh/id_ed25519\n'])
  }
  expect(existsSync(join(folder, 'unsigned'))).toBe(false)
})

test('NOTICE names the packages contained in the console, agent and program, with locked versions', () => {
  const { packages } = JSON.parse(readFileSync(join(HOME, 'package-lock.json'), 'utf8'))
  const named = [...read('NOTICE').matchAll(/^## (\S+) - (\S+) \(/gm)].map(([, name, version]) => [
    name,
    version,
  ])
  expect(named).toEqual(named.map(([name]) => [name, packages[`node_modules/${name}`]?.version]))
  expect(named.map(([name]) => name)).toEqual(
    expect.arrayContaining(['preact', 'swagger-ui-dist', 'smpp', 'kysely']),
  )
})

test('a program compiles against the types of pocketsms/types', () => {
  const source = `import type { Send, SmsMessage, WebhookEvent } from 'pocketsms/types'
export const send: Send = { recipients: ['+4915112345678'], body: 'Hello' }
export const states = (message: SmsMessage): 'sent' | string => message.status
export const text = (event: WebhookEvent): string | undefined =>
  event.type === 'message.received' ? event.data.body : undefined
export const file = (event: WebhookEvent) => event.type === 'message.received' && event.files?.[0]?.url
// @ts-expect-error no such field
export const none = (message: SmsMessage) => message.nothing
`
  writeFileSync(join(place, 'app.ts'), source)
  const tsc = join(HOME, 'node_modules/.bin/tsc')
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', 'app.ts']
  execFileSync(tsc, options, { cwd: place, stdio: 'pipe' })
})

test('a stack in the log names the sources of the installed files', () => {
  const sentence = 'An SMS gateway that anyone can run'
  const findLine = (text: string) =>
    text.split('\n').findIndex((line) => line.includes(sentence)) + 1
  const { href } = pathToFileURL(join(installed, 'dist/cli.js'))
  const stack = `Error: no\n    at main (${href}:${findLine(read('dist/cli.js'))}:3)`
  const source = findLine(readFileSync(join(HOME, 'src/main/cli.ts'), 'utf8'))
  expect(nameSources(stack, installed)).toMatch(
    new RegExp(`^Error: no\\n {4}at main \\(src/main/cli\\.ts:${source}:\\d+\\)$`),
  )
})

test('the package has every command when installed without install scripts', () => {
  const { file, args, options } = asUser([program, '--help'])
  const help = execFileSync(file, args, { ...options, encoding: 'utf8' })
  for (const command of ['serve', 'demo', 'agent', 'openapi', 'backup'])
    expect(help).toContain(command)
})

/** Command lines of processes that run what is installed here. */
const running = () =>
  globSync('/proc/[0-9]*/cmdline').flatMap((file) => {
    const line = existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : ''
    return line.includes(place) ? [line] : []
  })

/** The oldest Node where it is installed. */
const [oldestName, oldest] = existsSync(OLDEST_NODE_BIN)
  ? ['Node 22.18', OLDEST_NODE_BIN]
  : ['Node 24', process.execPath]

// test/deploy/image runs the package on this Node
test.runIf(process.platform === 'linux')(
  `on ${oldestName} the package sends through a simulated phone and leaves no process`,
  async () => {
    const port = String(await freePort())
    const env = {
      PORT: port,
      PATH: `${dirname(oldest)}:${process.env.PATH}`,
      DATABASE_URL: '',
      DATA_DIR: join(place, 'data'),
    }
    const { file, args, options } = asUser([program, 'serve'], env)
    const server = await startProgram(
      file,
      args,
      options.env,
      `http://127.0.0.1:${port}`,
      '/api/ready',
    )
    onTestFinished(() => server.stop())
    const upsert = asUser(
      [program, 'superuser', 'upsert', SUPERUSER.email, SUPERUSER.password],
      env,
    )
    await promisify(execFile)(upsert.file, upsert.args, upsert.options)
    const root = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
    const user = await makeUser(server.url, root)
    const { code } = await must(user, 'POST', '/api/devices/pairing', { name: 'Phone' })
    const agent = asUser([program, 'agent', 'start', server.url, code], env)
    const phone = spawn(agent.file, agent.args, { ...agent.options, stdio: 'ignore' })
    onTestFinished(() => void phone.kill('SIGKILL'))
    const body = { recipients: ['+4915112345678'], body: 'Hello' }
    const path = '/api/collections/sms_messages/records'
    await expect.poll(async () => (await user.call('POST', '/api/sms/send', body)).status).toBe(200)
    const states = async () =>
      (await must(user, 'GET', path)).items.map((each: { status: string }) => each.status)
    await expect.poll(states).toEqual(['delivered'])
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
    expect(running().length).toBeGreaterThan(1)
    phone.kill('SIGTERM')
    process.kill(server.pid, 'SIGTERM')
    await expect.poll(running).toEqual([])
    expect(server.output()).toMatch(/SIGTERM: finishing/)
    expect(server.output()).not.toMatch(/Warning/)
  },
)

// Whatever started the server, and however it ends, neither the server nor its Postgres stays behind.

/** Each start finds the database of the one before. */
const data = temporaryFolder()

/** As a Node that cannot replace its process by another program. */
const OLD_NODE = [process.execPath, '--import', 'data:text/javascript,delete process.execve']

test.runIf(process.platform === 'linux').each([
  ['npm start', 'SIGKILL', ['npm', 'start']],
  ['npx', 'SIGTERM', ['npx', 'pocketsms', 'serve']],
  ['an older Node', 'SIGKILL', [...OLD_NODE, 'bin/pocketsms.js', 'serve']],
] as const)(
  'a server started by %s and ended by %s leaves no process',
  async (_, signal, [command, ...args]) => {
    const env = {
      ...process.env,
      DATA_DIR: data,
      DATABASE_URL: '',
      PORT: '0',
      WORKERS: '',
      LOG_LEVEL: 'error',
    }
    const child = spawn(command, args, { cwd: HOME, env, stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk
    })
    await expect.poll(() => said).toMatch(/pocketsms listens/)
    const postmaster = postmasterIn(data)
    const server = Number(
      readFileSync(`/proc/${postmaster}/stat`, 'utf8').split(') ')[1]!.split(' ')[1],
    )
    onTestFinished(() => {
      for (const pid of [server, postmaster].filter(isRunning)) process.kill(pid, 'SIGKILL')
    })
    child.kill(signal)
    await expect.poll(() => [server, postmaster].filter(isRunning)).toEqual([])
    expect(existsSync(join(data, 'postgres', 'postmaster.pid'))).toBe(false)
  },
)
