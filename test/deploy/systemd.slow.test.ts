import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { canMount, inMounts } from '../support/database/embedded.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'

// The units of systemd, run by a systemd of their own: systemd-nspawn boots this machine's Debian on an
// overlay that is dropped, with the units as docs/deploy.md installs them.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const unit = (name: string) => join(HOME, 'deploy', name)
const hasAnalyze = runs('systemd-analyze', '--version')
const canBoot = runs('systemd-nspawn', '--version') && runs('age-keygen', '--version') && canMount()
if (!canBoot) console.warn('The units are not run: apt-get install systemd-container age, as root')

test.runIf(hasAnalyze)('systemd accepts the units', () => {
  execFileSync('systemd-analyze', ['verify', unit('pocketsms.service'), unit('pocketsms.socket')], {
    stdio: 'pipe',
  })
})

test.runIf(hasAnalyze)('systemd finds the service little exposed', () => {
  const args = ['security', '--offline=true', '--threshold=30', unit('pocketsms.service')]
  const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  expect([status, stdout.split('\n').at(-2)]).toEqual([
    0,
    expect.stringContaining('Overall exposure level'),
  ])
})

/** The keys for `etc/pocketsms.env`, and the units as people install them, on a copy of the file system. */
const install = (root: string) => `
  set -e; mount -t tmpfs none ${root}; cd ${root}; mkdir root upper work
  mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root; cd root
  mkdir -p opt/pocketsms etc/systemd/system/multi-user.target.wants; cp ${root}.env etc/pocketsms.env
  ln -sf /opt/pocketsms/bin/pocketsms.js usr/local/bin/pocketsms
  cp ${unit('pocketsms.service')} ${unit('pocketsms.socket')} etc/systemd/system/
  rm -f etc/systemd/system/*.wants/*
  for each in getty console-getty systemd-logind; do ln -sf /dev/null etc/systemd/system/$each.service; done
  ln -sf ../pocketsms.socket ../pocketsms.service etc/systemd/system/multi-user.target.wants/
  id pocketsms >/dev/null 2>&1 || useradd --root $PWD --system --home-dir /var/lib/pocketsms pocketsms`

/** Boots a systemd with the units and these settings, and waits until the server answers. */
async function boot(settings: Readonly<Record<string, string>>) {
  const root = join(temporaryFolder(), 'machine')
  mkdirSync(root)
  const port = await freePort()
  const lines = { PORT: port, HOST: '127.0.0.1', ...settings }
  writeFileSync(
    `${root}.env`,
    Object.entries(lines)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const socket = readFileSync(unit('pocketsms.socket'), 'utf8')
  const listen = `sed -i 's/:8090/:${port}/' ${root}/root/etc/systemd/system/pocketsms.socket`
  expect(socket).toContain(':8090')
  const [command, ...args] = inMounts(`${install(root)} && ${listen} && cd /`)
  const bootUp = [
    'systemd-nspawn',
    '-q',
    '-b',
    '-D',
    `${root}/root`,
    '--register=no',
    '--keep-unit',
  ]
  const server = await startProgram(
    command!,
    [...args, ...bootUp, `--bind-ro=${HOME}:/opt/pocketsms`, '-M', `pocketsms-${port}`],
    {},
    `http://127.0.0.1:${port}`,
    '/api/ready',
  )
  onTestFinished(() => server.stop())
  const init = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim()
  /** Runs a command of the administrator in the booted system. */
  const run = (...words: string[]) =>
    execFileSync(
      'nsenter',
      ['-t', init, '-a', '/usr/bin/env', 'PATH=/usr/local/bin:/usr/bin:/bin', ...words],
      {
        encoding: 'utf8',
      },
    )
  const pocketsms = (...words: string[]) =>
    run(
      'setpriv',
      '--reuid=pocketsms',
      '--regid=pocketsms',
      '--clear-groups',
      'env',
      'DATA_DIR=/var/lib/pocketsms',
      'pocketsms',
      ...words,
    )
  const files = `/proc/${init}/root/var/lib/pocketsms`
  return { server, run, pocketsms, files }
}

const login = { identity: 'root@example.com', password: 'password1234' }

/** The public key of a new key of age. */
function makeRecipient(): string {
  const path = join(temporaryFolder(), 'key.txt')
  execFileSync('age-keygen', ['-o', path], { stdio: 'ignore' })
  return execFileSync('age-keygen', ['-y', path], { encoding: 'utf8' }).trim()
}

test.runIf(canBoot)(
  'under systemd the server signs in, shrinks pictures, seals backups, and is replaced without a refusal',
  { timeout: 300_000 },
  async () => {
    const { server, run, pocketsms, files } = await boot({
      WORKERS: '1',
      BACKUP_RECIPIENTS: makeRecipient(),
    })
    pocketsms('superuser', 'upsert', login.identity, login.password)
    const ask = async (method: string, path: string, body?: unknown, token = '') => {
      const isForm = body instanceof FormData
      const response = await fetch(`${server.url}/api/${path}`, {
        method,
        headers: {
          ...(token && { authorization: token }),
          ...(!isForm && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      })
      expect(response.status, path).toBeLessThan(300)
      return response
    }
    const json = async (response: Promise<Response>) =>
      (await (await response).json()) as Record<string, string>
    const signIn = () => json(ask('POST', 'collections/_superusers/auth-with-password', login))
    const { token } = await signIn()

    const fields = [{ name: 'photo', type: 'file', maxSelect: 1, thumbs: ['20x20'] }]
    await ask('POST', 'collections', { name: 'photos', type: 'base', viewRule: '', fields }, token)
    const picture = await sharp({
      create: { width: 400, height: 400, channels: 3, background: 'red' },
    })
      .jpeg()
      .toBuffer()
    const form = new FormData()
    form.set('photo', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'photo.jpg')
    const { id, photo } = await json(ask('POST', 'collections/photos/records', form, token))
    const thumb = await ask('GET', `files/photos/${id}/${photo}?thumb=20x20`)
    const { width } = await sharp(await thumb.arrayBuffer()).metadata()

    await ask('POST', 'backups', { name: 'sealed.zip' }, token)
    const ends = (path: string) => path.endsWith('.age')
    const backups = (await (await ask('GET', 'backups', undefined, token)).json()) as {
      key: string
    }[]
    expect([width, backups.map(({ key }) => ends(key))]).toEqual([20, [true]])
    expect(pocketsms('doctor', '--help')).toContain('doctor')

    // a new process serves before the old one ends, and the port stays open while the service restarts
    const workers = () => run('pgrep', '-f', 'cli.ts serve|cli.js serve').trim()
    const before = workers()
    run('systemctl', 'reload', 'pocketsms')
    await expect.poll(workers).not.toBe(before)
    run('systemctl', 'restart', '--no-block', 'pocketsms')
    expect(await signIn()).toHaveProperty('token')

    expect(existsSync(join(files, 'postgres/postmaster.pid'))).toBe(true)
    run('systemctl', 'stop', 'pocketsms.socket', 'pocketsms')
    expect(existsSync(join(files, 'postgres/postmaster.pid'))).toBe(false)
    expect(run('systemctl', 'show', '-P', 'Result', 'pocketsms').trim()).toBe('success')
  },
)
