import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canMount, inMounts } from '../support/database/embedded.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { startProgram } from '../support/server/program.ts'

// The unit of systemd, where there is no systemd that runs: its limits are applied by hand.

const HOME = fileURLToPath(new URL('../..', import.meta.url))
const UNIT = join(HOME, 'deploy/pocketsms.service')
/** The last value of a setting that is not a list. */
const settings: Record<string, string> = Object.fromEntries(
  [...readFileSync(UNIT, 'utf8').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]),
)

test.runIf(runs('systemd-analyze', '--version'))('systemd accepts the units', () => {
  const socket = UNIT.replace(/service$/, 'socket')
  execFileSync('systemd-analyze', ['verify', UNIT, socket], { stdio: 'pipe' })
})

/** What systemd would do for each setting, in a shell. */
const LIMITS: Readonly<Record<string, (value: string) => string>> = {
  StateDirectory: (name) =>
    `mount -t tmpfs none /var/lib && install -d -o 7654 -m ${settings.StateDirectoryMode} /var/lib/${name} && mount --bind /var/lib/${name} /var/lib/${name}`,
  PrivateTmp: () => 'mount -t tmpfs -o mode=1777 none /tmp',
  ProtectHome: () =>
    'mount -t tmpfs -o mode=000 none /root && mount -t tmpfs -o mode=000 none /home',
  ProtectSystem: () =>
    'for at in / /var/lib /opt /opt/pocketsms /root /home; do mount -o remount,bind,ro $at || exit 1; done',
}

test.runIf(canMount())(
  'the confined unit runs the default database and makes backups',
  async () => {
    const folder = temporaryFolder()
    const passwd = join(folder, 'passwd')
    writeFileSync(passwd, 'root:x:0:0::/:\npocketsms:x:7654:7654::/:\n')
    const limits = Object.entries(LIMITS).map(([name, limit]) => limit(settings[name]!))
    const script = [
      `mount --bind ${passwd} /etc/passwd`,
      `mount -t tmpfs none /opt && mkdir /opt/pocketsms && mount --bind ${HOME} /opt/pocketsms`,
      `mkdir /opt/bin && ln -s ../pocketsms/bin/pocketsms.js /opt/bin/pocketsms`,
      ...limits,
      'cd /',
    ]
    const port = await freePort()
    const [name, data] = settings.Environment!.split('=') as [string, string]
    const PATH = `/opt/bin:${process.env.PATH}`
    const env = {
      [name]: data,
      PATH,
      DATABASE_URL: '',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
    }
    const [command, ...prefix] = [
      ...inMounts(script.join(' && ')),
      ...[
        'setpriv',
        '--no-new-privs',
        `--reuid=${settings.User}`,
        '--regid=7654',
        '--clear-groups',
      ],
    ]
    const login = { identity: 'root@example.com', password: 'password1234' }
    const upsert = settings.ExecStart!.replace(
      /serve$/,
      `superuser upsert ${login.identity} ${login.password}`,
    )
    const start = ['sh', '-c', `${upsert} && exec ${settings.ExecStart}`]
    const server = await startProgram(
      command!,
      [...prefix, ...start],
      env,
      `http://127.0.0.1:${port}`,
      '/api/health',
    )
    onTestFinished(() => server.stop())
    const post = (path: string, body: unknown, headers = {}) =>
      fetch(`${server.url}/api/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      })
    const signedIn = await post('collections/_superusers/auth-with-password', login)
    const { token } = (await signedIn.json()) as { token: string }
    const made = await post('backups', { name: 'made.zip' }, { authorization: token })
    expect([made.status, await made.text(), settings.StateDirectory]).toEqual([
      204,
      '',
      'pocketsms',
    ])
  },
)
