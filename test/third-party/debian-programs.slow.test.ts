import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../docs/page.ts'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { ANN } from '../support/server/server-with-users.ts'
import { startSmtpFixture } from '../support/server/smtp-fixture.ts'
import { until } from '../support/until.ts'

// Programs of Debian, where they are installed, with the blocks of their pages: `monit`, `nagios4-core`,
// `icinga2-bin` and `kannel`.

const TO = '+4915112345678'

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const { server, port, hook, sent } = await startSmtpFixture()
const folder = temporaryFolder()
const at = (name: string) => join(folder, name)
const write = (name: string, lines: string | readonly string[], mode = 0o600) => {
  writeFileSync(at(name), typeof lines === 'string' ? lines : `${lines.join('\n')}\n`)
  chmodSync(at(name), mode)
  return at(name)
}

/** A block of a page, with our address, key and files in it. */
const blockOf = (page: string, word: string, own: Readonly<Record<string, string>> = {}) =>
  Object.entries({
    'https://sms.example.com': server.url,
    'ann@example.com': ANN.email,
    'psk_…': ANN.key,
    '/etc/sms-key': at('sms-key'),
    '/usr/local/bin/': `${folder}/`,
    ...own,
  }).reduce(
    (text, [shown, value]) => text.replaceAll(shown, value),
    blocksOf(`docs/recipes/programs/${page}.md`).find(({ text }) => text.includes(word))!.text,
  )

const running: ChildProcess[] = []
function start(program: string, ...args: string[]): void {
  const child = spawn(program, args, { stdio: 'ignore', detached: true })
  running.push(child)
}

beforeAll(() => write('sms-key', `access_token=${ANN.key}\n`))
beforeEach(() => server.rows('delete from sms_messages'))
afterEach(async () => {
  for (const child of running.splice(0).toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // with its own processes; bearerbox, asked to end, waits for its texts
    process.kill(-child.pid!, 'SIGKILL')
    await ended
  }
})

test.skipIf(!runs('monit', '-V'))('Monit sends a mail to a hook and runs its script', async () => {
  write('monit-sms', blockOf('monit', '#!/bin/sh'), 0o700)
  const secret = (await hook({ recipients: ['+4915112345679'] })).split('@')[0]!
  const mail = blockOf('monit', 'set mailserver', {
    'sms.example.com port 2525': `127.0.0.1 port ${port}`,
    SECRET: secret,
  })
  const files = ['logfile', 'pidfile', 'idfile', 'statefile'].map(
    (name) => `set ${name} ${at(name)}`,
  )
  const check = blockOf('monit', 'check process', { '/run/nginx.pid': at('nginx.pid') })
  const own = write('monitrc', ['set daemon 1', ...files, mail, check])
  start('monit', '-I', '-c', own)
  const arrives = (what: string, text: RegExp) =>
    until(what, async () => text.test((await sent()).join('\n')))
  await arrives('the text of the script', /^\+4915112345678 \S+ nginx: process is not running$/m)
  await arrives('the mail', /^\+4915112345679 \S+ nginx Does not exist$/m)
})

test.skipIf(!runs('nagios4', '--version'))('Nagios notifies a contact by its script', async () => {
  write('sms', blockOf('nagios', '#!/bin/sh'), 0o700)
  const always = ['max_check_attempts 1', 'check_interval 1', 'retry_interval 1']
  const define = (kind: string, ...lines: string[]) =>
    `define ${kind} {\n  ${lines.join('\n  ')}\n}`
  const objects = write('objects.cfg', [
    blockOf('nagios', 'define command'),
    define('command', 'command_name up', 'command_line /bin/true'),
    define('command', 'command_name fails', 'command_line /bin/echo "timed out" && exit 2'),
    define(
      'timeperiod',
      'timeperiod_name always',
      'alias always',
      ...DAYS.map((day) => `${day} 00:00-24:00`),
    ),
    define(
      'contact',
      ...['contact_name ann', `pager ${TO}`],
      ...['service_notification_period always', 'host_notification_period always'],
      ...['service_notification_options w,u,c,r', 'host_notification_options d,u,r'],
      ...['service_notification_commands notify-service-by-sms'],
      ...['host_notification_commands notify-host-by-sms'],
    ),
    define(
      'host',
      ...['host_name web-1', 'address 127.0.0.1', 'check_command up', ...always],
      ...['check_period always', 'notification_period always', 'contacts ann'],
    ),
    define(
      'service',
      ...['host_name web-1', 'service_description HTTP', 'check_command fails', ...always],
      ...['check_period always', 'notification_period always', 'contacts ann'],
      'notification_interval 0',
    ),
  ])
  mkdirSync(at('results'), { recursive: true })
  const user = process.getuid?.() === 0 ? 'root' : (process.env.USER ?? '')
  const files = ['log_file', 'status_file', 'lock_file', 'object_cache_file', 'command_file']
  const main = write('nagios.cfg', [
    `cfg_file=${objects}`,
    `resource_file=${write('resource.cfg', '')}`,
    ...files.map((name) => `${name}=${at(name)}`),
    `check_result_path=${at('results')}`,
    `temp_file=${at('nagios.tmp')}`,
    `query_socket=${at('nagios.qh')}`,
    ...[`nagios_user=${user}`, `nagios_group=${user}`],
    ...['interval_length=1', 'enable_notifications=1', 'execute_service_checks=1'],
    ...['check_external_commands=0', 'use_syslog=0', 'event_broker_options=0'],
    'illegal_macro_output_chars=`~$&|\'"<>',
  ])
  start('nagios4', main)
  await until('the text of Nagios', async () => (await sent()).length > 0)
  expect(await sent()).toContain(`${TO} PROBLEM: web-1 HTTP is CRITICAL: timed out`)
})

