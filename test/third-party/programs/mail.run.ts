import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { stopLater } from '../../support/stops.ts'
import { until } from '../../support/until.ts'
import { startProgramFixture, TO, testOf } from './fixture.ts'
import { hasDebian } from './packages.ts'

// Mail servers that pass mails on to SMTP_PORT.

const run = promisify(execFile)
const fixture = await startProgramFixture()
const { at, block, hook, sent, smtpPort, write } = fixture

testOf('Postfix', hasDebian('postfix') && process.getuid?.() === 0)(
  'Postfix passes a mail to a number on with its key, and one to a hook',
  async () => {
    const secret = await hook({ preset: 'text', recipients: ['+4915112345679'] })
    const own = {
      '[sms.example.com]:2525': `[127.0.0.1]:${smtpPort}`,
      '/etc/postfix/': `${at('postfix')}/`,
    }
    const page = block('programs/postfix', 'transport_maps', own)
    const part = (name: string) =>
      page
        .split(/^# /m)
        .find((text) => text.startsWith(at(`postfix/${name}`)))!
        .replace(/^.*\n/, '')
    for (const name of ['transport', 'sasl_passwd']) write(`postfix/${name}`, part(name))
    const folders = ['queue_directory', 'data_directory'].map((name) => {
      const folder = at(name)
      execFileSync('install', ['-d', '-o', name === 'data_directory' ? 'postfix' : 'root', folder])
      return `${name} = ${folder}`
    })
    // nothing of it listens, and all that it sends goes to us
    const main = ['compatibility_level = 3.6', 'mydestination =', 'inet_interfaces = loopback-only']
    const log = [`maillog_file_prefixes = ${fixture.folder}`, `maillog_file = ${at('mail.log')}`]
    write('postfix/main.cf', [...main, ...folders, ...log, part('main.cf')].join('\n'), 0o644)
    const services = execFileSync('postconf', ['-M'], { encoding: 'utf8' })
    const withoutServer = services.replace(/^smtp\s+inet.*$/m, '')
    write('postfix/master.cf', withoutServer, 0o644)
    const conf = ['-c', at('postfix')]
    execFileSync('chmod', ['755', fixture.folder])
    for (const name of ['transport', 'sasl_passwd'])
      await run('postmap', [...conf, `hash:${at(`postfix/${name}`)}`])
    await run('postfix', [...conf, 'start'])
    stopLater(() => run('postfix', [...conf, 'stop']))
    const mail = (to: string) =>
      execFileSync('sendmail', ['-C', at('postfix'), '-f', 'cron@example.com', to], {
        input: `To: ${to}\nSubject: Backup\n\nIt failed\n`,
      })
    mail(`${TO}@sms.example.com`)
    mail(`${secret}@sms.example.com`)
    await until('two texts', async () => (await sent()).length === 2, 120_000)
    expect(await sent()).toEqual([`${TO} Backup\nIt failed`, '+4915112345679 Backup\nIt failed'])
  },
)
