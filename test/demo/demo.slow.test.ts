import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import PocketBase from 'pocketbase'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/pocketsms.js', import.meta.url))
const PATIENCE_MS = 240_000

/** The last test finds the database of the first. */
const folder = temporaryFolder()

/** Starts the demo as a newcomer does; `done` when it says that it is done, or ends. */
function startDemo(port: number) {
  const { DATABASE_URL: _, ...env } = process.env
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, 'demo'], {
    env: { ...env, DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const done = new Promise<void>((resolve) => {
    const hear = (chunk: Buffer) => {
      output += chunk
      if (output.includes('the superuser:')) resolve()
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    void exited.then(() => resolve())
  })
  const stop = () => {
    child.kill('SIGINT')
    return exited
  }
  return { done, exited, output: () => output, stop }
}

test(
  'the demo sends, delivers and receives texts, prints working commands and can be repeated',
  async () => {
    const port = await freePort()
    const first = startDemo(port)
    await first.done
    const text = first.output()
    for (const line of [
      /Ann Baker +accepted/,
      /Ben Carter +sending +Phone/,
      /Chloé Martin +delivered +Phone/,
      /I will be there!/,
    ])
      expect(text).toMatch(line)

    const [curl] = /^curl .*\n.*again"}'$/m.exec(text) ?? []
    const answer = JSON.parse(
      execFileSync('sh', ['-c', curl!], { stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
    )
    expect(answer).toMatchObject({ status: 'accepted', recipients_count: 1 })

    const [, email, password] = /authWithPassword\('(.+?)', '(.+?)'\)/.exec(text) ?? []
    const pb = new PocketBase(`http://127.0.0.1:${port}`)
    await pb.collection('users').authWithPassword(email!, password!)
    const messages = await pb.collection('sms_messages').getFullList({ expand: 'device' })
    expect(messages.length).toBe(19)
    const conversations = await pb.collection('conversations').getFullList({ sort: '-last_at' })
    expect(conversations).toHaveLength(10)
    // of the day's texts, exactly the answered ones are read; the curl above has answered the first
    expect(conversations.slice(1).map(({ unread }) => unread > 0)).toEqual(
      conversations.slice(1).map(({ last_type }) => last_type === 'incoming'),
    )
    expect(new Set(conversations.map(({ last_at }) => last_at.slice(0, 16))).size).toBe(10)
    expect(await first.stop(), first.output()).toBe(0)

    const second = startDemo(port)
    await second.done
    expect(second.output()).toMatch(/Chloé Martin +delivered +Phone/)
    await pb
      .collection('users')
      .authWithPassword(email!, /authWithPassword\('.+?', '(.+?)'\)/.exec(second.output())![1]!)
    expect(await pb.collection('devices').getFullList()).toHaveLength(2)
    expect(await pb.collection('contacts').getFullList()).toHaveLength(12)
    expect(await pb.collection('members').getFullList()).toHaveLength(2)
    const [, colleague, word] = /a colleague: +(\S+) \/ (\S+)/.exec(second.output())!
    await pb.collection('users').authWithPassword(colleague!, word!)
    expect(await second.stop(), second.output()).toBe(0)
  },
  PATIENCE_MS,
)

test(
  'a port in use is reported in a plain message',
  async () => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
    const demo = startDemo(port)
    expect(await demo.exited).toBe(1)
    expect(demo.output()).toContain(`Port ${port} on 127.0.0.1 is taken`)
    expect(demo.output()).not.toContain('    at ')
    await new Promise((resolve) => taken.close(resolve))
  },
  PATIENCE_MS,
)