test.skipIf(!runs('icinga2', '--version'))('Icinga notifies a user by its script', async () => {
  write('sms', blockOf('icinga', '#!/bin/sh'), 0o700)
  const own = write('icinga2.conf', [
    'library "notification"',
    'object CheckerComponent "checker" {}',
    'object NotificationComponent "notification" {}',
    'object CheckCommand "up" { command = [ "/bin/true" ] }',
    'object CheckCommand "fails" { command = [ "/bin/sh", "-c", "echo timed out; exit 2" ] }',
    'object Host "web-1" { check_command = "up", vars.sms = true }',
    'object Service "HTTP" {',
    '  host_name = "web-1"',
    '  check_command = "fails"',
    '  max_check_attempts = 1',
    '  check_interval = 1',
    '}',
    blockOf('icinga', 'object NotificationCommand'),
  ])
  const folders = ['ConfigDir', 'DataDir', 'LogDir', 'CacheDir', 'SpoolDir', 'InitRunDir']
  const user = process.getuid?.() === 0 ? 'root' : (process.env.USER ?? '')
  const constants = [
    ...folders.map((name) => `${name}=${folder}`),
    ...[`RunAsUser=${user}`, `RunAsGroup=${user}`],
  ]
  start('icinga2', 'daemon', '-c', own, ...constants.map((constant) => `-D${constant}`))
  await until('the text of Icinga', async () => (await sent()).length > 0)
  expect(await sent()).toContain(`${TO} PROBLEM: web-1 HTTP is CRITICAL: timed out`)
})

test.skipIf(!runs('bearerbox', '--version'))(
  'Kannel passes texts on by its HTTP centre, long and Cyrillic ones whole',
  async () => {
    const [admin, box, api, incoming] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ]
    const own = write('kannel.conf', [
      ...['group = core', `admin-port = ${admin}`, `smsbox-port = ${box}`, 'admin-password = x'],
      ...[`log-file = ${at('bearerbox.log')}`, 'log-level = 0', ''],
      blockOf('kannel', 'system-type', { 'port = 13015': `port = ${incoming}` }),
      ...['group = smsbox', 'bearerbox-host = 127.0.0.1', `bearerbox-port = ${box}`],
      ...[`sendsms-port = ${api}`, 'global-sender = 13013', `log-file = ${at('smsbox.log')}`, ''],
      ...['group = sendsms-user', 'username = tester', 'password = secret'],
      ...['concatenation = true', 'max-messages = 5', ''],
    ])
    start('bearerbox', own)
    const isUp = (url: string) =>
      fetch(url).then(
        () => true,
        () => false,
      )
    await until('bearerbox', () => isUp(`http://127.0.0.1:${admin}/status`))
    start('smsbox', own)
    const address = `http://127.0.0.1:${api}/cgi-bin/sendsms`
    await until('smsbox', () => isUp(address))
    const send = async (text: string, more: Readonly<Record<string, string>>) => {
      const query = { username: 'tester', password: 'secret', to: TO, text, ...more }
      const answer = await fetch(`${address}?${new URLSearchParams(query)}`)
      expect(answer.status).toBe(202)
    }
    const long = 'The parcel waits at the neighbour. '.repeat(6).trim()
    await send('Hello there', { charset: 'UTF-8' })
    await send(long, { charset: 'UTF-8' })
    await send('Привет', { coding: '2', charset: 'UTF-8' })
    // a part is a message, too, until all parts are joined
    const texts = [`${TO} Hello there`, `${TO} ${long}`, `${TO} Привет`]
    await until('the joined text', async () => (await sent()).includes(texts[1]!))
    await until('three texts', async () => (await sent()).length === texts.length)
    expect(await sent()).toEqual(texts)
  },
)
