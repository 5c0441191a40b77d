import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { blocksOf } from '../../docs/page.ts'
import { freePort } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { runs } from '../../support/installed.ts'
import { startProgram } from '../../support/server/program.ts'
import { request } from '../../support/server/request.ts'
import { ANN } from '../../support/server/server-with-users.ts'
import { startSmtpFixture } from '../../support/server/smtp-fixture.ts'
import { until } from '../../support/until.ts'

// Programs that send mails, as they are, by STARTTLS and without.

const run = promisify(execFile)
const folder = temporaryFolder()
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
function makeCertificate(): void {
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
  ]
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]
  execFileSync('openssl', [...args, ...names], { stdio: 'ignore' })
}
makeCertificate()

const fixture = await startSmtpFixture({ SMTP_TLS_CERT: cert, SMTP_TLS_KEY: key })
const { auth, hook, port, sent, server } = fixture
const HOOK = await hook()
const NUMBER = '+4915112345678@sms.example.com'

beforeEach(() => server.rows('delete from sms_messages'))

const SMTPLIB = `
import smtplib, ssl, sys
port, user, password, to, cafile = sys.argv[1:]
with smtplib.SMTP("localhost", int(port)) as server:
    if cafile: server.starttls(context=ssl.create_default_context(cafile=cafile))
    if user: server.login(user, password)
    print(server.sendmail("cron@example.com", [to], "Subject: Backup\\r\\n\\r\\nIt failed"))
`
const python = (to: string, user = '', password = '', file = cert) =>
  run('python3', ['-c', SMTPLIB, String(port), user, password, to, file])

describe.skipIf(!runs('python3', '--version'))("Python's smtplib", () => {
  test("Python's smtplib sends to a hook without encryption", async () => {
    await python(HOOK, '', '', '')
    expect(await sent()).toEqual(['+4911111 Backup\nIt failed'])
  })

  test("Python's smtplib sends to a number by STARTTLS and not without it", async () => {
    await python(NUMBER, auth.user, auth.pass)
    expect(await sent()).toEqual(['+4915112345678 Backup\nIt failed'])
    await expect(python(NUMBER, auth.user, auth.pass, '')).rejects.toThrow('538')
    await expect(python(NUMBER, auth.user, 'psk_x')).rejects.toThrow('535')
    await expect(python(NUMBER)).rejects.toThrow('530')
    expect(await sent()).toHaveLength(1)
  })

  test("Python's smtplib gets the renewed certificate without a restart", async () => {
    const before = await run('openssl', ['x509', '-in', cert, '-noout', '-serial'])
    makeCertificate()
    expect((await run('openssl', ['x509', '-in', cert, '-noout', '-serial'])).stdout).not.toBe(
      before.stdout,
    )
    await python(NUMBER, auth.user, auth.pass)
    expect(await sent()).toHaveLength(1)
  })
})

/** swaks sends by STARTTLS only with this module of Perl, which Debian merely recommends. */
const hasSwaks = runs('swaks', '--version') && runs('perl', '-MNet::SSLeay', '-e', '1')

// swaks reads an address with a plus as an option
test.skipIf(!hasSwaks)('swaks sends to a number and a hook', async () => {
  const number = NUMBER.replace('+', '')
  const swaks = (to: string, ...args: string[]) =>
    run('swaks', ['--server', `localhost:${port}`, '--from', 'a@example.com', '--to', to, ...args])
  const content = ['--h-Subject', 'Disk', '--body', 'full']
  await swaks(number, '--tls', '--auth-user', ANN.id, '--auth-password', ANN.key, ...content)
  await swaks(HOOK, ...content)
  expect(await sent()).toEqual(['+4911111 Disk\nfull', '+4915112345678 Disk\nfull'])
  await expect(swaks(number, ...content)).rejects.toThrow('Command failed')
})

test.skipIf(!runs('msmtp', '--version'))(
  'msmtp sends with the configuration in the docs',
  async () => {
    const block = blocksOf('docs/recipes/mail.md').find(({ text }) => text.includes('msmtprc'))!
    const file = join(folder, 'msmtprc')
    const own = block.text.replace('sms.example.com', 'localhost').replace('2525', String(port))
    writeFileSync(file, `${own.replace('psk_…', ANN.key)}\ntls_trust_file ${cert}\n`)
    chmodSync(file, 0o600)
    const child = run('msmtp', ['-C', file, '-a', 'sms', NUMBER])
    child.child.stdin!.end('Subject: Backup\n\nIt failed\n')
    await child
    expect(await sent()).toEqual(['+4915112345678 Backup\nIt failed'])
  },
)

test('a mail leaves with the host, the sign-in and the encryption of the configuration in the docs', async () => {
  const block = blocksOf('docs/recipes/mail.md').find(({ text }) => text.includes('msmtprc'))!
  const read = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(block.text)?.[1]
  expect([read('host'), read('port'), read('tls'), read('auth')]).toEqual([
    'sms.example.com',
    '2525',
    'on',
    'on',
  ])
  const response = await fixture.mail(
    { from: read('from')!, to: NUMBER, subject: 'Backup', text: 'It failed' },
    {
      host: 'localhost',
      ignoreTLS: false,
      requireTLS: true,
      tls: { ca: readFileSync(cert) },
      auth: { user: read('user')!, pass: read('password')!.replace('psk_…', ANN.key) },
    },
  )
  expect(response).toMatch(/OK: sent$/)
  expect(await sent()).toEqual(['+4915112345678 Backup\nIt failed'])
})

const alertmanager = ['prometheus-alertmanager', 'alertmanager'].find((name) =>
  runs(name, '--version'),
)

test.skipIf(!alertmanager)(
  'Alertmanager sends with the configuration in the docs and with its own HTML mail',
  async () => {
    const block = blocksOf('docs/recipes/mail.md').find(({ text }) =>
      text.includes('email_configs'),
    )!
    const own = await hook({ recipients: ['+4922222'] })
    const text = block.text
      .replaceAll('SECRET@sms.example.com', HOOK)
      .replace('sms.example.com:2525', `localhost:${port}`)
      .replace('require_tls: true', 'tls_config: { insecure_skip_verify: true }')
      .replace('receiver: sms', 'receiver: sms\n  group_wait: 1s\n  group_by: [alertname]')
    const html = `      - to: ${own}\n        from: a@example.com\n        smarthost: localhost:${port}\n        require_tls: false\n`
    writeFileSync(join(folder, 'alertmanager.yml'), `${text.trimEnd()}\n${html}`)
    const address = `127.0.0.1:${await freePort()}`
    const flags = [
      `--web.listen-address=${address}`,
      '--cluster.listen-address=',
      `--storage.path=${folder}`,
    ]
    const config = `--config.file=${join(folder, 'alertmanager.yml')}`
    const running = await startProgram(
      alertmanager!,
      [...flags, config],
      {},
      `http://${address}`,
      '/-/ready',
    )
    onTestFinished(() => running.stop())
    const alert = {
      labels: { alertname: 'DiskFull' },
      annotations: { summary: 'Disk is 95 % full' },
    }
    expect((await request(running.url, 'POST', '/api/v2/alerts', [alert])).status).toBe(200)
    await until('both mails are texts', async () => (await sent()).length === 2)
    const [plain, rich] = await sent()
    expect(plain).toBe('+4911111 DiskFull\nfiring: Disk is 95 % full')
    expect(rich).toMatch(/^\+4922222 \[FIRING:1\] .*DiskFull/)
    expect(rich).not.toMatch(/[<>{}]/)
  },
)
