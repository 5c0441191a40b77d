import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import dockerignore from '@balena/dockerignore'
import { canMount, openFolder } from '../support/database/embedded.ts'
import { freePort } from '../support/database/postgres.ts'
import { startProgram } from '../support/server/program.ts'

// There may be no Docker where tests run: the steps of the Dockerfile are taken in folders that have what
// .dockerignore leaves, on this machine's Debian and Node. `npm ci` alone is left out.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const text = (name: string) => readFileSync(join(HOME, name), 'utf8')
const isSent = dockerignore.default().add(text('.dockerignore')).createFilter()

interface Step {
  readonly word: string
  readonly rest: string
}
/** The stages of the Dockerfile, each a list of instructions. */
const stages: Step[][] = text('Dockerfile')
  .replace(/\\\n/g, ' ')
  .replace(/^#.*\n/gm, '')
  .split(/^FROM .*$/m)
  .slice(1)
  .map((stage) => stage.trim().split('\n').filter(Boolean))
  .map((lines) =>
    lines.map((line) => ({ word: line.split(' ')[0]!, rest: line.replace(/^\w+ +/, '') })),
  )
const [packing, installing, image] = stages as [Step[], Step[], Step[]]
const values = (steps: readonly Step[], word: string) =>
  steps.filter((step) => step.word === word).map(({ rest }) => rest)
const last = (steps: readonly Step[], word: string) => values(steps, word).at(-1)!
const sh = (cwd: string, command: string) =>
  execFileSync('sh', ['-c', command], { cwd, stdio: 'pipe' })

function isInContext(file: string): boolean {
  const path = relative(HOME, file)
  if (path === '') return true
  if (/^(node_modules|\.git|coverage|data|dist)$/.test(path)) return false
  return statSync(file).isDirectory() || isSent(path)
}

/** Takes the steps of the first two stages. Returns the folder that is their /usr/local. */
function build(folder: string): string {
  const [clone, local] = [join(folder, 'clone'), join(folder, 'local')]
  cpSync(HOME, clone, { recursive: true, filter: isInContext })
  symlinkSync(join(HOME, 'node_modules'), join(clone, 'node_modules'))
  const [, pack] = values(packing, 'RUN')
  sh(clone, pack!.replace('/clone', clone))
  const place = join(folder, last(installing, 'WORKDIR').replace('/usr/local', 'local'))
  mkdirSync(place, { recursive: true })
  const [, lock] = values(installing, 'COPY')
  sh(place, lock!.replace('--from=pack /clone', `cp ${clone}`))
  for (const command of values(installing, 'RUN'))
    sh(
      place,
      command
        .replace('/pocketsms', `${clone}/pocketsms`)
        .replace('npm ci', 'npm ci --prefer-offline'),
    )
  return local
}

/**
 * A script that runs its arguments in this machine's Debian with /usr/local of the image, as uid 1000 and the
 * first process there, without rights, with nothing to write to but /data and /tmp.
 */
const confine = (folder: string, local: string) => `
  set -e; mkdir ${folder}/root ${folder}/data; chmod 777 ${folder}/data; cd ${folder}/root
  mount -t tmpfs none .; cd ../root; mkdir usr data proc dev tmp etc home
  mount --bind /usr usr; for at in bin sbin lib lib64; do [ ! -L /$at ] || ln -s usr/$at $at; done
  mount -t tmpfs none usr/local; mkdir -p usr/local/bin usr/local/lib
  cp -a ${local}/lib/node_modules usr/local/lib; cp "${process.execPath}" usr/local/bin/node
  printf 'root:x:0:0::/:\\nnode:x:1000:1000::/home:\\n' >etc/passwd
  printf 'root:x:0:\\nnode:x:1000:\\n' >etc/group
  mount --rbind /dev dev; mount -t tmpfs none tmp; mount -t proc none proc
  export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
  ${values(image, 'RUN')
    .map((command) => `chroot . sh -c '${command}'`)
    .join('\n')}
  mount --bind ${folder}/data data
  mount -o remount,ro usr/local; mount -o remount,bind,ro usr; mount -o remount,ro .
  exec chroot . setpriv --reuid=1000 --regid=1000 --clear-groups --no-new-privs --bounding-set=-all "$@"`

test.runIf(canMount())(
  'the image builds from its context and serves under the confinement of a container',
  { timeout: 300_000 },
  async () => {
    const folder = openFolder()
    const local = build(folder)
    expect(values(image, 'COPY')[0]).toMatch(
      /--from=install (\/usr\/local\/lib\/node_modules\/pocketsms) \1$/,
    )
    const port = String(await freePort())
    const env = Object.fromEntries(
      values(image, 'ENV')
        .flatMap((line) => line.split(' '))
        .map((pair) => pair.split('=') as [string, string]),
    )
    expect([env.DATA_DIR, last(image, 'VOLUME'), last(image, 'USER')]).toEqual([
      '/data',
      '/data',
      'node',
    ])
    const data = join(folder, 'data')
    const server = await startProgram(
      '/usr/bin/unshare',
      [
        '-m',
        '--pid',
        '--fork',
        'sh',
        '-c',
        confine(folder, local),
        'sh',
        ...JSON.parse(last(image, 'CMD')),
      ],
      // certificates of this machine are not in the image
      { ...env, PORT: port, DATABASE_URL: '', HOME: '/home', NODE_EXTRA_CA_CERTS: '' },
      `http://127.0.0.1:${port}`,
      '/api/ready',
    )
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    onTestFinished(() => void (server.hasEnded() || process.kill(Number(children), 'SIGKILL')))
    expect((await fetch(`${server.url}/agent.tgz`)).status).toBe(200)
    const [node, ...check] = JSON.parse(last(image, 'HEALTHCHECK').replace(/^.*CMD /, ''))
    const ask = (at: string) => spawnSync(node, check, { env: { ...process.env, PORT: at } }).status
    expect([ask(port), ask('1')]).toEqual([0, 1])
    const root = `/proc/${children.trim()}/root`
    const touch = (at: string) => spawnSync('touch', [`${root}/${at}`]).status === 0
    expect(['usr/x', 'usr/local/x', 'x', 'data/x'].map(touch)).toEqual([false, false, false, true])
    process.kill(Number(children), 'SIGTERM')
    await expect.poll(() => server.hasEnded()).toBe(true)
    expect(server.output()).toMatch(/SIGTERM: finishing/)
    expect(server.output()).not.toMatch(/Warning/)
    const has = (file: string) => existsSync(join(data, 'postgres', file))
    expect([has('PG_VERSION'), has('postmaster.pid')]).toEqual([true, false])
  },
)
