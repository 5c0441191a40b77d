import { execFileSync } from 'node:child_process'
import { freePort, startPostgres } from '../../support/database/postgres.ts'
import { stopLater } from '../../support/stops.ts'
import { until } from '../../support/until.ts'
import { answers, start, startProgramFixture, TO, testOf } from './fixture.ts'
import { hasDebian } from './packages.ts'

// Zabbix' server and frontend, set up by its API as a person does it by the forms.

const fixture = await startProgramFixture()
const { at, block, fields, write } = fixture
const SQL = ['schema', 'images', 'data']

testOf('Zabbix', hasDebian('zabbix') && process.getuid?.() === 0)(
  'Zabbix texts a problem by the script of the page',
  async () => {
    const postgres = await startPostgres()
    stopLater(() => postgres.stop())
    const database = new URL(postgres.url)
    execFileSync('psql', [postgres.url, '-qc', 'create database zabbix'])
    database.pathname = 'zabbix'
    for (const name of SQL) {
      const input = execFileSync('zcat', [`/usr/share/zabbix-server-pgsql/${name}.sql.gz`], {
        maxBuffer: 1 << 28,
      })
      execFileSync('psql', [database.href, '-q'], { input, stdio: ['pipe', 'ignore', 'inherit'] })
    }

    write('sms-key', `access_token=${fixture.key}\n`)
    write('sms', block('programs/zabbix', '#!/bin/sh'), 0o700)
    const db = {
      SERVER: '127.0.0.1',
      PORT: database.port,
      DATABASE: 'zabbix',
      USER: database.username,
      PASSWORD: database.password,
    }
    const [port, web] = [await freePort(), await freePort()]
    const settings = {
      DBHost: db.SERVER,
      DBPort: db.PORT,
      DBName: db.DATABASE,
      DBUser: db.USER,
      DBPassword: db.PASSWORD,
      ListenIP: '127.0.0.1',
      ListenPort: port,
      LogType: 'console',
      PidFile: at('zabbix.pid'),
      SocketDir: fixture.folder,
      AlertScriptsPath: fixture.folder,
      AllowRoot: 1,
      CacheUpdateFrequency: 1,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    const server = start('zabbix_server', ['-f', '-c', write('zabbix.conf', lines.join(''))])
    const own = Object.entries({ TYPE: 'POSTGRESQL', SCHEMA: '', ...db }).map(
      ([name, value]) => `$DB['${name}'] = '${value}';\n`,
    )
    write('etc/zabbix.conf.php', `<?php\n${own.join('')}`)
    const url = `http://127.0.0.1:${web}/api_jsonrpc.php`
    // Debian's frontend reads its settings from /etc only: this process sees a folder of ours there
    const serve = `mount --bind ${at('etc')} /etc/zabbix && exec php -S 127.0.0.1:${web} -t /usr/share/zabbix`
    const frontend = start('unshare', ['-m', 'sh', '-c', serve])
    await answers(frontend, url)

    let auth: string | null = null
    // biome-ignore lint/suspicious/noExplicitAny: results differ by method
    const ask = async (method: string, params: object): Promise<any> => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json-rpc' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, auth }),
      })
      const { result, error } = JSON.parse(await answer.text())
      if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    }
    auth = await ask('user.login', { username: 'Admin', password: 'zabbix' })
    const entered = fields('programs/zabbix')
    const made = await ask('mediatype.create', {
      name: entered.Name,
      type: 1,
      exec_path: entered['Script name'],
      exec_params: `${entered['Script parameters']!.replace(', ', '\n')}\n`,
      message_templates: [{ eventsource: 0, recovery: 0, message: 'Problem: {EVENT.NAME}' }],
    })
    const media = { mediatypeid: made.mediatypeids[0], sendto: TO, active: 0, severity: 63 }
    await ask('user.update', { userid: 1, medias: [{ ...media, period: '1-7,00:00-24:00' }] })
    const host = await ask('host.create', { host: 'web-1', groups: [{ groupid: 2 }] })
    const item = { name: 'Uptime', key_: 'zabbix[uptime]', type: 5, value_type: 3, delay: '1s' }
    await ask('item.create', { ...item, hostid: host.hostids[0] })
    const problem = { description: 'Disk "/" is 95 % full', priority: 4 }
    await ask('trigger.create', { ...problem, expression: 'last(/web-1/zabbix[uptime])>0' })
    // to administrators
    await ask('action.update', { actionid: 3, status: 0 })

    const text = `${TO} Problem: Disk "/" is 95 % full`
    await until('the text', async () => (await fixture.sent()).includes(text), 300_000).catch(
      (error) => {
        throw new Error(`${error.message}\n${server.said()}`)
      },
    )
  },
)
