import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../support/database/postgres.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { until } from '../../support/until.ts'
import { answers, start, startProgramFixture, TO, testOf } from './fixture.ts'
import { goFile, hasDebian, hasGo, hasPython, pythonFile } from './packages.ts'

// Programs that watch others, with the settings of their pages.

const run = promisify(execFile)
const fixture = await startProgramFixture()
const { at, block, fields, forget, hook, sent, write } = fixture
const { host } = new URL(fixture.gateway.url)
const textTo = async (what: string, text: string) => {
  await until(what, async () => (await sent()).includes(text), 120_000)
}
beforeEach(forget)

testOf('Fail2ban', hasDebian('fail2ban'))(
  'Fail2ban texts a ban by the action of the page',
  async () => {
    write('sms-key', `access_token=${fixture.key}\n`)
    const log = write('auth.log', '')
    write('f/action.d/sms.conf', block('programs/fail2ban', 'actionban'))
    write('f/filter.d/door.conf', '[Definition]\nfailregex = ^ refused <HOST>$\n')
    const jail = [
      '[door]',
      'enabled = true',
      'filter = door',
      `logpath = ${log}`,
      'backend = polling',
    ]
    write('f/jail.conf', [...jail, 'maxretry = 3', 'usedns = no', 'action = sms', ''].join('\n'))
    const files = ['-c', at('f'), '-s', at('f.sock'), '-p', at('f.pid')]
    write('f/fail2ban.conf', `[Definition]\nloglevel = INFO\nlogtarget = STDOUT\ndbfile = None\n`)
    const server = start('fail2ban-server', ['-f', ...files, 'start'])
    await until('the jail', () => server.said().includes("Jail 'door' started"), 120_000)
    const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
    for (let i = 0; i < 3; i++) appendFileSync(log, `${now} refused 192.0.2.7\n`)
    await textTo('the ban', `${TO} door: banned 192.0.2.7 after 3 failures`)
  },
)

testOf('NUT', hasDebian('nut'))('Network UPS Tools text that a UPS is on battery', async () => {
  const port = await freePort()
  write('sms-key', `access_token=${fixture.key}\n`)
  write('ups-sms', block('programs/nut', '#!/bin/sh'), 0o700)
  const state = write('nut/ups.dev', 'ups.status: OL\n')
  write('nut/ups.conf', `[office]\ndriver = dummy-ups\nport = ${state}\nmode = dummy-loop\n`)
  write('nut/upsd.conf', `LISTEN 127.0.0.1 ${port}\n`)
  write('nut/upsd.users', '[watcher]\npassword = secret\nupsmon primary\n')
  const own = ['RUN_AS_USER root', 'SHUTDOWNCMD /bin/true', 'MINSUPPLIES 1', 'POLLFREQ 1']
  const ups = `MONITOR office@127.0.0.1:${port} 1 watcher secret primary`
  write('nut/upsmon.conf', [...own, ups, block('programs/nut', 'NOTIFYCMD')].join('\n'))
  const env = { NUT_CONFPATH: at('nut'), NUT_STATEPATH: at('nut'), NUT_ALTPIDPATH: at('nut') }
  start('/lib/nut/dummy-ups', ['-D', '-u', 'root', '-a', 'office'], env)
  await until('the driver', () => existsSync(at('nut/dummy-ups-office')), 60_000)
  start('/lib/nut/upsd', ['-D', '-u', 'root'], env)
  const monitor = start('/lib/nut/upsmon', ['-D', '-p'], env)
  await until('upsmon', () => monitor.said().includes('Logged into UPS'), 60_000)
  write('nut/ups.dev', 'ups.status: OB\n')
  await textTo('the outage', `${TO} office@127.0.0.1:${port}: on battery`)
  write('nut/ups.dev', 'ups.status: OL\n')
  await textTo('its end', `${TO} office@127.0.0.1:${port}: power is back`)
})

testOf('changedetection.io', hasPython('changedetection'))(
  'changedetection.io texts a change, by a hook and by SMSEagle',
  async () => {
    let page = 'Sold out'
    const shop = await listenLocally(
      createServer((_, res) => res.setHeader('content-type', 'text/html').end(`<p>${page}</p>`)),
    )
    const secret = await hook({ preset: 'text', recipients: [TO] })
    const entered = fields('programs/changedetection', {
      'posts://sms.example.com': `post://${host}`,
      SECRET: secret,
    })
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const data = at('changes')
    mkdirSync(data)
    const program = start(
      pythonFile('changedetection'),
      ['-d', data, '-h', '127.0.0.1', '-p', `${port}`],
      {
        ALLOW_IANA_RESTRICTED_ADDRESSES: 'true',
        HOME: data,
      },
    )
    await answers(program, url)
    const [file] = await until('its key', () => {
      const files = globSync(join(data, '*.json'))
      return files.some((name) => readFileSync(name, 'utf8').includes('api_access_token')) && files
    })
    const [, token] = /"api_access_token": ?"(\w+)"/.exec(readFileSync(file!, 'utf8'))!
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': token!, 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/v1/watch${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    }
    expect(entered['Notification format']).toBe('Plain Text')
    const eagle = `smseagle://${fixture.key}@${host}/+4915112345679`
    const { uuid } = await ask('POST', '', {
      url: shop.url,
      title: 'Shop',
      notification_urls: [entered['Notification URL List'], eagle],
      notification_title: 'Change',
      notification_body: entered['Notification Body'],
      notification_format: 'text',
    })
    await until(
      'the first look',
      async () => (await ask('GET', `/${uuid}`)).last_checked > 0,
      60_000,
    )
    page = 'In stock'
    await ask('GET', `/${uuid}?recheck=1`)
    await textTo('the change', `${TO} Shop changed: ${shop.url}`)
    await until('both texts', async () => (await sent()).length === 2, 60_000)
    expect((await sent())[1]).toMatch(/^\+4915112345679 Change\s+Shop changed: /)
  },
)

testOf('urlwatch', hasPython('urlwatch'))('urlwatch texts a change of a page', async () => {
  let page = 'Sold out'
  const shop = await listenLocally(createServer((_, res) => res.end(page)))
  const secret = await hook({ preset: 'text', recipients: [TO] })
  const files = {
    '--urls': write('urls.yaml', `name: Shop\nurl: ${shop.url}\n`),
    '--config': write('urlwatch.yaml', block('programs/urlwatch', 'slack:', { SECRET: secret })),
    '--hooks': at('hooks.py'),
    '--cache': at('urlwatch.db'),
  }
  const look = () => run(pythonFile('urlwatch'), Object.entries(files).flat())
  await look()
  await forget()
  page = 'In stock'
  await look()
  expect((await sent()).join('\n')).toMatch(/^\+4915112345678 .*Shop[\s\S]*-Sold out\n\+In stock/)
})

testOf('Shoutrrr 0.8', hasGo('watchtower'))(
  'Watchtower’s version of Shoutrrr sends by the URL of the page',
  async () => {
    const secret = await hook({ preset: 'text', recipients: [TO] })
    const entered = fields('programs/watchtower', { SECRET: secret, 'sms.example.com': host })
    const url = `${entered.WATCHTOWER_NOTIFICATION_URL}?disabletls=yes`
    const message = 'Found new nginx:latest image (a1b2c3d4)\nStopping /web (e5f6) with SIGTERM'
    await run(goFile('watchtower'), ['send', '--url', url, '--message', message])
    expect(await sent()).toEqual([`${TO} ${message}`])
  },
)
