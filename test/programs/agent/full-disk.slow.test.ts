import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pairAgent } from '../../../src/programs/agent/pair-agent.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { CLI } from '../../support/server/program-files.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices({ LEASE_SECONDS: '120' })

/** Limits how large the files of a process may become, as on a disk that is full. */
const limit = (pid: number, bytes: string) =>
  spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
/** prlimit(1) is in Linux' util-linux. */
const canLimit = spawnSync('prlimit', ['--version']).status === 0

test.runIf(canLimit)(
  'an agent on a full disk keeps its texts and sends them once there is room',
  async () => {
    const user = await server.makeUser()
    const { code } = await must(user, 'POST', '/api/devices/pairing', {})
    const state = join(temporaryFolder(), 'agent.json')
    await pairAgent(server.url, code, { name: '', phone: '', platform: 'simulator' }, () => state)
    const args = [CLI, 'agent', 'run', '--state', state, '--lag', '5', '--delivery', '10']
    const agent = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void agent.kill('SIGKILL'))
    let said = ''
    agent.stdout.on('data', (chunk) => (said += chunk))
    await until('the agent is connected', () => said.includes('connected'))

    limit(agent.pid!, '1')
    const recipients = ['+4915112345001', '+4915112345002', '+4915112345003']
    await must(user, 'POST', '/api/sms/send', { recipients, body: 'Hello' })
    await until('the agent says that a text waits', () => said.includes('cannot be stored'))
    const statuses = async () => {
      const { items } = await must(user, 'GET', '/api/collections/sms_messages/records')
      return items.map(({ status }: { status: string }) => status)
    }
    expect(await statuses()).not.toContain('failed')
    expect(agent.exitCode).toBe(null)

    limit(agent.pid!, 'unlimited')
    await until('all texts are delivered', async () =>
      (await statuses()).every((status: string) => status === 'delivered'),
    )
    expect(said.match(/sent to/g)).toHaveLength(3)
    agent.kill('SIGTERM')
    expect(await once(agent, 'exit')).toEqual([0, null])
  },
)
