import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../support/database/postgres.ts'
import { until } from '../../support/until.ts'
import { start, startProgramFixture, TO, testOf } from './fixture.ts'
import { hasDebian, hasNpm, hasPython, npmFile, pythonFile } from './packages.ts'

// Programs that run tasks, with the settings of their pages.

const run = promisify(execFile)
const fixture = await startProgramFixture()
const { at, block, forget, gateway, hook, key, sent, write } = fixture
const { host } = new URL(gateway.url)
beforeEach(forget)

testOf('Ansible', hasPython('ansible'))(
  'a play of Ansible texts the error of a block',
  async () => {
    const task = block('programs/ansible', 'ansible.builtin.uri').trimEnd()
    const play = `- hosts: localhost
  gather_facts: false
  tasks:
    - block:
        - ansible.builtin.fail: {msg: Disk is full}
      rescue:
${task.replaceAll(/^/gm, ' '.repeat(8))}
`
    const own = { sms_key: key, ansible_python_interpreter: pythonFile('ansible', 'python') }
    const args = ['-i', 'localhost,', '-c', 'local', '-e', JSON.stringify(own)]
    const env = { ...process.env, ANSIBLE_LOCAL_TEMP: at('ansible'), LC_ALL: 'C.UTF-8' }
    const { stdout } = await run(pythonFile('ansible'), [...args, write('play.yml', play)], { env })
    expect(await sent()).toEqual([`${TO} localhost: Disk is full`])
    expect(stdout).not.toContain(key)
  },
)

testOf('borgmatic', hasPython('borgmatic'))(
  'borgmatic texts a failed backup to a number and to a hook',
  async () => {
    const apprise = block('programs/borgmatic', 'apprise:', {
      'smseagles://': 'smseagle://',
      'sms.example.com': host,
    })
    const rest = `source_directories: [${at('')}]\nrepositories: [{path: ${at('none')}, label: none}]\n`
    const backUp = (config: string) =>
      run(pythonFile('borgmatic'), ['-c', write('borgmatic.yaml', config), 'create'], {
        env: { ...process.env, HOME: at('home') },
      })
    await expect(backUp(rest + apprise)).rejects.toThrow()
    expect(await sent()).toEqual([`${TO} Backup failed\r\nSee the log of borgmatic.`])
    await forget()

    const secret = await hook({
      preset: 'custom',
      template: '{{title}}: {{message}}',
      recipients: [TO],
    })
    const to = `json://${host}/api/hooks/${secret}`
    await expect(backUp(rest + apprise.replace(/smseagle:\S+/, to))).rejects.toThrow()
    expect(await sent()).toEqual([`${TO} Backup failed: See the log of borgmatic.`])
  },
)

testOf('MCP Inspector', hasNpm('mcp-inspector'))(
  'MCP Inspector calls send_message with the file of the page',
  async () => {
    const file = write('mcp.json', block('../assistants', 'mcpServers'))
    const call = ['--method', 'tools/call', '--tool-name', 'send_message']
    const values = ['--tool-arg', `recipients=["${TO}"]`, '--tool-arg', 'body=The parcel is here.']
    const args = ['--cli', '--config', file, '--server', 'pocketsms', ...call, ...values]
    const { stdout } = await run(npmFile('mcp-inspector', 'mcp-inspector'), args)
    expect(stdout).toContain('message_ids')
    expect(await sent()).toEqual([`${TO} The parcel is here.`])
  },
)

testOf('Home Assistant', hasPython('home-assistant'))(
  'Home Assistant texts the recipients of the hook, and those of an automation',
  async () => {
    const secret = await hook({
      preset: 'home-assistant',
      recipients: [TO],
      recipients_from: 'to',
    })
    const port = await freePort()
    const actions = ['title: Cellar', 'target: "+'].map((word) =>
      block('tools', word, { '+4915112345678, Night shift': '+4915112345679' }),
    )
    const config = [
      `http:\n  server_host: 127.0.0.1\n  server_port: ${port}\n`,
      block('tools', 'platform: rest', { SECRET: secret }),
      'automation:',
      '  - triggers: [{trigger: homeassistant, event: start}]',
      '    actions:',
      ...actions.map((action) =>
        action.trimEnd().replaceAll(/^/gm, '        ').replace('      ', '    - '),
      ),
    ]
    write('ha/configuration.yaml', `${config.join('\n')}\n`)
    const path = `${dirname(pythonFile('home-assistant'))}:${process.env.PATH}`
    const program = start(pythonFile('home-assistant'), ['-c', at('ha')], { PATH: path })
    const texts = async () => (await sent()).length === 3
    await until('three texts', texts, 240_000).catch((error) => {
      throw new Error(`${error.message}\n${program.said()}`)
    })
    expect(await sent()).toEqual([
      `${TO} Cellar: Water at the washing machine`,
      `${TO} Home Assistant: Water at the washing machine`,
      '+4915112345679 Home Assistant: Water at the washing machine',
    ])
  },
)

testOf('mqttwarn', hasPython('mqttwarn') && hasDebian('mosquitto'))(
  'mqttwarn texts a message of MQTT',
  async () => {
    const secret = await hook({ preset: 'text', recipients: [TO] })
    const port = await freePort()
    const listener = `listener ${port} 127.0.0.1\nallow_anonymous true\nuser root\n`
    const broker = start('mosquitto', ['-c', write('mosquitto.conf', listener)])
    await until('the broker', () => broker.said().includes('running'), 60_000)
    const own = {
      SECRET: secret,
      '[defaults]': `[defaults]\nhostname = '127.0.0.1'\nport = ${port}`,
    }
    const env = {
      MQTTWARNINI: write('mqttwarn.ini', block('programs/mqttwarn', '[defaults]', own)),
    }
    const program = start(pythonFile('mqttwarn'), [], env, fixture.folder)
    await until('mqttwarn', () => program.said().includes('home/alarm/#'), 60_000)
    const message = ['-t', 'home/alarm/cellar', '-m', 'Water at the washing machine']
    await until('the text', async () => {
      await run('mosquitto_pub', ['-p', `${port}`, ...message])
      return (await sent()).length > 0
    })
    expect((await sent())[0]).toBe(`${TO} home/alarm/cellar: Water at the washing machine`)
  },
)
