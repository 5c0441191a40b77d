import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startProgramFixture, TO, testOf } from './fixture.ts'
import { hasPython, pythonFile } from './packages.ts'

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
